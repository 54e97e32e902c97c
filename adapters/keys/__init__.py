"""Keys: those that we sign with, and those of an issuer of tokens."""
