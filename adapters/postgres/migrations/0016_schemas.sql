-- The channel by which a schema says that a table has grown: another deployment in the same database has its own.
CREATE FUNCTION channel(name text) RETURNS text LANGUAGE sql STABLE AS $body$
    SELECT CASE current_schema() WHEN 'public' THEN name
        ELSE name || '_' || left(encode(sha256(convert_to(current_schema(), 'UTF8')), 'hex'), 16)
    END
$body$;

DO $body$
DECLARE
    definition text;
BEGIN
    FOR definition IN
        SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = quote_ident(current_schema())::regnamespace
            AND proname IN ('append_match_events', 'post_chat_message')
    LOOP
        EXECUTE regexp_replace(definition, 'pg_notify\((''[a-z_]+''), ''''\)', 'pg_notify(channel(\1), '''')');
    END LOOP;
END
$body$;

-- What a trigger does is done in the schema of its table, whatever the path of whoever sets it off.
ALTER FUNCTION forget_chat() SET search_path FROM CURRENT;
