-- The one way in which events are written: by the group commit and by the library's recorder alike.
--
-- The lock is held to the end of the transaction, so that the order of notification_id is the order of commits and
-- a reader that moves forward misses nothing. It is no lock of the table: VACUUM, ANALYZE and the building of
-- indexes need not wait, nor be waited for. The statements behind it see all that was committed before it was
-- taken, as a function's statements do at READ COMMITTED.
--
-- ids, versions, topics, states, commands: one entry an event, in order; commands numbers the commands from 1.
-- refused: the commands of which a (match, version) is taken already, of which nothing is stored. Of a single
-- command that is not looked for, since the primary key says so by a unique violation, which is cheaper.
-- positions: the notification ids of the events stored, in order.
CREATE FUNCTION append_match_events(
    ids uuid[], versions bigint[], topics text[], states bytea[], commands integer[],
    OUT refused integer[], OUT positions bigint[]
) LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.match_events', 0));
    refused := '{}';
    IF commands[1] <> commands[cardinality(commands)] THEN
        SELECT coalesce(array_agg(DISTINCT event.command), '{}') INTO refused
        FROM (
            SELECT id, version, command, min(command) OVER (PARTITION BY id, version) AS earliest
            FROM unnest(ids, versions, commands) AS given (id, version, command)
        ) AS event
        WHERE event.command > event.earliest OR EXISTS (
            SELECT FROM match_events
            WHERE originator_id = event.id AND originator_version = event.version
        );
    END IF;
    WITH stored AS (
        INSERT INTO match_events (originator_id, originator_version, topic, state)
        SELECT id, version, topic, state
        FROM unnest(ids, versions, topics, states, commands)
            WITH ORDINALITY AS event (id, version, topic, state, command, place)
        WHERE NOT command = ANY (refused)
        ORDER BY place
        RETURNING notification_id
    )
    SELECT coalesce(array_agg(notification_id ORDER BY notification_id), '{}') INTO positions FROM stored;
    PERFORM pg_notify('match_events', '');
END
$body$;
