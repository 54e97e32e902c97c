-- What is said in matches. It holds what people wrote, so it is no part of the log of events: it can be taken away.
--
-- position: the order of commits, of all matches; never shown to clients.
-- addressee: to whom a whisper goes. seat, to_seat: the seats that both held then.
-- key, digest: the author's idempotency key, and what was asked with it.
CREATE TABLE chat_messages (
    message_id uuid PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    match_id uuid NOT NULL,
    room text NOT NULL,
    author uuid REFERENCES players ON DELETE SET NULL,
    seat smallint,
    addressee uuid REFERENCES players ON DELETE SET NULL,
    to_seat smallint,
    text text NOT NULL,
    removed boolean NOT NULL DEFAULT false,
    sent_at timestamptz NOT NULL,
    key text NOT NULL,
    digest text NOT NULL,
    UNIQUE (author, key)
);

CREATE INDEX chat_messages_match_idx ON chat_messages (match_id, position);
CREATE INDEX chat_messages_author_idx ON chat_messages (author, match_id, position);
CREATE INDEX chat_messages_addressee_idx ON chat_messages (addressee) WHERE addressee IS NOT NULL;

-- The players at the table whom a message is for.
CREATE TABLE chat_recipients (
    player_id uuid NOT NULL REFERENCES players ON DELETE CASCADE,
    position bigint NOT NULL REFERENCES chat_messages (position),
    PRIMARY KEY (player_id, position)
);

CREATE TABLE chat_reports (
    report_id uuid PRIMARY KEY,
    message_id uuid NOT NULL REFERENCES chat_messages,
    reporter uuid REFERENCES players ON DELETE SET NULL,
    reason text NOT NULL,
    text text NOT NULL,
    reported_at timestamptz NOT NULL,
    UNIQUE (message_id, reporter)
);

CREATE INDEX chat_reports_reporter_idx ON chat_reports (reporter);

-- With an account goes all that its player wrote.
CREATE FUNCTION forget_chat() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    UPDATE chat_messages SET author = NULL, text = '', removed = true, key = '', digest = ''
    WHERE author = OLD.player_id;
    UPDATE chat_reports SET reporter = NULL, text = '' WHERE reporter = OLD.player_id;
    RETURN OLD;
END
$body$;

CREATE TRIGGER forget_chat BEFORE DELETE ON players FOR EACH ROW EXECUTE FUNCTION forget_chat();

-- The one way in which messages are written. Gives the message; that of before, if the author used the key before;
-- or nothing, if the author has written `messages` of them in the match in the time `within` before `at_time`.
--
-- One call, so that nobody holds the lock while its client is away.
CREATE FUNCTION post_chat_message(
    new_id uuid, of_match uuid, in_room text, by_player uuid, by_seat smallint, to_player uuid, at_seat smallint,
    says text, at_time timestamptz, with_key text, with_digest text, recipients uuid[],
    messages integer, within interval
) RETURNS SETOF chat_messages LANGUAGE plpgsql AS $body$
DECLARE
    placed bigint;
BEGIN
    -- Held to the end of the transaction, so that the order of positions is the order of commits and a reader that
    -- moves forward misses nothing; and nobody is faster by writing through several nodes at once.
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.chat_messages', 0));
    RETURN QUERY SELECT * FROM chat_messages WHERE author = by_player AND key = with_key;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM (
        SELECT sent_at FROM chat_messages WHERE author = by_player AND match_id = of_match
        ORDER BY position DESC OFFSET messages - 1 LIMIT 1
    ) AS earliest WHERE sent_at > at_time - within;
    IF FOUND THEN
        RETURN;
    END IF;
    INSERT INTO chat_messages
        (message_id, match_id, room, author, seat, addressee, to_seat, text, sent_at, key, digest)
    VALUES (
        new_id, of_match, in_room, by_player, by_seat, (SELECT player_id FROM players WHERE player_id = to_player),
        at_seat, says, at_time, with_key, with_digest
    ) RETURNING position INTO placed;
    INSERT INTO chat_recipients (player_id, position)
    SELECT player_id, placed FROM players WHERE player_id = ANY(recipients);
    PERFORM pg_notify('chat_messages', '');
    RETURN QUERY SELECT * FROM chat_messages WHERE position = placed;
END
$body$;
