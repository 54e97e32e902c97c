"""gRPC: the same use cases as REST, in the same words."""
