"""The PostgreSQL server of our own."""
