"""REST: JSON over HTTP."""
