-- A command that comes alone is inserted without a subtransaction: that took a transaction number and a record of
-- the log of its own. If a (match, version) is taken already the whole statement fails, of the primary key, which
-- says the same. Everything else is as before.
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
    ELSE
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
    END IF;
    last := lastval();
    PERFORM pg_notify('match_events', '');
END
$body$;
