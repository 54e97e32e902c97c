-- Read models: they follow the log and can be built again from it.

-- The list of matches, made anew for more filters.
--
-- standing: `open` while a seat is free, `full` while all are taken and a word is waited for; else the phase.
-- Every list is a few of (game, standing), each in the order of an index: whatever is asked for, a page reads some
-- dozens of rows for each, however many matches there are.
DROP TABLE match_list;

DELETE FROM match_tracking WHERE application_name = 'match_list';

CREATE TABLE match_list (
    match_id uuid PRIMARY KEY,
    game text NOT NULL,
    standing text NOT NULL,
    public boolean NOT NULL,
    opened_at timestamptz NOT NULL,
    free_seats smallint NOT NULL,
    -- The same for matches that are opened alike.
    fit text NOT NULL,
    -- Who holds a seat; and who may know of it though it is private.
    seated uuid[] NOT NULL,
    known uuid[] NOT NULL,
    match bytea NOT NULL
);

CREATE INDEX match_list_public_idx ON match_list (game, standing, opened_at, match_id) WHERE public;

CREATE INDEX match_list_known_idx ON match_list USING gin (known) WITH (fastupdate = off) WHERE NOT public;

CREATE INDEX match_list_fit_idx ON match_list (fit, free_seats, opened_at, match_id)
WHERE public AND standing = 'open';

CREATE INDEX match_list_waiting_idx ON match_list (opened_at, match_id) WHERE standing IN ('open', 'full');

-- The public matches in which each player has a seat, and the private ones that it may know of.
CREATE TABLE match_players (
    match_id uuid NOT NULL,
    player_id uuid NOT NULL,
    game text NOT NULL,
    standing text NOT NULL,
    public boolean NOT NULL,
    seated boolean NOT NULL,
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (match_id, player_id)
);

CREATE INDEX match_players_idx ON match_players (player_id, public, game, standing, opened_at, match_id)
INCLUDE (seated);

-- Every seat that must choose now.
CREATE TABLE match_turns (
    match_id uuid NOT NULL,
    seat smallint NOT NULL,
    player_id uuid NOT NULL,
    kind text NOT NULL,
    game text NOT NULL,
    opened_at timestamptz NOT NULL,
    -- When its time is up.
    deadline timestamptz,
    PRIMARY KEY (match_id, seat)
);

CREATE INDEX match_turns_player_idx ON match_turns (player_id, game, opened_at, match_id);

CREATE INDEX match_turns_deadline_idx ON match_turns (deadline, match_id, seat) WHERE deadline IS NOT NULL;

CREATE INDEX match_turns_bot_idx ON match_turns (match_id, seat) WHERE kind = 'bot';

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

-- What concerns each player in the log of matches, numbered for each player on its own: the number is shown, the
-- position in the log is not, as it counts what the player may not know of.
CREATE TABLE player_feed (
    player_id uuid NOT NULL,
    number bigint NOT NULL,
    position bigint NOT NULL,
    kind text NOT NULL,
    match_id uuid NOT NULL,
    game text NOT NULL,
    version bigint NOT NULL,
    seat smallint,
    at timestamptz NOT NULL,
    PRIMARY KEY (player_id, number)
);

CREATE INDEX player_feed_position_idx ON player_feed (position);

-- For whom something was said, in the order in which it was.
CREATE INDEX chat_recipients_position_idx ON chat_recipients (position);
