-- Snapshots have another shape now, and only the newest two of a match stay; they are safe to delete.
TRUNCATE match_snapshots;
