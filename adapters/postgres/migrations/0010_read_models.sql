-- Read models: they follow the log and can be built again from it.

-- How often each player has played each game, and how that ended.
CREATE TABLE statistics (
    player_id uuid NOT NULL,
    game text NOT NULL,
    played integer NOT NULL,
    won integer NOT NULL,
    lost integer NOT NULL,
    drawn integer NOT NULL,
    shared integer NOT NULL,
    -- Of the lost ones.
    resigned integer NOT NULL,
    timed_out integer NOT NULL,
    -- Of the matches played alone to their end.
    best_score integer,
    PRIMARY KEY (player_id, game)
);

-- How strong each player is at each game, after its rated matches in the order of the log.
CREATE TABLE ratings (
    player_id uuid NOT NULL,
    game text NOT NULL,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    estimate double precision NOT NULL,
    matches integer NOT NULL,
    PRIMARY KEY (player_id, game)
);

CREATE INDEX ratings_leaderboard_idx ON ratings (game, estimate DESC, player_id);
