-- How many streams of a match each process has open; not logged, as it tells of what is open now.
CREATE UNLOGGED TABLE presence_nodes (
    node uuid PRIMARY KEY,
    lives_until timestamptz NOT NULL
);

-- A seat of -1 stands for those who look on. A seat's row stays when its streams are closed, and tells since when.
CREATE UNLOGGED TABLE match_presence (
    match_id uuid NOT NULL,
    seat smallint NOT NULL,
    node uuid NOT NULL,
    streams integer NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (match_id, seat, node)
);
