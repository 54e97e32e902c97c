"""The kernel: what every game needs and no single game owns."""
