"""Webhooks and what is to be sent to them."""
