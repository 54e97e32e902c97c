"""PostgreSQL: the event store, players, read models, migrations, and an embedded server."""
