-- Read model: the list of matches. It follows the log and can be built again from it.
CREATE TABLE match_list (
    match_id uuid PRIMARY KEY,
    game text NOT NULL,
    phase text NOT NULL,
    public boolean NOT NULL,
    players uuid[] NOT NULL,
    opened_at timestamptz NOT NULL,
    match bytea NOT NULL
);

CREATE INDEX match_list_game_idx ON match_list (game, match_id DESC);
CREATE INDEX match_list_players_idx ON match_list USING gin (players);
