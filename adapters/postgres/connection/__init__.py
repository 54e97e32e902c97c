"""Connections to PostgreSQL, and how they are set up."""
