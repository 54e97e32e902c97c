-- When a process of the service last said that it works, and when none did: players are not charged for that.
CREATE TABLE beats (
    number integer PRIMARY KEY CHECK (number = 1),
    at timestamptz
);
INSERT INTO beats (number) VALUES (1);

-- settled: whether every match whose time ran was looked at; each is moved once for an outage, by the key of the command.
CREATE TABLE outages (
    outage_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    settled boolean NOT NULL DEFAULT false
);
CREATE INDEX outages_ended_idx ON outages (ended_at);
CREATE INDEX outages_unsettled_idx ON outages (outage_id) WHERE NOT settled;

-- Says that the service works, if nobody did so within `every`. No beat for `gap` is an outage, put down by the first
-- beat behind it: in one transaction with that, so once, whichever processes are back at the same moment.
-- Gives how long ago the last beat is.
CREATE FUNCTION beat(every interval, gap interval) RETURNS interval LANGUAGE plpgsql AS $body$
DECLARE
    before timestamptz;
    now_at timestamptz := clock_timestamp();
BEGIN
    SELECT at INTO before FROM beats;
    IF before > now_at - every THEN
        RETURN now_at - before;
    END IF;
    SELECT at INTO before FROM beats FOR UPDATE;
    now_at := clock_timestamp();
    IF before > now_at - every THEN
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
