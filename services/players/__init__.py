"""Players: accounts, tokens, profiles, blocks, what they have achieved."""
