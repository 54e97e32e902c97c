-- The one way in which events are written: by the group commit and by the library's recorder alike.
--
-- ids, versions, topics, states, commands: one entry an event, in order; commands numbers the commands, the events
-- of each standing together.
-- refused: the commands of which a (match, version) is taken already, of which nothing is stored.
-- last: notification id of the last event stored. The lock is held, so those before it have the ids before it.
--
-- What is taken is not searched for: the primary key finds it while inserting. A search has a plan, and a plan made
-- while the table was small reads all of it for every batch later on. The subtransaction costs next to nothing, and
-- only a batch with a conflict is done again, command by command, which tells exactly which are refused.
CREATE FUNCTION append_match_events(
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
    BEGIN
        INSERT INTO match_events (originator_id, originator_version, topic, state)
        SELECT * FROM unnest(ids, versions, topics, states);
    EXCEPTION WHEN unique_violation THEN
        FOR place IN 1 .. cardinality(commands) LOOP
            CONTINUE WHEN commands[place + 1] = commands[first];
            BEGIN
                INSERT INTO match_events (originator_id, originator_version, topic, state)
                SELECT * FROM unnest(
                    ids[first:place], versions[first:place], topics[first:place], states[first:place]
                );
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
    last := lastval();
    PERFORM pg_notify('match_events', '');
END
$body$;
