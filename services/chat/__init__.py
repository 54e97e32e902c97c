"""The talk in a match."""
