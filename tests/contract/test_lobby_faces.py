"""What brings players together is the same over REST and gRPC: what can be done, and what is refused why."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.bots.accounts import BOTS
from services.players.store import Scope
from tests.support.faces.lobby_faces import Rest, Table, over_grpc, rest
from tests.support.stores.use_cases import memory_stores


@pytest.fixture(params=["rest", "grpc"])
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """Players at each face."""
    stores = memory_stores()
    async with (rest if request.param == "rest" else over_grpc)(stores) as face:
        table = Table(face, stores)
        await table.gather()
        yield table


async def test_a_private_match_from_its_opening_to_its_rematch(table: Table) -> None:
    """Invited by name and by link, freed of a seat, filled with a bot, started, given up, played again."""
    terms: dict[str, Any] = {
        "visibility": "private",
        "start": "manual",
        "disclosure": "never",
        "memory_aid": "off",
        "on_time_out": "default_move",
        "chat": "off",
        "rated": False,
        "time_control": {"kind": "reserve", "seconds": 300, "increment": 5},
        "options": {"first_seat": 0} if isinstance(table.face, Rest) else {"first_seat": "FIRST_SEAT_0"},
    }
    opened = await table.done("Ann", "CreateMatch", game="mountains", seats=3, seat=0, **terms)
    agreed = {name: opened.content[name] for name in terms if name not in {"options", "time_control"}}
    assert agreed == {name: terms[name] for name in agreed}
    assert terms["time_control"].items() <= opened.content["time_control"].items()
    id = opened.id
    assert await table.refused("Ben", "GetMatch", match=id) == ("404", "NO_SUCH_MATCH")
    await table.done("Ann", "InvitePlayer", match=id, player=table.ids["Ben"])
    await table.done("Ben", "TakeSeat", match=id, seat=1)
    link = (await table.done("Ben", "GetInvitation", match=id)).content
    assert link["match"] == id
    assert link["path"] == f"/v1/matches/{id}?invitation={link['invitation']}"
    shown = {"match": id, "invitation": link["invitation"]}
    for call in ("GetMatch", "GetView", "ListEvents"):
        for who in ("Cam", None):
            await table.done(who, call, **shown)
    assert await table.refused("Cam", "ListLegalMoves", **shown) == ("403", "NOT_SEATED")
    await table.done("Cam", "TakeSeat", seat=2, entropy="luck", **shown)
    assert (await table.done("Ann", "LeaveSeat", match=id, seat=2)).seated == ["Ann", "Ben", None]
    assert await table.refused("Cam", "TakeSeat", seat=2, **shown) == ("404", "NO_SUCH_MATCH")
    await table.done("Ann", "TakeSeat", match=id, seat=2, bot="random")
    begun = await table.done("Ann", "StartMatch", match=id)
    assert (begun.content["state"], begun.seated) == ("playing", ["Ann", "Ben", "Random bot 3"])
    await table.done("Ben", "LeaveSeat", match=id, seat=1)
    over = await table.done("Ann", "LeaveSeat", match=id, seat=0)
    assert over.content["state"] == "finished"
    again = await table.done("Ben", "Rematch", match=id, entropy="luck")
    assert (again.content["rematch_of"], again.seated) == (id, [None, "Ben", "Random bot 3"])
    assert (await table.done("Ann", "Rematch", match=id)).id == again.id
    assert (await table.done("Ben", "CancelMatch", match=again.id)).content["state"] == "cancelled"


async def test_players_find_one_another(table: Table) -> None:
    """Two who want the same play together; a third who wants something else waits; a key leads back."""
    wish: dict[str, Any] = {"game": "mountains", "seats": 2, "chat": "off", "rated": False}
    first = await table.done("Ann", "QuickMatch", key="k", entropy="luck", **wish)
    assert (first.content["state"], first.seated) == ("open", ["Ann", None])
    other = await table.done("Cam", "QuickMatch", game="mountains", seats=2)
    second = await table.done("Ben", "QuickMatch", **wish)
    assert (second.id, second.content["state"], second.seated) == (first.id, "playing", ["Ann", "Ben"])
    assert other.id != first.id
    assert await table.done("Ann", "QuickMatch", key="k", entropy="luck", **wish) == first
    reused = await table.refused("Ann", "QuickMatch", key="k", **wish)
    assert reused == ("422", "IDEMPOTENCY_KEY_REUSED")


async def test_a_key_gives_the_same_answer(table: Table) -> None:
    """Whatever is asked for twice with it happens once."""
    id = await table.opened(start="manual")
    steps: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("Ann", "InvitePlayer", {"player": table.ids["Ben"]}),
        ("Ben", "TakeSeat", {"seat": 1}),
        ("Ben", "LeaveSeat", {"seat": 1}),
        ("Ann", "TakeSeat", {"seat": 1, "bot": "random"}),
        ("Ann", "StartMatch", {}),
        ("Ann", "LeaveSeat", {"seat": 0}),
        ("Ann", "Rematch", {}),
    )
    for number, (who, call, fields) in enumerate(steps):
        first = await table.done(who, call, match=id, key=str(number), **fields)
        assert await table.done(who, call, match=id, key=str(number), **fields) == first


async def test_what_is_refused_before_a_match_begins(table: Table) -> None:
    """Each by its reason, none by a fault: who may not, what is taken, who does not exist."""
    id, nobody = await table.opened(), "player_" + "0" * 26
    refusals: tuple[tuple[str | None, str, dict[str, Any], str, str], ...] = (
        (None, "TakeSeat", {"seat": 1}, "401", "TOKEN_MISSING"),
        ("Ann", "TakeSeat", {"seat": 1}, "422", "ALREADY_SEATED"),
        ("Ben", "TakeSeat", {"seat": 0}, "422", "SEAT_TAKEN"),
        ("Ben", "TakeSeat", {"seat": 2}, "422", "NO_SUCH_SEAT"),
        ("Ben", "TakeSeat", {"seat": 1, "entropy": "x" * 257}, "400", "INVALID_FIELD"),
        ("Ben", "TakeSeat", {"seat": 1, "bot": "random"}, "403", "NOT_THE_OPENER"),
        ("Ann", "TakeSeat", {"seat": 1, "bot": "deep"}, "404", "NO_SUCH_BOT"),
        ("Ann", "TakeSeat", {"seat": 9, "bot": "random"}, "422", "NO_SUCH_SEAT"),
        ("Ben", "LeaveSeat", {"seat": 0}, "403", "NOT_YOUR_SEAT"),
        ("Ann", "LeaveSeat", {"seat": 1}, "422", "SEAT_FREE"),
        ("Ann", "LeaveSeat", {"seat": 9}, "422", "NO_SUCH_SEAT"),
        ("Ben", "StartMatch", {}, "403", "NOT_THE_OPENER"),
        ("Ann", "StartMatch", {}, "422", "SEATS_FREE"),
        ("Ben", "CancelMatch", {}, "403", "NOT_THE_OPENER"),
        ("Ben", "InvitePlayer", {"player": table.ids["Cam"]}, "403", "NOT_SEATED"),
        ("Ann", "InvitePlayer", {"player": nobody}, "404", "NO_SUCH_PLAYER"),
        ("Ann", "InvitePlayer", {"player": "Ben"}, "404", "NO_SUCH_PLAYER"),
        ("Ann", "InvitePlayer", {"player": table.ids["Ann"]}, "422", "ALREADY_SEATED"),
        ("Ben", "GetInvitation", {}, "403", "NOT_SEATED"),
        ("Ben", "Rematch", {}, "403", "NOT_SEATED"),
        ("Ann", "Rematch", {}, "422", "MATCH_NOT_OVER"),
    )
    for who, call, fields, code, reason in refusals:
        assert await table.refused(who, call, match=id, **fields) == (code, reason), (who, call, fields)
    for who, call, fields, *_ in refusals[1:]:
        for unknown in ("match_none", "match_" + "0" * 26):
            if len(fields.get("entropy", "")) < 257:
                told = await table.refused(who, call, match=unknown, **fields)
                assert told == ("404", "NO_SUCH_MATCH"), (who, call)


async def test_what_is_refused_once_a_match_has_begun(table: Table) -> None:
    """Nobody joins, is invited or thrown out, and nothing is cancelled."""
    id = await table.begun()
    late: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("Cam", "TakeSeat", {"seat": 1}),
        ("Ann", "TakeSeat", {"seat": 1, "bot": "random"}),
        ("Ann", "LeaveSeat", {"seat": 1}),
        ("Ann", "StartMatch", {}),
        ("Ann", "CancelMatch", {}),
        ("Ann", "InvitePlayer", {"player": table.ids["Cam"]}),
    )
    for who, call, fields in late:
        assert await table.refused(who, call, match=id, **fields) == ("422", "MATCH_STARTED"), (who, call)
    await table.done("Ben", "LeaveSeat", match=id, seat=1)
    assert await table.refused("Ann", "LeaveSeat", match=id, seat=0) == ("422", "MATCH_OVER")
    again = await table.done("Ann", "Rematch", match=id)
    assert await table.refused("Cam", "TakeSeat", match=again.id, seat=1) == ("403", "NOT_INVITED")


async def test_what_cannot_be_opened(table: Table) -> None:
    """Games, seats and time controls that do not exist, for a match of one's own and for a quick match."""
    bad: tuple[tuple[dict[str, Any], str, str], ...] = (
        ({"game": "chess"}, "404", "NO_SUCH_GAME"),
        ({"game": "mountains", "seats": 9}, "422", "SEATS_OUT_OF_RANGE"),
        (
            {"game": "mountains", "time_control": {"kind": "none", "seconds": 5}},
            "422",
            "TIME_CONTROL_INVALID",
        ),
        ({"game": "mountains", "time_control": {"kind": "per_move"}}, "422", "TIME_CONTROL_INVALID"),
        ({"game": "mountains", "time_control": {"kind": "days", "days": 31}}, "422", "TIME_CONTROL_INVALID"),
        ({"game": "mountains", "entropy": "a\nb"}, "400", "INVALID_FIELD"),
        ({"game": "montana", "options": {"redeals": 10}}, "400", "INVALID_FIELD"),
    )
    for fields, code, reason in bad:
        for call in ("CreateMatch", "QuickMatch"):
            assert await table.refused("Ann", call, **fields) == (code, reason), (call, fields)


async def test_a_token_for_bots_seats_a_bot(table: Table) -> None:
    """However it comes to its seat; the bot plays for its player."""
    await table.limit("Ben", Scope.BOT)
    wish = {"game": "mountains", "seats": 2}
    taken = await table.done("Ben", "TakeSeat", match=await table.opened(), seat=1)
    await table.done("Ann", "QuickMatch", **wish)
    joined = await table.done("Ben", "QuickMatch", **wish)
    await table.done("Ben", "LeaveSeat", match=joined.id, seat=1)
    again = await table.done("Ben", "Rematch", match=joined.id)
    own = await table.done("Ben", "CreateMatch", seat=1, **wish)
    for match in (taken, joined, again, own):
        seat = match.content["seats"][1]
        assert seat["player"]["id"] == table.ids["Ben"]
        assert seat["kind"].lower().endswith("bot")


async def test_a_token_for_reading_changes_nothing(table: Table) -> None:
    """Nor does it get the link of its player's match, which lets others sit down."""
    id = await table.opened()
    await table.limit("Ann", Scope.READ)
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("TakeSeat", {"seat": 1, "bot": "random"}),
        ("LeaveSeat", {"seat": 0}),
        ("StartMatch", {}),
        ("CancelMatch", {}),
        ("InvitePlayer", {"player": table.ids["Ben"]}),
        ("GetInvitation", {}),
        ("Rematch", {}),
    )
    for call, fields in calls:
        assert await table.refused("Ann", call, match=id, **fields) == ("403", "SCOPE_MISSING"), call
    assert await table.refused("Ann", "QuickMatch", game="mountains") == ("403", "SCOPE_MISSING")


async def test_the_bots_of_the_server(table: Table) -> None:
    """They are listed to everybody, by the names that they are asked for by."""
    bots = await table.face.bots()
    assert [bot["name"] for bot in bots] == list(BOTS)
    for bot in bots:
        assert bot["description"].endswith(".")
        await table.done("Ann", "TakeSeat", match=await table.opened(), seat=1, bot=bot["name"])


async def test_a_player_has_so_much_at_a_time(table: Table) -> None:
    """Open matches, matches that bots play alone, and pending invitations; each has its reason."""
    wish = {"game": "mountains", "seats": 2}
    for _ in range(20):
        id = await table.opened()
    for call in ("CreateMatch", "QuickMatch"):
        fields = wish | {"seats": 3}
        assert await table.refused("Ann", call, **fields) == ("422", "TOO_MANY_OPEN_MATCHES")
    assert (await table.done("Ann", "QuickMatch", **wish)).seated == ["Ann", None]
    await table.done("Ann", "CancelMatch", match=id)
    # What ends is noted after the answer; PostgreSQL looks it up in the log, too.
    await asyncio.sleep(0)
    assert (await table.done("Ann", "CreateMatch", **wish)).content["state"] == "open"
    for number in range(6):
        bots = (await table.done("Ben", "CreateMatch", **wish)).id
        await table.done("Ben", "TakeSeat", match=bots, seat=0, bot="random")
        asked = {"match": bots, "seat": 1, "bot": "random"}
        if number < 5:
            await table.done("Ben", "TakeSeat", **asked)
    assert await table.refused("Ben", "TakeSeat", **asked) == ("422", "TOO_MANY_BOT_MATCHES")
    games = [(await table.done("Cam", "CreateMatch", **wish)).id for _ in range(2)]
    guests = [(await table.face.account(f"Guest {number}"))[0] for number in range(26)]
    for game in games:
        for guest in guests[:25]:
            await table.done("Cam", "InvitePlayer", match=game, player=guest)
    asked = {"match": games[0], "player": guests[25]}
    assert await table.refused("Cam", "InvitePlayer", **asked) == ("422", "TOO_MANY_INVITATIONS")
