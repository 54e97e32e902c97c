"""What proves a match: bundles, heads, keys, audits."""
