"""What proves a match, over REST and over gRPC: the same bytes, the same values, the same refusals."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple, cast

import grpc
import httpx
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from msgspec.structs import replace

from adapters.grpc.generated.montane.v1 import proofs_pb2 as pb
from adapters.grpc.generated.montane.v1.proofs_pb2_grpc import ProofServiceStub
from adapters.grpc.server import GrpcServer
from adapters.keys.signing import Ed25519Signatures
from adapters.rest.app import build
from domain.games import GAMES
from domain.match import Disclosure, PlayerId, Resign, Visibility
from domain.match.heads import Head, Inclusion, included, signed_head
from domain.shared.chain import written
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.matches.decisions import as_given
from services.matches.views import seen_event, source
from services.proof.bundle_audit import Check, verify
from services.proof.bundles import EndLine, Header, bundle, lines_of, read_line
from services.proof.head_signer import GRACE, HeadSigner
from services.proof.heads import SignedDay
from services.proof.keys import Key
from services.shared.ids import MatchId
from services.shared.rate_limits import Budget, Limiter, Limits
from tests.support.faces.grpc_client import refusal_of
from tests.support.stores.lobby import wanted
from tests.support.stores.use_cases import ManualClock, memory_stores

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATHS: Mapping[str, str] = {
    "ExportMatch": "/v1/matches/{match}/export",
    "GetProof": "/v1/matches/{match}/proof",
    "ListDays": "/v1/proofs/days",
    "GetDay": "/v1/proofs/days/{date}",
    "ListKeys": "/.well-known/jwks.json",
}
"""The methods of gRPC with what they are over REST."""
SEEING: Mapping[str, dict[str, Any]] = {
    "spectator": {"kind": "VIEWER_KIND_SPECTATOR"},
    "all": {"kind": "VIEWER_KIND_ALL"},
    "0": {"kind": "VIEWER_KIND_SEAT", "seat": 0},
    "1": {"kind": "VIEWER_KIND_SEAT", "seat": 1},
}
"""Who may be looked as, over REST and over gRPC."""


class Told(NamedTuple):
    """An answer: a refusal's status and reason, or what was told."""

    code: str
    reason: str
    content: Any


class Faces:
    """Both faces on one deployment, with Ann, Ben and Cam."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Take the budgets; without, there are none."""
        self.stores = memory_stores()
        self.clock = self.stores.clock = ManualClock(NOON)
        self.services = self.stores.node()
        limiter = None if limits is None else Limiter(limits)
        app = cast(Any, build(self.services, "0", limiter))
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://montane")
        self.server = GrpcServer(self.services, "127.0.0.1:0", limiter)
        self.players: dict[str, PlayerId] = {}
        self.tokens: dict[str, str] = {}

    async def start(self) -> None:
        """Serve, and open the accounts."""
        await self.server.start()
        self.channel: Any = grpc.aio.insecure_channel(f"127.0.0.1:{self.server.port}")
        self.grpc: Any = ProofServiceStub(self.channel)
        for name in ("Ann", "Ben", "Cam"):
            player, self.tokens[name] = await self.services.players.open_guest(name)
            self.players[name] = player.id

    async def stop(self) -> None:
        """Hang up and stop serving."""
        await self.http.aclose()
        await self.channel.close()
        await self.server.stop(0)

    async def match(self, game: str = "mountains", *, over: bool = False, **changes: Any) -> MatchId:
        """Return a match of Ann and Ben in play, or one that Ben gave up."""
        matches, lobby = self.services, self.services.lobby
        seats = min(2, GAMES[game].max_seats)
        _, listed = await matches.openings.open(self.players["Ann"], wanted(game, seats, **changes), None)
        if seats == 2:
            invitation = (await self.stores.seeds.secrets(listed.id)).invitation.hex()
            await lobby.take_seat(self.players["Ben"], listed.id, 1, "red", None, invitation=invitation)
        view = await matches.queries.view(listed.id, self.players["Ann"], version=None, looking_as="0")
        if view.legal_moves:
            await self.command(listed.id, "Ann", view.legal_moves[0])
        if over:
            await self.command(listed.id, "Ben" if seats == 2 else "Ann", Resign())
        return listed.id

    async def command(self, match: MatchId, name: str, command: Any) -> None:
        """Give a command."""
        await self.services.commands.submit(
            self.players[name], match, as_given(command), key=None, expected_version=None, validate_only=False
        )

    async def sign(self, by: timedelta = timedelta()) -> None:
        """Move on, and let heads and days be signed."""
        self.clock.advance(by)
        await HeadSigner(self.stores.heads, self.stores.keys, self.clock).step()

    async def rest(self, name: str | None, call: str, **fields: Any) -> Told:
        """Return the answer over REST."""
        headers = {} if name is None else {"Authorization": f"Bearer {self.tokens[name]}"}
        path = PATHS[call]
        own = {field: fields.pop(field) for field in ("match", "date") if f"{{{field}}}" in path}
        answer = await self.http.get(path.format(**own), headers=headers, params=fields)
        if not answer.is_success:
            return Told(str(answer.status_code), answer.json()["reason"], None)
        return Told("", "", answer.content if call == "ExportMatch" else answer.json())

    async def over_grpc(self, name: str | None, call: str, **fields: Any) -> Told:
        """Return the answer over gRPC, as JSON has it."""
        if "as" in fields:
            fields["as"] = SEEING[fields["as"]]
        request = ParseDict(fields, getattr(pb, f"{call}Request")())
        metadata = () if name is None else (("authorization", f"Bearer {self.tokens[name]}"),)
        try:
            if call == "ExportMatch":
                sent = self.grpc.ExportMatch(request, metadata=metadata)
                return Told("", "", b"".join([one.line async for one in sent]))
            answer = await getattr(self.grpc, call)(request, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            code, reason, _ = refusal_of(error)
            return Told(code, reason, None)
        content = MessageToDict(
            answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        return Told("", "", content.get("proof") or content.get("day") or content)

    async def both(self, name: str | None, call: str, **fields: Any) -> Any:
        """Return what both faces tell, which is the same; what is null over REST is absent over gRPC."""
        first, second = await self.rest(name, call, **fields), await self.over_grpc(name, call, **fields)
        plain = first.content
        if isinstance(plain, dict):
            plain = {field: value for field, value in plain.items() if value is not None}
        assert (first.code, second.code, plain) == ("", "", second.content)
        return first.content

    async def refused(self, name: str | None, call: str, **fields: Any) -> tuple[str, str, str]:
        """Return the status over REST, the code over gRPC, and the reason, which is the same."""
        first, second = await self.rest(name, call, **fields), await self.over_grpc(name, call, **fields)
        assert first.reason == second.reason
        return first.code, second.code, first.reason

    async def bundled(self, match: MatchId, viewer: Viewer) -> bytes:
        """Return the bundle of a match as `services.proof.bundles` makes it."""
        live = await self.services.decisions.matches.current(match)
        secrets, signed = await self.stores.seeds.secrets(match), await self.stores.heads.signed(match)
        terms = live.match.terms
        header = Header(
            game=terms.game,
            match=match,
            ruleset=terms.ruleset,
            seats=terms.seats,
            seed=written(secrets.seed) if viewer == ALL_SEEING else None,
            viewer=viewer,
        )
        shown = source(live, secrets)
        events = [seen_event(shown, event, viewer) for event in await self.stores.store.read(match)]
        key, signature = (None, None) if signed is None else (signed.key, signed.signature)
        return b"".join(bundle(header, events, key, signature))


@pytest.fixture
async def faces() -> AsyncIterator[Faces]:
    """Both faces."""
    made = Faces()
    await made.start()
    yield made
    await made.stop()


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_match_is_exported(faces: Faces, game: str) -> None:
    """To every viewer the bundle of `services.proof.bundles`, byte for byte; it holds, and it is signed."""
    match = await faces.match(game, over=True)
    await faces.sign()
    seats = [str(seat) for seat in range(min(2, GAMES[game].max_seats))]
    for name in ("spectator", "all", *seats):
        viewer = {"spectator": SPECTATOR, "all": ALL_SEEING}.get(name) or seated(Seat(int(name)))
        exported = await faces.both("Cam", "ExportMatch", match=match, **{"as": name})
        assert exported == await faces.bundled(match, viewer)
        passed = {
            one.check: one.count
            for one in verify(lines_of(BytesIO(exported)), dict(GAMES), Ed25519Signatures())
        }
        assert passed[Check.SIGNATURE] == 1
        assert passed[Check.OUTCOME] == (1 if name == "all" else None)


async def test_a_match_in_play_is_exported_as_it_may_be_seen(faces: Faces) -> None:
    """To a seat as its own, to others as spectators; not signed, without the seed; and to nobody in full."""
    match = await faces.match()
    for name, viewer in (
        ("Ann", seated(Seat(0))),
        ("Ben", seated(Seat(1))),
        ("Cam", SPECTATOR),
        (None, SPECTATOR),
    ):
        exported = await faces.both(name, "ExportMatch", match=match)
        assert exported == await faces.bundled(match, viewer)
        assert read_line(exported.splitlines(keepends=True)[-1]).signature is None  # type: ignore[union-attr]
        verify(lines_of(BytesIO(exported)), dict(GAMES), Ed25519Signatures())
    for name, other in (("Ann", "1"), ("Ann", "all"), ("Cam", "0"), (None, "all")):
        refusal = await faces.refused(name, "ExportMatch", match=match, **{"as": other})
        assert refusal == ("403", "PERMISSION_DENIED", "NOT_YOUR_VIEW")


async def test_a_match_that_never_discloses_keeps_its_seed(faces: Faces) -> None:
    """Also after its end: it is signed, and shown to each as it was shown."""
    match = await faces.match(disclosure=Disclosure.NEVER, over=True)
    await faces.sign()
    refusal = await faces.refused("Ann", "ExportMatch", match=match, **{"as": "all"})
    assert refusal == ("403", "PERMISSION_DENIED", "NOT_YOUR_VIEW")
    exported = await faces.both("Ann", "ExportMatch", match=match)
    assert exported == await faces.bundled(match, seated(Seat(0)))
    assert isinstance(read_line(exported.splitlines(keepends=True)[-1]), EndLine)
    proof = await faces.both("Ann", "GetProof", match=match)
    assert proof["seed"] is None
    assert proof["signature"] is not None


async def test_a_private_match_is_proved_to_those_who_may_know_of_it(faces: Faces) -> None:
    """To its seats and with its invitation; to others there is no such match."""
    match = await faces.match(visibility=Visibility.PRIVATE, over=True)
    await faces.sign(timedelta(days=1))
    invitation = (await faces.stores.seeds.secrets(match)).invitation.hex()
    for call in ("ExportMatch", "GetProof"):
        for name in ("Cam", None):
            assert await faces.refused(name, call, match=match) == ("404", "NOT_FOUND", "NO_SUCH_MATCH")
            assert await faces.both(name, call, match=match, invitation=invitation)
        assert await faces.both("Ben", call, match=match)
    assert (await faces.both(None, "GetDay", date="2026-11-30"))["size"] == 1


async def test_a_proof_grows_with_the_match(faces: Faces) -> None:
    """Its commitment and head in play; seed and signature after its end; its day once that is closed."""
    match = await faces.match()
    proof = await faces.both(None, "GetProof", match=match)
    live = await faces.services.decisions.matches.current(match)
    assert (proof["version"], proof["head"]) == (live.version, live.head)
    assert proof["seed_commitment"] == live.match.terms.seed_commitment
    assert {proof[field] for field in ("seed", "kid", "signature", "day", "inclusion")} == {None}
    await faces.command(match, "Ben", Resign())
    seed = written((await faces.stores.seeds.secrets(match)).seed)
    proof = await faces.both(None, "GetProof", match=match)
    assert (proof["seed"], proof["signature"]) == (seed, None)
    await faces.match(over=True)
    await faces.sign()
    proof = await faces.both(None, "GetProof", match=match)
    (key,) = (await faces.both(None, "ListKeys"))["keys"]
    head = Head(match=match, version=proof["version"], head=proof["head"])
    assert Ed25519Signatures().signed(signed_head(head), proof["signature"], Key(**key))
    assert (proof["kid"], proof["day"]) == (key["kid"], None)
    await faces.sign(timedelta(hours=12) + GRACE)
    proof = await faces.both(None, "GetProof", match=match)
    day = SignedDay(**proof["day"])
    assert proof["day"] == await faces.both(None, "GetDay", date="2026-11-30")
    inclusion = Inclusion(place=proof["inclusion"]["place"], path=tuple(proof["inclusion"]["path"]))
    assert included(head, inclusion, day.day)
    assert not included(replace(head, version=1), inclusion, day.day)


async def test_days_are_listed_newest_first(faces: Faces) -> None:
    """Page by page; a day that is not closed, or is none, is refused."""
    await faces.match(over=True)
    await faces.sign(timedelta(days=3))
    first = await faces.both(None, "ListDays", page_size=2)
    assert [day["date"] for day in first["items"]] == ["2026-12-02", "2026-12-01"]
    rest = await faces.both(None, "ListDays", page_token=first["next_page_token"])
    assert [(day["date"], day["size"]) for day in rest["items"]] == [("2026-11-30", 1)]
    assert rest["next_page_token"] is None
    for date in ("2026-12-03", "2026-11-29"):
        assert await faces.refused(None, "GetDay", date=date) == ("404", "NOT_FOUND", "NO_SUCH_DAY")
    for date in ("today", "2026-02-30", "20261130", "-"):
        assert await faces.refused(None, "GetDay", date=date) == ("400", "INVALID_ARGUMENT", "INVALID_FIELD")
    refusal = await faces.refused(None, "ListDays", page_token="x")  # noqa: S106 - no password
    assert refusal == ("400", "INVALID_ARGUMENT", "INVALID_FIELD")


async def test_keys_are_published(faces: Faces) -> None:
    """The one that signs now first; they may be kept for a while."""
    old = await faces.stores.keys.published()
    fresh = await faces.stores.keys.rotate()
    told = await faces.both(None, "ListKeys")
    assert [Key(**key) for key in told["keys"]] == [fresh, *old]
    answer = await faces.http.get(PATHS["ListKeys"])
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert json.loads(answer.content)["keys"][0]["kty"] == "OKP"


async def test_bad_input_is_refused(faces: Faces) -> None:
    """With a status of its own, never as a fault of the server."""
    missing = MatchId("match_" + "0" * 26)
    for call in ("ExportMatch", "GetProof"):
        for id in (missing, "nothing"):
            assert await faces.refused(None, call, match=id) == ("404", "NOT_FOUND", "NO_SUCH_MATCH")
    match = await faces.match()
    assert (await faces.rest(None, "ExportMatch", match=match, **{"as": "7"})).code == "400"
    assert (await faces.rest(None, "ExportMatch", match=match, at=3)).reason == "UNKNOWN_FIELD"
    wrong = pb.ExportMatchRequest(match=match)
    getattr(wrong, "as").kind = 1
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await read_out(faces, wrong)
    assert refusal_of(raised.value)[:2] == ("INVALID_ARGUMENT", "INVALID_FIELD")


async def read_out(faces: Faces, request: Any) -> None:
    """Read a bundle to its end."""
    async for _ in faces.grpc.ExportMatch(request):
        pass


async def test_a_bundle_is_a_file(faces: Faces) -> None:
    """With a media type and a name of its own."""
    match = await faces.match(over=True)
    answer = await faces.http.get(PATHS["ExportMatch"].format(match=match), params={"as": "0"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["content-disposition"] == f'attachment; filename="{match}-seat-0.ndjson"'


async def test_exports_count_as_streams() -> None:
    """Over both faces, in one budget."""
    faces = Faces(Limits(streams=Budget(2, 60)))
    await faces.start()
    match = await faces.match()
    assert (await faces.rest("Ann", "ExportMatch", match=match)).code == ""
    assert (await faces.over_grpc("Ann", "ExportMatch", match=match)).code == ""
    refusal = await faces.refused("Ann", "ExportMatch", match=match)
    assert refusal == ("429", "RESOURCE_EXHAUSTED", "RATE_LIMITED")
    await faces.stop()
