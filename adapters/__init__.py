"""The outside: REST, gRPC, Postgres and the command line."""
