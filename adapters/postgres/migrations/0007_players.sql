-- A token has an id to revoke it by, and says what it allows and until when.
ALTER TABLE tokens
    ADD COLUMN token_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{play,read,webhooks}',
    ADD COLUMN expires_at timestamptz;
ALTER TABLE tokens ALTER COLUMN token_id DROP DEFAULT, ALTER COLUMN scopes DROP DEFAULT;
