"""What is done without being asked for."""
