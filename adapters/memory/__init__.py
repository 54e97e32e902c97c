"""Stores in memory, gone with the process: for `montane serve --memory` and for tests."""
