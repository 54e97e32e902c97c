-- The keys that sign heads and days. All stay, so that old signatures can be checked; one signs now.
--
-- secret: the private key, which every node signs with; none if it is kept in a file.
CREATE TABLE signing_keys (
    kid text PRIMARY KEY,
    x text NOT NULL,
    secret bytea,
    active boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE UNIQUE INDEX signing_keys_active_idx ON signing_keys (active) WHERE active;

-- The final heads of matches.
--
-- date: the day under which it is published, UTC.
CREATE TABLE signed_heads (
    match_id uuid PRIMARY KEY,
    version bigint NOT NULL,
    head text NOT NULL,
    date date NOT NULL,
    kid text NOT NULL REFERENCES signing_keys,
    signature text NOT NULL
);

CREATE INDEX signed_heads_date_idx ON signed_heads (date, match_id);

-- The days that are closed, without a gap from the first one with a match.
CREATE TABLE signed_days (
    date date PRIMARY KEY,
    size integer NOT NULL,
    root text NOT NULL,
    kid text NOT NULL REFERENCES signing_keys,
    signature text NOT NULL
);

-- The levels of each day's Merkle tree, 32 bytes a hash. Kept as they are, so that a hash is read without the rest.
CREATE TABLE day_levels (
    date date NOT NULL REFERENCES signed_days,
    level smallint NOT NULL,
    hashes bytea NOT NULL,
    PRIMARY KEY (date, level)
);

ALTER TABLE day_levels ALTER COLUMN hashes SET STORAGE EXTERNAL;
