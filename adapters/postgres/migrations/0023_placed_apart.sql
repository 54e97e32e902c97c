-- Who sat down without having been placed is in the list only: whom a player has blocked, or who has blocked it, may be
-- among them.
CREATE OR REPLACE FUNCTION place_player(
    player uuid, asked_key text, asked text, wanted_fit text, wanted_game text, without uuid[], only_open boolean,
    at timestamptz
) RETURNS TABLE (match_id uuid, digest text, opens boolean, kind integer) LANGUAGE plpgsql AS $body$
#variable_conflict use_column
DECLARE
    aside uuid[] := coalesce((SELECT set_aside())::uuid[], '{}');
    apart uuid[];
    found_match uuid;
    found_free integer;
    found_players uuid[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.quick_matches.' || wanted_fit, 0));

    RETURN QUERY SELECT call.match_id, call.digest, call.opens, 0 FROM quick_match_calls AS call
    WHERE call.player_id = player AND call.key = asked_key AND call.match_id <> ALL (without);
    IF FOUND THEN
        RETURN;
    END IF;

    SELECT waits.match_id INTO found_match FROM (
        SELECT quick.match_id FROM quick_matches AS quick
        WHERE quick.players @> ARRAY[player] AND quick.fit = wanted_fit AND quick.free > 0
        UNION ALL
        SELECT held.match_id FROM quotas AS held
        WHERE held.player_id = player AND held.kind = 'open' AND held.fit = wanted_fit
        UNION ALL
        SELECT listed.match_id FROM match_players AS sits JOIN match_list AS listed ON listed.match_id = sits.match_id
        WHERE sits.player_id = player AND sits.public AND sits.game = wanted_game AND sits.standing = 'open'
            AND sits.seated AND listed.fit = wanted_fit
    ) AS waits
    WHERE waits.match_id <> ALL (without) AND waits.match_id <> ALL (aside)
    ORDER BY waits.match_id LIMIT 1;
    IF found_match IS NOT NULL THEN
        kind := 1;
    ELSIF NOT only_open THEN
        apart := ARRAY(
            SELECT player
            UNION ALL SELECT one.blocked_id FROM player_blocks AS one WHERE one.player_id = player
            UNION ALL SELECT one.player_id FROM player_blocks AS one WHERE one.blocked_id = player
        );
        kind := 2;
        SELECT quick.match_id INTO found_match FROM quick_matches AS quick
        WHERE quick.fit = wanted_fit AND quick.free > 0 AND quick.match_id <> ALL (without)
            AND quick.match_id <> ALL (aside) AND NOT quick.players && apart AND player <> ALL (quick.refused)
            AND NOT EXISTS (
                SELECT FROM match_list AS listed WHERE listed.match_id = quick.match_id AND listed.seated && apart
            )
        ORDER BY quick.match_id LIMIT 1;
        IF found_match IS NOT NULL THEN
            UPDATE quick_matches AS quick
            SET free = quick.free - 1, players = quick.players || player, touched_at = at
            WHERE quick.match_id = found_match;
        ELSE
            SELECT listed.match_id, listed.free_seats, listed.seated INTO found_match, found_free, found_players
            FROM match_list AS listed
            WHERE listed.fit = wanted_fit AND listed.public AND listed.standing = 'open'
                AND listed.match_id <> ALL (without) AND listed.match_id <> ALL (aside) AND NOT listed.seated && apart
                AND NOT EXISTS (
                    SELECT FROM quick_matches AS quick WHERE quick.match_id = listed.match_id
                    AND (quick.touched_at > at - interval '10 seconds' OR player = ANY (quick.refused))
                )
            ORDER BY listed.free_seats, listed.opened_at, listed.match_id LIMIT 1;
            IF found_match IS NOT NULL THEN
                INSERT INTO quick_matches AS quick (match_id, fit, free, players, touched_at)
                VALUES (found_match, wanted_fit, found_free - 1, found_players || player, at)
                ON CONFLICT (match_id) DO UPDATE
                SET free = excluded.free, players = excluded.players, touched_at = excluded.touched_at;
            END IF;
        END IF;
    END IF;

    IF found_match IS NOT NULL THEN
        INSERT INTO quick_match_calls AS call (player_id, key, match_id, digest, opens)
        VALUES (player, asked_key, found_match, asked, false)
        ON CONFLICT (player_id, key) DO UPDATE
        SET match_id = excluded.match_id, digest = excluded.digest, opens = excluded.opens;
        match_id := found_match;
        digest := asked;
        opens := false;
        RETURN NEXT;
    END IF;
END
$body$;
