-- Webhooks, and the outbox of messages to them, which is their log too.
--
-- secret: what signs messages; it must be had whole, so it lies here as it is. secret_before signs too for a while.
-- since, chat_since: what stands up to here in the log of matches, and among the messages of chats, is not told: it was
-- before the webhook, or told long ago.
CREATE TABLE webhooks (
    webhook_id uuid PRIMARY KEY,
    player_id uuid REFERENCES players ON DELETE CASCADE,
    url text NOT NULL,
    target text NOT NULL,
    description text NOT NULL,
    events text[] NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    failing_since timestamptz,
    secret bytea NOT NULL,
    secret_before bytea,
    before_until timestamptz,
    since bigint NOT NULL,
    chat_since bigint NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE INDEX webhooks_player_idx ON webhooks (player_id);

-- position, ordinal: the event in the log of matches, or the message of a chat, and which of the messages that it
-- makes; none for a test. What is told of it is put down once, however often it is read.
-- target: host and port of the webhook, for targets take turns.
-- due_at: when it is tried next, or may be taken over from a process that does not say what became of it; null when
-- it is not pending.
CREATE TABLE webhook_deliveries (
    delivery_id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    position bigint,
    ordinal integer,
    type text NOT NULL,
    match_id uuid,
    target text NOT NULL,
    body bytea NOT NULL,
    state text NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    tried integer NOT NULL DEFAULT 0,
    attempts jsonb NOT NULL DEFAULT '[]',
    UNIQUE (webhook_id, type, position, ordinal)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX webhook_deliveries_log_idx ON webhook_deliveries (webhook_id, delivery_id);
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (target, due_at, delivery_id)
WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX webhook_deliveries_test_idx ON webhook_deliveries (webhook_id)
WHERE type = 'test' AND due_at IS NOT NULL;
