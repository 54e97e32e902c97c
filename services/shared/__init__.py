"""What all use cases share: errors, ids, pages, rate limits, time."""
