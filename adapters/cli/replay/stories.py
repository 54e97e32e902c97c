"""Where a replay comes from: a running server, or the bundle of a match."""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import AnyMatch, event_types, evolve, seen
from domain.shared.game import edition
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, ViewerKind, seated
from services.matches.views import SeenEvent, view
from services.proof.bundles import EventLine, Header, lines_of, read_line
from services.shared.ids import MatchId

TIMEOUT = 30
"""Seconds to wait for an answer."""
PAGE = 200
OWN_SEAT = "seat"
"""From where a player looks who has a seat: that."""


class ReplayFailed(Exception):  # noqa: N818 - an answer to be printed
    """The match cannot be replayed; the message says why, in one line."""


class Story(NamedTuple):
    """A match as one viewer may see it.

    Attributes:
        match: Its id.
        ruleset: Edition of the rules.
        viewer: From where it is looked at.
        names: What the seats are called, in seat order.
        events: What happened, in order.
        view: Gives the view at a version, as REST has it; None where the source cannot tell.
    """

    match: str
    ruleset: str
    viewer: Viewer
    names: tuple[str, ...]
    events: tuple[SeenEvent[Any], ...]
    view: Callable[[int], dict[str, Any] | None]


def served(
    url: str, match: str, *, token: str | None, looking_as: str | None, invitation: str | None
) -> Story:
    """Return a match that a running server has.

    Args:
        url: Where REST is served.
        match: The match's id.
        token: The caller's bearer token.
        looking_as: `seat` for the caller's own, a seat's number, `spectator` or `all`; None for the own seat,
            or else a spectator.
        invitation: The invitation to a private match.

    Raises:
        ReplayFailed: There is no such match, the caller may not look from there, or the server is away.
    """
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    wanted = {"as": None if looking_as == OWN_SEAT else looking_as, "invitation": invitation}
    asked = {name: value for name, value in wanted.items() if value is not None}
    client = httpx.Client(base_url=url.rstrip("/") + "/v1", headers=headers, timeout=TIMEOUT)

    def view_at(version: int) -> dict[str, Any]:
        shown: dict[str, Any] = _answer(client, f"/matches/{match}/view", asked | {"version": str(version)})
        return shown

    invited = {} if invitation is None else {"invitation": invitation}
    summary = _answer(client, f"/matches/{match}", invited)
    viewer = msgspec.convert(_answer(client, f"/matches/{match}/view", asked)["viewer"], Viewer)
    if looking_as == OWN_SEAT and viewer.seat is None:
        raise ReplayFailed("the caller has no seat in this match: MONTANE_TOKEN says who calls")
    names = tuple(
        f"seat {seat['seat']}" if seat["player"] is None else seat["player"]["display_name"] or "nameless"
        for seat in summary["seats"]
    )
    events = tuple(_events(client, match, asked))
    return Story(match, summary["ruleset"], viewer, names, events, view_at)


def _events(client: httpx.Client, match: str, asked: dict[str, str]) -> Iterator[SeenEvent[Any]]:
    after = "0"
    while after is not None:
        query = asked | {"after": after, "page_size": str(PAGE)}
        page = _answer(client, f"/matches/{match}/events", query)
        yield from msgspec.convert(page["items"], list[SeenEvent[Any]])
        after = page["next_page_token"]


def _answer(client: httpx.Client, path: str, query: dict[str, str]) -> Any:
    """Return what the server answers.

    Raises:
        ReplayFailed: It does not, or with a problem.
    """
    try:
        answer = client.get(path, params=query)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ReplayFailed(f"no answer from {client.base_url}: {error}") from error
    try:
        said = msgspec.json.decode(answer.content)
        if answer.is_success:
            return said
        problem = f"{said['detail']} ({said['reason']})"
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise ReplayFailed(f"{client.base_url} does not answer as Montane does") from error
    raise ReplayFailed(problem)


def bundled(path: Path, *, looking_as: str | None) -> Story:
    """Return the match of a bundle.

    One for the viewer that sees all can be looked at from everywhere, with the table; any other as its viewer
    saw it, and it has no table. Whether it tells the truth is not checked: `montane verify` does that.

    Raises:
        ReplayFailed: It is no bundle, or cannot be looked at from there.
    """
    header, lines = _read(path)
    wanted = _viewer(looking_as, header)
    whole = header.viewer.kind is ViewerKind.ALL
    if not whole and wanted != header.viewer:
        raise ReplayFailed(f"{path} shows the match as {called(header.viewer)} saw it only")
    shown = _Folded(header, lines) if whole else None
    events = tuple(
        line if shown is None else replace(line, payload=shown.payload(line.version, wanted))
        for line in lines
    )
    names = tuple(f"seat {seat}" for seat in range(header.seats))
    view_at = (lambda version: None) if shown is None else (lambda version: shown.view(version, wanted))
    return Story(header.match, header.ruleset, wanted, names, events, view_at)


class _Folded:
    """The match of a whole bundle, at every version."""

    def __init__(self, header: Header, lines: list[EventLine[Any]]) -> None:
        """Fold it.

        Raises:
            ReplayFailed: Its edition of the game is not known here, or the events are not of it.
        """
        known = GAMES.get(header.game)
        game = None if known is None else edition(known, header.ruleset)
        if game is None:
            raise ReplayFailed(f"{header.game} under {header.ruleset} is not known here")
        kind: Any = reduce(or_, event_types(game))
        self._game, self._id = game, MatchId(header.match)
        self._events: list[Any] = []
        self._matches: list[AnyMatch] = []
        match: AnyMatch | None = None
        try:
            for line in lines:
                self._events.append(msgspec.convert(line.payload, kind))
                match = evolve(game, match, self._events[-1])
                self._matches.append(match)
        except (msgspec.ValidationError, ValueError, LookupError) as error:
            raise ReplayFailed(f"the events are none of {header.ruleset}: {error}") from error

    def payload(self, version: int, viewer: Viewer) -> dict[str, Any]:
        """Return what a viewer may know of an event."""
        return _as_json(seen(self._game, self._events[version - 1], viewer))

    def view(self, version: int, viewer: Viewer) -> dict[str, Any]:
        """Return what a viewer may know of the match at a version."""
        match = self._matches[version - 1]
        return _as_json(view(self._game, self._id, match, version, viewer))


def _as_json(value: Any) -> dict[str, Any]:
    """Return a value as REST would have sent it."""
    said: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return said


def _read(path: Path) -> tuple[Header, list[EventLine[Any]]]:
    try:
        with path.open("rb") as file:
            first, *others = map(read_line, lines_of(file))
    except (OSError, ValueError) as error:
        raise ReplayFailed(f"{path} cannot be read as a bundle: {error}") from error
    lines = [line for line in others if isinstance(line, EventLine)]
    if not isinstance(first, Header) or [line.version for line in lines] != list(range(1, len(lines) + 1)):
        raise ReplayFailed(f"{path} is no bundle of a match")
    return first, lines


def _viewer(looking_as: str | None, header: Header) -> Viewer:
    match looking_as:
        case None:
            return header.viewer
        case "spectator":
            return SPECTATOR
        case "all":
            return ALL_SEEING
        case text if text.isascii() and text.isdigit() and int(text) < header.seats:
            return seated(Seat(int(text)))
    raise ReplayFailed(f"--as must be a seat's number below {header.seats}, spectator or all")


def called(viewer: Viewer) -> str:
    """Return what a viewer is called."""
    match viewer.kind:
        case ViewerKind.SEAT:
            return f"seat {viewer.seat}"
        case ViewerKind.SPECTATOR:
            return "a spectator"
        case ViewerKind.ALL:
            return "an eye that sees all"
