"""The handlers, a module a resource."""
