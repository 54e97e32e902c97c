-- Read model: what the service itself has to see to. It follows the log and can be built again from it.
CREATE TABLE match_agenda (
    match_id uuid PRIMARY KEY,
    -- While the match waits for players.
    opened_at timestamptz,
    -- While it is played with clocks: when the first seat's time is up.
    deadline timestamptz,
    -- The bots that are to act, by seat.
    bots uuid[] NOT NULL
);

CREATE INDEX match_agenda_opened_idx ON match_agenda (opened_at, match_id) WHERE opened_at IS NOT NULL;
CREATE INDEX match_agenda_deadline_idx ON match_agenda (deadline, match_id) WHERE deadline IS NOT NULL;
CREATE INDEX match_agenda_bots_idx ON match_agenda (match_id) WHERE bots <> '{}';
