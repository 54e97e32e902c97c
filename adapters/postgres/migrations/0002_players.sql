-- Personal data live here and nowhere else, so that they can be erased.
CREATE TABLE players (
    player_id uuid PRIMARY KEY,
    display_name text NOT NULL,
    created_at timestamptz NOT NULL
);

-- Of a token only its SHA-256 is known.
CREATE TABLE tokens (
    token_hash bytea PRIMARY KEY,
    player_id uuid NOT NULL REFERENCES players,
    created_at timestamptz NOT NULL
);

-- What is put down for a match before its first event: its secret, and the request that opened it.
CREATE TABLE match_openings (
    player_id uuid NOT NULL,
    key text NOT NULL,
    match_id uuid NOT NULL UNIQUE,
    seed bytea NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (player_id, key)
);
