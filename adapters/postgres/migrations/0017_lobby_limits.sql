-- Whom players have blocked.
CREATE TABLE player_blocks (
    player_id uuid NOT NULL REFERENCES players ON DELETE CASCADE,
    blocked_id uuid NOT NULL REFERENCES players ON DELETE CASCADE,
    blocked_at timestamptz NOT NULL,
    PRIMARY KEY (player_id, blocked_id)
);

CREATE INDEX player_blocks_blocked_idx ON player_blocks (blocked_id);

-- What players have of which they may have so much at a time: matches that they opened and that have not begun (open),
-- matches that they opened and that bots alone play (bots), and players whom they invited (invitation).
CREATE TABLE quotas (
    match_id uuid NOT NULL,
    kind text NOT NULL,
    player_id uuid NOT NULL,
    -- Who is invited; the player itself for all else.
    about_id uuid NOT NULL,
    since timestamptz NOT NULL,
    -- The same for open matches that are opened alike.
    fit text NOT NULL,
    PRIMARY KEY (match_id, kind, player_id, about_id)
);

CREATE INDEX quotas_player_idx ON quotas (player_id, kind);

CREATE INDEX quotas_since_idx ON quotas (since);

-- Matches that players who look for one were placed in of late, each with the seats that are set aside: what the list
-- of matches does not know yet. It is only a hint to where there may be a seat, and can be lost.
DROP TABLE quick_matches;

CREATE TABLE quick_matches (
    match_id uuid PRIMARY KEY,
    -- The same for matches that are opened alike.
    fit text NOT NULL,
    free smallint NOT NULL,
    players uuid[] NOT NULL,
    -- Whom the match has turned away.
    refused uuid[] NOT NULL DEFAULT '{}',
    touched_at timestamptz NOT NULL
);

CREATE INDEX quick_matches_fit_idx ON quick_matches (fit, match_id) WHERE free > 0;

CREATE INDEX quick_matches_players_idx ON quick_matches USING gin (players) WITH (fastupdate = off);

CREATE INDEX quick_matches_touched_idx ON quick_matches (touched_at);

-- What was asked with a key, and whether its player is the one who opens the match.
ALTER TABLE quick_match_calls
    ADD COLUMN digest text NOT NULL DEFAULT '',
    ADD COLUMN opens boolean NOT NULL DEFAULT false;

-- Who invites, of an invitation.
ALTER TABLE player_feed ADD COLUMN inviter_id uuid;
