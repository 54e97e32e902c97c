"""Rules, pure: the kernel, the match life cycle and one package a game."""
