-- A webhook is told nothing of a match before its target has echoed a challenge; those that there are count as proved.
ALTER TABLE webhooks ADD COLUMN proved boolean NOT NULL DEFAULT true;
ALTER TABLE webhooks ALTER COLUMN proved SET DEFAULT false;

-- One challenge of a webhook is pending at a time, and so many messages of it at most.
CREATE UNIQUE INDEX webhook_deliveries_challenge_idx ON webhook_deliveries (webhook_id)
WHERE type = 'webhook.challenge' AND due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (webhook_id) WHERE due_at IS NOT NULL;

-- What concerns a player beside the log of matches: that its webhook was paused. They are numbered along with what the
-- log tells, which leaves their numbers out however often it is read; so they stay for good.
--
-- position: among what is said, in the order of commits, by which other processes learn of it.
CREATE TABLE player_notices (
    player_id uuid NOT NULL,
    number bigint NOT NULL,
    position bigint NOT NULL UNIQUE,
    kind text NOT NULL,
    webhook_id uuid NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (player_id, number)
);
