-- What is forgotten after a while.

-- How far it was looked for what never began.
CREATE TABLE retention (
    name text PRIMARY KEY,
    reached_at timestamptz NOT NULL,
    reached uuid NOT NULL
);
INSERT INTO retention VALUES ('match_openings', '-infinity', '00000000-0000-0000-0000-000000000000');

-- When an opening was asked for last; of those before, from now on.
ALTER TABLE match_openings ADD COLUMN claimed_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX match_openings_claimed_idx ON match_openings (claimed_at, match_id);

-- Up to where each player's feed is forgotten: the last number of what concerned it in the log of matches, and the last
-- position of what was said to it.
CREATE TABLE player_feed_starts (
    player_id uuid PRIMARY KEY,
    number bigint NOT NULL,
    said bigint NOT NULL
);

CREATE INDEX tokens_expired_idx ON tokens (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX quick_match_calls_match_idx ON quick_match_calls (match_id);
