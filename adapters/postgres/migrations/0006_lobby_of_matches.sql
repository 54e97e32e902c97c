-- An opening belongs to the player who opens, or to the match that is played again; and a match has an invitation,
-- which lets its holder know of it.
ALTER TABLE match_openings RENAME COLUMN player_id TO owner_id;
ALTER TABLE match_openings ADD COLUMN invitation bytea NOT NULL DEFAULT uuid_send(gen_random_uuid());
ALTER TABLE match_openings ALTER COLUMN invitation DROP DEFAULT;
