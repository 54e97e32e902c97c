"""The command `montane replay`: a match told again in a terminal, move by move."""
