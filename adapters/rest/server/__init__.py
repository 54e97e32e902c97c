"""What stands between sockets and the application: connections, their bounds, the first look at a request."""
