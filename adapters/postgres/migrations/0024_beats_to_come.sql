-- A beat in the future is none: the clock was set back, or the primary is another machine's now. Without this nobody would
-- say that the service works until that time has come.
CREATE OR REPLACE FUNCTION beat(every interval, gap interval) RETURNS interval LANGUAGE plpgsql AS $body$
DECLARE
    before timestamptz;
    now_at timestamptz := clock_timestamp();
BEGIN
    SELECT at INTO before FROM beats;
    IF before BETWEEN now_at - every AND now_at THEN
        RETURN now_at - before;
    END IF;
    SELECT at INTO before FROM beats FOR UPDATE;
    now_at := clock_timestamp();
    IF before BETWEEN now_at - every AND now_at THEN
        RETURN now_at - before;
    END IF;
    IF before < now_at - gap THEN
        INSERT INTO outages (began_at, ended_at) VALUES (before, now_at);
    ELSE
        -- The loss of a beat with the machine is noticed by none: no need to wait for the disk.
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    UPDATE beats SET at = now_at;
    RETURN interval '0';
END
$body$;
