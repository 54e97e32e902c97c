"""The PostgreSQL embedded server."""
