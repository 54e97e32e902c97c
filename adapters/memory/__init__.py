"""Stores in memory, gone with the process: for tests, for game authors, for the CI of clients."""
