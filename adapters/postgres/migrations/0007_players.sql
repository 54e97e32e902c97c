-- What an account says of its player.
ALTER TABLE players
    ADD COLUMN avatar_seed text NOT NULL DEFAULT '',
    ADD COLUMN locale text NOT NULL DEFAULT 'en';
UPDATE players SET avatar_seed = right(player_id::text, 8);
ALTER TABLE players ALTER COLUMN avatar_seed DROP DEFAULT, ALTER COLUMN locale DROP DEFAULT;

-- A token has an id to revoke it by, and says what it allows and until when.
ALTER TABLE tokens
    ADD COLUMN token_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{play,read,webhooks}',
    ADD COLUMN expires_at timestamptz;
ALTER TABLE tokens ALTER COLUMN token_id DROP DEFAULT, ALTER COLUMN scopes DROP DEFAULT;
CREATE INDEX tokens_player_idx ON tokens (player_id, token_id DESC);

-- To erase a player is to delete its row here: all else that is kept of a player beside the log of matches refers to
-- it and goes with it. A table that holds something personal has such a reference, with an index; nothing else is
-- needed for erasure. The log, the openings of matches and what follows from them know a player by its id only.
ALTER TABLE tokens
    DROP CONSTRAINT tokens_player_id_fkey,
    ADD FOREIGN KEY (player_id) REFERENCES players ON DELETE CASCADE;

-- Whom an OpenID Connect issuer knows a player as.
CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    player_id uuid NOT NULL REFERENCES players ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_player_idx ON identities (player_id);
