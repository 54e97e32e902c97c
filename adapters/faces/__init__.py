"""What both faces of the API share."""
