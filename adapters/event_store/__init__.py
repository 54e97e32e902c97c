"""The port `EventStore`, on recorders in PostgreSQL or in memory."""
