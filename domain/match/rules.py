"""The rules that all games have in common, as refusals and the catalogue cite them: `common §1` to `§10`."""

from domain.shared.catalogues import Clause

COMMON = "common"
"""What the rules are called, where a game's own are called by its id."""
RULESET = "common/1"

RULES = (
    Clause(
        "§1",
        "Turn order. Seats are numbered from 0 in turn order. In games of two or more seats first_seat is "
        "an option: a seat of the match, or random, which is the default. A player holds one seat of a "
        "match at most, and play begins when every seat is held. Until then seats are taken, given up and "
        "given away, players are invited, at most 100 to a match, and the match may be cancelled; after "
        "1,000 commands nobody else sits down or is invited. A player whose seat was taken away by the "
        "opener does not come back. Once play has begun only a seat that to_act names may act, resigning "
        "excepted (§6). After the end no command is accepted. A branch begins on a table of a match that "
        "was played up to there; its one player holds all its seats, nobody else takes part, and what "
        "needs an ended match, such as a rematch, waits for the end. A refusal for any of this cites this "
        "clause: not to act, match over, no such seat. The number of seats and options are clauses §2 of "
        "a game, unknown commands and fields its §4.",
    ),
    Clause(
        "§2",
        "Numbers and notation. What is counted by position is numbered from 0: seats, rows, columns, "
        "mountains, piles. A card of Montana is its rank and suit (10D); a Muse or dragon card its "
        "colour, a hyphen and its value (blue-5, light_blue-3); cards of Montanara and equipment are "
        "their kind, and nothing tells alike ones apart. A list of cards is a multiset: any order is "
        "accepted, events and views hold it in the order of §9, and alike choices appear once among the "
        "legal moves. Where order is the point it is kept: a pile that is seen or arranged has its top "
        "first, a discard pile its oldest card first. An optional field that is null is absent. A field "
        "that the command does not have is refused as unknown.",
    ),
    Clause(
        "§3",
        "What waits. The command that begins a turn always waits, even if only one is legal. Within a "
        "turn a step with one possible answer happens by itself only where the game's rules say so, and "
        "they say so only where that never depends on hidden cards. A choice that may be declined has a "
        "command for declining.",
    ),
    Clause(
        "§4",
        "Chance. All chance comes from the seed that the match is committed to (but for a deal number of "
        "Montana); what it gave is in the events. A deal takes the shuffled list from its front: hands by "
        "seat number, a whole hand at a time; then piles in their order, the top card first. The draws of "
        "each game are listed with its rules.",
    ),
    Clause(
        "§5",
        "Secrets. A seat learns what it was shown privately in its own events; others learn only that it "
        "looked, and at what. A refusal, a waiting or not waiting, a count or an order tells a viewer "
        "nothing that it may not know. A view shows the table as it stands; what was seen before is in "
        "the events (but for the memory aid of Montanara).",
    ),
    Clause(
        "§6",
        "Resigning. resign() is open to every seat that has not resigned, at any time of play. If one "
        "other seat is left the match ends and that seat wins (resigned); a match of one seat is lost. If "
        "more are left the match goes on: the seat that resigned is out of the ranking, keeps its place, "
        "and makes its default move (§7) by itself whenever it is to act. Such a match ends by the game's "
        "own rules, won or shared; scores list every seat, winners never one that has resigned.",
    ),
    Clause(
        "§7",
        "Time and default moves. A match may have a time control: none; seconds for each move (per_move), "
        "1 to 86,400; a reserve of seconds for the whole match, 1 to 86,400, with 0 to 3,600 seconds more "
        "for each move; or days for each move, 1 to 30. A seat's time runs while it is to act. A seat "
        "whose time is up may still resign, and makes no other command; by the terms of the match it "
        "resigns, or makes its default move. That is the first of these that is legal: decline_look, "
        "stop_drilling, place_drilled at the bottom, decline_contract, pick, draw, decline_hike, "
        "abandon_hike, decline_offer; where several moves have that name the first as listed, and else "
        "the first legal move as listed (§9). It is never to resign. An outage of the service is charged "
        "to nobody.",
    ),
    Clause(
        "§8",
        "Outcome. A match ends as won (one winner), shared (several), drawn (Montanara only), lost (one "
        "seat), resigned or timed_out. Scores are those of the game, by seat. A match whose terms limit "
        "its commands ends with the last one that it may have: lost if it has one seat, else shared by "
        "all who have not resigned.",
    ),
    Clause(
        "§9",
        "Order of legal moves. By command in the order in which the game's §4 names them; then by "
        "arguments: numbers rising; names, kinds and words in the order in which the game's rules name "
        "them first; cards by suit or colour, then value; false before true; lists by their first "
        "difference, a list before those that continue it.",
    ),
    Clause(
        "§10",
        "After the end. Views and events show every viewer the whole table (disclosure at_end, the "
        "default), or each viewer still only its own (never). Beside the options of its game a match has "
        "disclosure, and memory_aid, on by default or off, where the game defines what a seat knows. A "
        "match that ends by resignation or time in the middle of a phase leaves the table as it stands: a "
        "played or lifted card stays where it was.",
    ),
)
