"""Webhooks: what sends their messages."""
