"""The test vectors for anyone who implements the proof in another language (`docs/fairness.md`).

They are golden files: what the code makes today has to be what was published.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from msgspec import Raw

from domain.games import GAMES
from domain.games.montana.catalogue import CARDS
from domain.games.montanara.catalogue import SHUFFLED
from domain.games.montmartre.catalogue import PACK as MUSES
from domain.games.mount_drago.catalogue import PACK as DRAGONS
from domain.games.mount_drago.catalogue import VALUES
from domain.games.mount_drago.commands import PlayCard
from domain.games.mountains.catalogue import DECKS, HIKING_CARDS
from domain.games.mountains.catalogue import PACK as EQUIPMENT
from domain.match import Disclosure, OnTimeOut, TimeControl, TimeControlKind
from domain.match.heads import Head, day_of, signed_day, signed_head
from domain.match.proof import request_hash
from domain.match.state import PlayerId
from domain.shared.canonical import canonical
from domain.shared.chain import Record, commitment, genesis, record_hash, salts, written
from domain.shared.chance import ByteStream, decision_chance, seed_commitment
from domain.shared.merkle import levels, path, root
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.golden.conftest import Golden
from tests.support.games.branches import branched
from tests.support.games.random_matches import Table
from tests.support.proof.bundles import SIGNER, bundle_of, bundled
from tests.support.proof.chains import MATCH

SEED = bytes(range(32))
OTHER_SEED = bytes.fromhex("ff" * 31 + "00")
ENTROPIES = (("",), ("", ""), ("red", "ñ"), ("a1:b", "", "\U0001f332"), ("x" * 256, "2:ab", "", "", "0"))
VERSIONS = (1, 2, 41, 1000)


def page(value: Any) -> str:
    """Return vectors as they are published."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def test_canonical_json(golden: Golden) -> None:
    """Values and the text that each is written as."""
    values: list[Any] = [
        None,
        True,
        False,
        0,
        -1,
        2**53 - 1,
        -(2**53) + 1,
        "",
        'quotes " and \\ and /',
        "\x00\x01\b\t\n\x0b\f\r\x1f \x7f\x80\u2028",
        "ñ € \U0001f332",
        [],
        [3, [2, [1]], {}],
        {},
        {"b": 1, "a": {"d": [], "c": None}, "B": 2, "a_b": 3, "ab": 4, "": 5},
    ]
    golden(
        "../../docs/vectors/canonical.json",
        page([{"value": value, "canonical": canonical(value).decode()} for value in values]),
    )


def test_chance(golden: Golden) -> None:
    """Byte streams, numbers, shuffles, and the draws of decisions."""
    bounds = [1, 2, 3, 5, 10, 52, 100, 128, 255, 256, 257, 1000, 65535, 65536, 65537, 2**24 + 1, 2**32]
    vectors = {
        "streams": [
            {"key": key.hex(), "context": context, "bytes": ByteStream(key, context.encode()).take(80).hex()}
            for key in (SEED, OTHER_SEED)
            for context in ("", "ctx", "ñ/7")
        ],
        "numbers": [
            {"key": SEED.hex(), "context": f"numbers {start}", "bounds": wanted, "numbers": numbers}
            for start in range(4)
            for wanted in [bounds[start:] * 4]
            for stream in [ByteStream(SEED, f"numbers {start}".encode())]
            for numbers in [[stream.below(bound) for bound in wanted]]
        ],
        "shuffles": [
            {
                "key": OTHER_SEED.hex(),
                "context": f"shuffle {size}",
                "size": size,
                "order": ByteStream(OTHER_SEED, f"shuffle {size}".encode()).shuffle(range(size)),
            }
            for size in (0, 1, 2, 5, 52, 108, 300)
        ],
        "decisions": [decision(entropies, version) for entropies in ENTROPIES for version in VERSIONS],
    }
    golden("../../docs/vectors/chance.json", page(vectors))


def decision(entropies: Sequence[str], version: int) -> dict[str, Any]:
    """Return the draws of a decision, one after the other."""
    chance = decision_chance(SEED, MATCH, entropies, version)
    draws: list[dict[str, Any]] = []
    for size in (6, 52):
        draws.append({"shuffle": size, "gives": chance.shuffle(range(size))})
        draws.append({"below": size, "gives": chance.below(size)})
    return {
        "seed": SEED.hex(),
        "match": MATCH,
        "entropies": list(entropies),
        "version": version,
        "draws": draws,
    }


def test_chain(golden: Golden) -> None:
    """The beginning of chains, seeds and salts, commitments, requests, records and their hashes."""
    record = Record(
        at=datetime(2026, 11, 30, 10, tzinfo=UTC),
        commitments=(commitment(bytes(16), b"{}"), commitment(b"\xff" * 16, b"[]")),
        previous=genesis(MATCH),
        public=Raw(b'{"seat":0,"type":"game.played"}'),
        schema=1,
        seat=Seat(0),
        type="game.played",
        version=1,
    )
    later = Record(
        at=datetime(2026, 11, 30, 10, 0, 1, 20_000, tzinfo=UTC),
        commitments=record.commitments[::-1],
        previous=record_hash(record),
        public=Raw('{"text":"ñ \\" \\u0000","type":"game.ended"}'.encode()),
        schema=1,
        seat=None,
        type="game.ended",
        version=2,
    )
    asked: list[tuple[str | None, str | None, str | None]] = [
        ("player_1", "key", "0" * 64),
        ("player_1", None, "f" * 64),
        (None, "key", None),
        (None, None, None),
    ]
    vectors = {
        "genesis": [{"match": match, "previous": genesis(match)} for match in (MATCH, "", "match_1")],
        "seeds": [
            {"seed": seed.hex(), "seed_commitment": seed_commitment(seed)} for seed in (SEED, OTHER_SEED)
        ],
        "salts": [
            {
                "seed": SEED.hex(),
                "match": MATCH,
                "version": version,
                "seats": seats,
                "salts": [written(salt) for salt in salts(SEED, MATCH, version, seats)],
            }
            for version in VERSIONS
            for seats in range(1, 6)
        ],
        "commitments": [
            {"salt": written(salt), "part": part, "commitment": commitment(salt, part.encode())}
            for salt in (bytes(16), b"\xfb" * 16)
            for part in ("{}", '{"card":"7D","type":"game.played"}', '{"text":"ñ"}')
        ],
        "requests": [
            {
                "by": by,
                "key": key,
                "digest": digest,
                "request": request_hash(None if by is None else PlayerId(by), key, digest),
            }
            for by, key, digest in asked
        ],
        "records": [
            {"record": json.loads(canonical(one)), "hash": record_hash(one)} for one in (record, later)
        ],
    }
    golden("../../docs/vectors/chain.json", page(vectors))


def test_heads(golden: Golden) -> None:
    """Trees and paths, days with what proves each head to be among theirs, signatures."""
    heads = [
        Head(match=f"match_{number}", version=40 + number, head=genesis(f"match_{number}"))
        for number in range(7)
    ]
    vectors = {
        "key": {"secret": SEED.hex(), "public": json.loads(canonical(SIGNER.key))},
        "trees": [tree([b"leaf %d" % number for number in range(size)]) for size in (0, 1, 2, 3, 5, 8, 13)],
        "days": [day(heads[:size]) for size in (0, 1, 2, 7)],
        "heads": [
            {
                "head": json.loads(canonical(head)),
                "signed": signed_head(head).decode(),
                "signature": SIGNER.sign(signed_head(head)),
            }
            for head in heads[:2]
        ],
    }
    golden("../../docs/vectors/heads.json", page(vectors))


def tree(leaves: list[bytes]) -> dict[str, Any]:
    """Return a tree with the path of each leaf."""
    built = levels(leaves)
    return {
        "leaves": [leaf.decode() for leaf in leaves],
        "root": root(leaves).hex(),
        "paths": [[one.hex() for one in path(built, place)] for place in range(len(leaves))],
    }


def day(heads: Sequence[Head]) -> dict[str, Any]:
    """Return a day with its signature and the proof of each head."""
    made, ordered = day_of("2026-11-30", heads)
    return {
        "day": json.loads(canonical(made)),
        "signed": signed_day(made).decode(),
        "signature": SIGNER.sign(signed_day(made)),
        "heads": [
            {"head": json.loads(canonical(head)), "inclusion": json.loads(canonical(inclusion))}
            for head, inclusion in ordered
        ],
    }


def test_packs(golden: Golden) -> None:
    """The packs of all games before the first shuffle, for the verifier in JavaScript."""
    packs = {
        "montana/1": {"cards": CARDS},
        "montanara/1": {"cards": SHUFFLED},
        "montmartre/1": {"cards": MUSES},
        "mount_drago/recon-1": {"cards": DRAGONS},
        "mountains/recon-1": {
            "cards": EQUIPMENT,
            "decks": [[card.id for card in HIKING_CARDS if card.deck == deck] for deck in DECKS],
        },
    }
    assert set(packs) == {game.ruleset for game in GAMES.values()}
    text = "/** The packs before the first shuffle, by ruleset; made by `make golden`. */\n\n"
    golden("../../clients/verifier-js/packs.js", f"{text}export const PACKS = {page(packs).rstrip()};\n")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_bundles(golden: Golden, game: Any) -> None:
    """The bundle of a whole match of each game, a short one, as everybody may have it after the end."""
    table = Table(game, game.min_seats)
    text = min((text_of(table, number, ALL_SEEING) for number in (1, 3, 5, 7, 9)), key=len)
    golden(f"../../docs/vectors/bundles/{game.id}.ndjson", text)


@pytest.mark.parametrize("viewer", [seated(Seat(0)), SPECTATOR], ids=lambda viewer: viewer.kind)
def test_bundles_of_other_viewers(golden: Golden, viewer: Viewer) -> None:
    """A match of Montanara as one of its seats and as a spectator saw it."""
    game = GAMES["montanara"]
    name = f"../../docs/vectors/bundles/montanara_{viewer.kind}.ndjson"
    golden(name, text_of(Table(game, 2), 3, viewer))


SOME = 24
"""After how many events the seats of a short match give up."""
HURRIED = {
    "time_control": TimeControl(TimeControlKind.RESERVE, 10, 0),
    "on_time_out": OnTimeOut.RESIGN,
}
PLAYED_ON = {**HURRIED, "on_time_out": OnTimeOut.DEFAULT_MOVE}


class Kind(NamedTuple):
    """A kind of bundles, of which there is one of each game.

    Attributes:
        viewer: For whom they are.
        number: Of which match.
        wishes: How it goes.
        reasons: What brings its end.
    """

    viewer: Viewer
    number: int
    wishes: Mapping[str, Any]
    reasons: Sequence[str]


def short(events: Sequence[object]) -> bool:
    """Return whether a match has gone on for some time."""
    return len(events) >= SOME


KINDS = {
    "seat": Kind(seated(Seat(0)), 2, {"enough": short, "resigning": 0}, ("resigned",)),
    "spectator": Kind(SPECTATOR, 2, {"enough": short, "resigning": 0}, ("resigned",)),
    "resigned": Kind(ALL_SEEING, 5, {"enough": short, "resigning": 0}, ("resigned",)),
    "timed_out": Kind(ALL_SEEING, 7, {"changes": HURRIED, "resigning": 0}, ("timed_out",)),
    "default_moves": Kind(
        ALL_SEEING, 9, {"changes": PLAYED_ON, "enough": short, "resigning": 0}, ("resigned",)
    ),
    "never_disclosed": Kind(
        seated(Seat(0)),
        4,
        {"changes": {"disclosure": Disclosure.NEVER}, "enough": short, "resigning": 0},
        ("resigned",),
    ),
    "limited": Kind(ALL_SEEING, 2, {"limit": 6, "resigning": 0}, ("COMMAND_LIMIT",)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAMES)
def test_bundles_of_every_kind(golden: Golden, game: str, kind: str) -> None:
    """A short match of each game as others saw it, and one for each way in which a match ends."""
    if game == "montanara" and kind in {"seat", "spectator"}:
        return
    viewer, number, wishes, reasons = KINDS[kind]
    text = text_of(Table(GAMES[game], GAMES[game].min_seats), number, viewer, **wishes)
    finished = json.loads(text.splitlines()[-2])
    assert finished["payload"]["outcome"]["reason"] in reasons
    if kind in {"timed_out", "default_moves"}:
        assert '"type":"match.timed_out"' in text
    golden(f"../../docs/vectors/bundles/{game}_{kind}.ndjson", text)


def drawing(*wanted: str) -> Callable[[Sequence[object]], bool]:
    """Return whether events of these types have drawn; a dig at home has turned over two cards."""

    def drawn(events: Sequence[object]) -> bool:
        met = Counter(type(event).__name__ for event in events if getattr(event, "chosen", False) is False)
        dug = Counter(
            "DugAtHome"
            for event in events
            if type(event).__name__ in DUG and getattr(event, "mountain", 0) is None
        )
        return all((met + dug)[name] > (name == "DugAtHome") for name in wanted)

    return drawn


DUG = {"CardDug", "CrystalDug", "CaveInDug"}


def pips(move: Any) -> int:
    """Return how far a move of Mount Drago takes a dragon."""
    return VALUES[move.card] if isinstance(move, PlayCard) else 0


DRAWS: Mapping[str, tuple[str, int, int, Mapping[str, Any]]] = {
    "montana_draws": ("montana", 1, 42, {"enough": drawing("Redealt")}),
    "montana_deal_number": ("montana", 1, 12, {"enough": drawing("Redealt")}),
    "montanara_draws": (
        "montanara",
        2,
        12,
        {"enough": drawing("ShakingPlayed", "TunnelArranged", "DugAtHome")},
    ),
    "montmartre_draws": ("montmartre", 3, 58, {"enough": drawing("PilesRenewed")}),
    "mount_drago_draws": ("mount_drago", 5, 22, {"enough": drawing("DrawPileRenewed"), "haste": pips}),
}
"""Matches in which all is drawn that each game draws: the game, its seats, the number, how it goes."""


@pytest.mark.parametrize("name", DRAWS)
def test_bundles_with_every_draw(golden: Golden, name: str) -> None:
    """Beside the deal, which every bundle has: redeals, shakings, tunnels, digs at home, new piles."""
    game, seats, number, wishes = DRAWS[name]
    text = text_of(Table(GAMES[game], seats), number, ALL_SEEING, **wishes)
    golden(f"../../docs/vectors/bundles/{name}.ndjson", text)


def test_the_bundle_of_a_branch(golden: Golden) -> None:
    """A match that was not dealt but goes on from the table of another, as a seat saw that."""
    table = Table(GAMES["montanara"], 2)
    steps = list(branched(table, 0, seated(Seat(1))))
    golden("../../docs/vectors/bundles/montanara_branch.ndjson", b"".join(bundle_of(table, steps)).decode())


def text_of(table: Table, number: int, viewer: Viewer, **wishes: Any) -> str:
    """Return a bundle as text."""
    return b"".join(bundled(table, number, viewer, **wishes)).decode()
