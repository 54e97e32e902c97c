"""A match: opened, played by commands, read as a viewer."""
