-- An append demands that the version before its first is stored. A node may remember versions that are lost: of an
-- asynchronous failover the new primary knows nothing of the last commits. Without this the next command would be
-- stored over the hole.
--
-- That, too, the primary key tells while inserting, not a search with a plan: the version before is inserted again,
-- behind the events. It is refused silently where it is, and where it was not, all is undone.
CREATE OR REPLACE FUNCTION append_match_events(
    ids uuid[], versions bigint[], topics text[], states bytea[], commands integer[],
    OUT refused integer[], OUT last bigint
) LANGUAGE plpgsql AS $body$
DECLARE
    first integer := 1;
    violated text;
BEGIN
    -- Held to the end of the transaction, so that the order of notification_id is the order of commits and a
    -- reader that moves forward misses nothing. No lock of the table: VACUUM, ANALYZE and the building of indexes
    -- need not wait, nor be waited for.
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.match_events', 0));
    refused := '{}';
    IF commands[1] = commands[cardinality(commands)] THEN
        INSERT INTO match_events (originator_id, originator_version, topic, state)
        SELECT * FROM unnest(ids, versions, topics, states);
        IF versions[1] > 1 THEN
            -- With a notification_id, so that none of the sequence is spent.
            INSERT INTO match_events (originator_id, originator_version, notification_id)
            VALUES (ids[1], versions[1] - 1, -1) ON CONFLICT (originator_id, originator_version) DO NOTHING;
            IF FOUND THEN
                RAISE unique_violation USING
                    CONSTRAINT = 'match_events_pkey',
                    MESSAGE = 'match_events_pkey: the version before is not stored';
            END IF;
        END IF;
    ELSE
        BEGIN
            INSERT INTO match_events (originator_id, originator_version, topic, state)
            SELECT * FROM unnest(ids, versions, topics, states);
            INSERT INTO match_events (originator_id, originator_version, notification_id)
            SELECT id, version - 1, -place
            FROM unnest(ids, versions, commands) WITH ORDINALITY AS event (id, version, command, place)
            WHERE version > 1 AND command IS DISTINCT FROM commands[place - 1]
            ON CONFLICT (originator_id, originator_version) DO NOTHING;
            IF FOUND THEN
                RAISE unique_violation;
            END IF;
        EXCEPTION WHEN unique_violation THEN
            FOR place IN 1 .. cardinality(commands) LOOP
                CONTINUE WHEN commands[place + 1] = commands[first];
                BEGIN
                    INSERT INTO match_events (originator_id, originator_version, topic, state)
                    SELECT * FROM unnest(
                        ids[first:place], versions[first:place], topics[first:place], states[first:place]
                    );
                    IF versions[first] > 1 THEN
                        INSERT INTO match_events (originator_id, originator_version, notification_id)
                        VALUES (ids[first], versions[first] - 1, -1)
                        ON CONFLICT (originator_id, originator_version) DO NOTHING;
                        IF FOUND THEN
                            RAISE unique_violation USING CONSTRAINT = 'match_events_pkey';
                        END IF;
                    END IF;
                EXCEPTION WHEN unique_violation THEN
                    GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
                    IF violated <> 'match_events_pkey' THEN
                        RAISE;
                    END IF;
                    refused := refused || commands[first];
                END;
                first := place + 1;
            END LOOP;
        END;
    END IF;
    last := lastval();
    PERFORM pg_notify('match_events', '');
END
$body$;

-- Matches that cannot be read: an event is missing or not understood. Whoever finds one puts it down; all else goes on.
--
-- version: the first event that cannot be taken in. why: for whoever operates the service.
CREATE TABLE matches_set_aside (
    match_id uuid PRIMARY KEY,
    version bigint NOT NULL,
    why text NOT NULL,
    found_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION set_aside() RETURNS uuid[] LANGUAGE sql STABLE AS $body$
    SELECT coalesce(array_agg(match_id), '{}') FROM matches_set_aside
$body$;
