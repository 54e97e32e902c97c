"""The server's bots: their accounts, how they play, their turns."""
