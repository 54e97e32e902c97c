"""Read models: tables that follow the log, each with its position in the same transaction."""
