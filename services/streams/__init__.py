"""What happens in a match as a stream, and who is there to see it."""
