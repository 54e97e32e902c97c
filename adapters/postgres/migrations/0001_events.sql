-- The tables of the event-sourcing library (9.5.6), as its recorders expect them.
CREATE TABLE match_events (
    originator_id uuid NOT NULL,
    originator_version bigint NOT NULL,
    topic text,
    state bytea,
    notification_id bigserial,
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true,
    autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
);

CREATE UNIQUE INDEX match_events_notification_id_idx ON match_events (notification_id ASC);

CREATE TABLE match_snapshots (
    originator_id uuid NOT NULL,
    originator_version bigint NOT NULL,
    topic text,
    state bytea,
    PRIMARY KEY (originator_id, originator_version)
);

CREATE TABLE match_tracking (
    application_name text PRIMARY KEY,
    notification_id bigint
);

CREATE TYPE stored_event_uuid AS (
    originator_id uuid,
    originator_version bigint,
    topic text,
    state bytea
);
