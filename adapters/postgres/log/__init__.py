"""The log of all matches in PostgreSQL."""
