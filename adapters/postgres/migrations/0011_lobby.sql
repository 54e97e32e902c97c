-- The accounts of the server's bots, one for each place at a table. Nobody has a token for them.
INSERT INTO players (player_id, display_name, avatar_seed, locale, created_at)
SELECT ('00000000-0000-7000-8000-0000000001' || lpad(to_hex(place), 2, '0'))::uuid,
    'Random bot ' || place + 1,
    'random-' || place + 1,
    'en',
    '2026-11-30T00:00:00Z'
FROM generate_series(0, 7) AS place;

-- Matches that were opened by a quick match and may still have a free seat, by all that has to fit.
CREATE TABLE quick_matches (
    fit text NOT NULL,
    match_id uuid NOT NULL,
    PRIMARY KEY (fit, match_id)
);

CREATE INDEX quick_matches_match_idx ON quick_matches (match_id);

-- The match that each call for a quick match came to, so that the same key comes to the same match.
CREATE TABLE quick_match_calls (
    player_id uuid NOT NULL,
    key text NOT NULL,
    match_id uuid NOT NULL,
    PRIMARY KEY (player_id, key)
);
