"""What is told to whom: the feed of a player, webhooks."""
