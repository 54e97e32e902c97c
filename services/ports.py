"""What the use cases need from outside."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, Protocol
from uuid import UUID

from msgspec import Meta, Struct

from domain.match import Match, Phase, PlayerId
from domain.match.proof import Link
from domain.shared.seats import Seat
from services.ids import MatchId, TokenId

type Time = Annotated[datetime, Meta(tz=True)]
"""A time, UTC."""


class Recorded(Struct, frozen=True, kw_only=True):
    """An event with its envelope.

    Attributes:
        version: Its number in the match, from 1.
        at: When it was decided, UTC.
        seat: The seat whose command brought it about; None if it was no seat's.
        event: The match's or the game's event, whole.
        link: Its place in the chain.
        by: Who gave the command, with the first of its events only; None if no player did.
        key: The command's idempotency key, with the first of its events only.
        digest: SHA-256 of what was asked with that key, in hexadecimal; beside the key.
        command: The command as canonical JSON, with the first of its events only; None for an opening.
        to_act: The seats that must choose from now on, rising; with the last of a command's events only, and
            only if the command changed it.
    """

    version: int
    at: datetime
    seat: Seat | None
    event: Any
    link: Link
    by: PlayerId | None = None
    key: str | None = None
    digest: str | None = None
    command: bytes | None = None
    to_act: tuple[Seat, ...] | None = None


class Done(Struct, frozen=True, gc=False):
    """A command that was carried out; what was asked is with its first event.

    Attributes:
        first: Version of its first event.
        last: Version of its last event.
    """

    first: int
    last: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """A match as it stood at a version; safe to delete.

    Attributes:
        version: How many events it holds.
        match: The folded match.
        opened_at: When the match was opened, UTC.
        head: Hash of the last of its events.
        commands: How many commands it has had (`domain.match.limit`).
        done: The commands carried out, each by its `services.live.command_name`.
    """

    version: int
    match: Match[Any, Any]
    opened_at: datetime
    head: str
    commands: int
    done: tuple[tuple[bytes, Done], ...]


class VersionTaken(Exception):  # noqa: N818 - an answer of the store
    """Another command has written the version first, or the version before it is not stored."""


class EventStore(Protocol):
    """The log of all matches. Every method raises `Unavailable` while the store is away."""

    async def append(self, match: MatchId, events: Sequence[Recorded]) -> None:
        """Store the events of one command; durable when it returns.

        A caller that is cancelled meanwhile cancels nothing: the events are stored all the same.

        Raises:
            VersionTaken: One of the versions exists already, or the one before them does not; nothing was
                stored.
        """

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events behind version `after`, up to and with `up_to`, in order.

        Raises:
            SetAside: One of them is missing, or cannot be read.
        """

    async def complete(self, match: MatchId, up_to: int) -> None:
        """Refuse a match of which a version is missing, up to and with `up_to`.

        Raises:
            SetAside: One is.
        """

    async def set_aside(self, match: MatchId, version: int, why: str) -> NoReturn:
        """Put down that a match cannot be read, from a version on, and refuse it.

        Raises:
            SetAside: Always.
        """

    async def snapshot(self, match: MatchId, up_to: int | None = None) -> Snapshot | None:
        """Return the latest usable snapshot, at most at version `up_to`.

        Raises:
            SetAside: A version up to the snapshot's is missing.
        """

    async def keep_snapshot(self, match: MatchId, snapshot: Snapshot) -> None:
        """Store a snapshot, and forget all but the newest two of its match."""

    async def close(self) -> None:
        """Finish what was accepted; nothing is appended any more."""

    async def answers(self) -> bool:
        """Return whether the store answers now."""


class Secrets(Struct, frozen=True):
    """What a match keeps to itself.

    Attributes:
        seed: What all chance comes from, 32 bytes; told when the match ends, if it discloses.
        invitation: What lets its holder know of the match, 16 bytes.
    """

    seed: bytes
    invitation: bytes


class Opening(Struct, frozen=True):
    """What was put down for a match before its first event.

    Attributes:
        match: The match's id.
        secrets: What it keeps to itself.
        digest: SHA-256 of what was asked at opening, in hexadecimal.
    """

    match: UUID
    secrets: Secrets
    digest: str


OPENING_KEPT = timedelta(days=7)
"""How long what was put down for a match that never begins is kept behind the last claim."""


class Seeds(Protocol):
    """The secrets of matches. Every method raises `Unavailable` while the store is away."""

    async def claim(
        self, owner: UUID, key: str, opening: Opening, at: datetime, holding: "Holding | None" = None
    ) -> Opening:
        """Put an opening down for an owner and key, durably; return the earlier one if there is one.

        Args:
            owner: The player who opens, or the match that is played again.
            key: The idempotency key.
            opening: What is put down.
            at: The time, UTC. One that nobody has claimed for days (`OPENING_KEPT`), and whose match never
                began, is gone.
            holding: The open match that its player has then; None if it begins at once.

        Raises:
            TooMany: The player has as many as it may have; nothing was put down.
        """

    async def secrets(self, match: MatchId) -> Secrets:
        """Return a match's secrets."""


class Player(Struct, frozen=True, kw_only=True):
    """An account.

    Attributes:
        id: `player_...`.
        display_name: As the player wants to be called.
        avatar_seed: What a picture of the player is made from.
        locale: The language that the player reads best, as a language tag.
        created_at: When the account was opened, UTC.
    """

    id: PlayerId
    display_name: str
    avatar_seed: str
    locale: str
    created_at: Time


class Scope(StrEnum):
    """What a token allows, beside looking at what anybody may see.

    `play` to act for the player and to manage its account; `read` to read as the player; `bot` to play as a
    program; `webhooks` to have the player's events sent; `admin` what concerns the whole deployment.
    """

    PLAY = "play"
    READ = "read"
    BOT = "bot"
    WEBHOOKS = "webhooks"
    ADMIN = "admin"


class Token(Struct, frozen=True, kw_only=True):
    """A token without its secret.

    Attributes:
        id: `token_...`.
        player: Whose it is.
        scopes: What it allows, in the order of `Scope`.
        created_at: When it was made, UTC.
        expires_at: From when on it is no longer good, UTC; None for one that stays good until it is revoked.
    """

    id: TokenId
    player: PlayerId
    scopes: tuple[Scope, ...]
    created_at: Time
    expires_at: Time | None


class Identity(Struct, frozen=True, kw_only=True):
    """Whom a token of a trusted issuer names.

    Attributes:
        issuer: Who says so.
        subject: Whom it names, as the issuer knows it.
        expires_at: From when on the token is no longer good, UTC.
        names: What the issuer says that it likes to be called; as it is said, the best first.
        locale: What language the issuer says that it reads best; as it is said.
    """

    issuer: str
    subject: str
    expires_at: Time
    names: tuple[str, ...]
    locale: str | None


class Issuer(Protocol):
    """Somebody else who says who a player is."""

    async def identity(self, token: str) -> Identity:
        """Return whom a token names.

        Raises:
            Unauthenticated: It is no token of the issuer for us, or not good now.
            Unavailable: That cannot be told, as the issuer is away.
        """


class Accounts(Protocol):
    """Players and their tokens. Every method raises `Unavailable` while the store is away."""

    async def add(self, player: Player, token: Token, token_hash: bytes) -> None:
        """Store a new player with its first token and the hash of its secret."""

    async def token(self, token_hash: bytes) -> Token | None:
        """Return the token whose secret has this hash; one that is no longer good too."""

    async def named(self, players: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Return those of the players that exist."""

    async def change(
        self, player: PlayerId, *, display_name: str | None, avatar_seed: str | None, locale: str | None
    ) -> Player | None:
        """Change what is not None, and return the player as it is then; None if there is no such player."""

    async def known_as(self, issuer: str, subject: str, newcomer: Player) -> PlayerId:
        """Return the player whom an issuer knows by a name; the newcomer, stored, if there is none."""

    async def erase(self, player: PlayerId) -> Sequence[bytes]:
        """Delete all that is kept of a player beside the log of matches; return the hashes of its tokens."""

    async def add_token(self, token: Token, token_hash: bytes, most: int) -> bool:
        """Store a further token; return False if its player is gone, or has that many that are good.

        Tokens of the player whose time has been over for a day are forgotten.
        """

    async def tokens(self, player: PlayerId, before: TokenId | None, limit: int) -> list[Token]:
        """Return a player's tokens, newest first, older than `before`."""

    async def gone(self, token_hashes: Sequence[bytes]) -> Collection[bytes]:
        """Return those of the hashes of which there is no token."""

    async def revoke(self, player: PlayerId, token: TokenId) -> bytes | None:
        """Delete a token and return the hash of its secret; None if the player has none of this id."""


class Listed(Struct, frozen=True, kw_only=True):
    """A match as the list of matches knows it.

    Attributes:
        id: The match.
        opened_at: When it was opened, UTC.
        match: The match without its table.
        version: How many events it has.
    """

    id: MatchId
    opened_at: datetime
    match: Match[Any, Any]
    version: int


class MatchFilter(Struct, frozen=True, kw_only=True):
    """Which matches are wanted; all that is said must hold.

    Attributes:
        game: Of this game; None for any.
        phase: This far; None for however far.
        open_seats: With a free seat that may be taken.
        player: With a seat of this player's; None for anybody's.
        my_turn: In which the viewer is to act.
        created_after: Opened later than this; None for any time.
        created_before: Opened earlier than this; None for any time.
    """

    game: str | None = None
    phase: Phase | None = None
    open_seats: bool = False
    player: PlayerId | None = None
    my_turn: bool = False
    created_after: Time | None = None
    created_before: Time | None = None


class ListPlace(NamedTuple):
    """A place in the list of matches, which has the newest first.

    Attributes:
        opened_at: When the match there was opened, UTC.
        match: The match.
    """

    opened_at: datetime
    match: MatchId


class MatchList(Protocol):
    """The list of matches; it follows the log within moments."""

    async def page(
        self, viewer: PlayerId | None, wanted: MatchFilter, *, behind: ListPlace | None, limit: int
    ) -> list[Listed]:
        """Return matches that the viewer may know of, newest first.

        Args:
            viewer: Who looks; None without an account.
            wanted: Which of them are wanted.
            behind: The place behind which to begin; None begins with the newest.
            limit: The most that are wanted.
        """


class Statistics(Struct, frozen=True, kw_only=True):
    """How often a player has played a game to its end, and how that ended.

    Attributes:
        game: The game's id.
        played: Matches that have finished; each was won, lost, drawn or shared.
        won: Those that the player won alone.
        lost: Those that the player lost.
        drawn: Those that nobody won.
        shared: Those that the player won together with others.
        resigned: Those of the lost ones that the player gave up.
        timed_out: Those of the lost ones in which the player's time was up.
        best_score: The best score in a match played alone to its end; None if there is none.
    """

    game: str
    played: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    shared: int = 0
    resigned: int = 0
    timed_out: int = 0
    best_score: int | None = None


class Rating(Struct, frozen=True, kw_only=True):
    """How strong a player is at a game, by the rated matches that it has played.

    Attributes:
        estimate: What the player's strength is at least, most likely: `mu` less three times `sigma`.
        mu: The likeliest strength; 25 before the first match.
        sigma: How uncertain it is, as a standard deviation; 25/3 before the first match.
        matches: How many matches it comes from.
    """

    estimate: float
    mu: float
    sigma: float
    matches: int


class Ranked(Struct, frozen=True):
    """A player's place in a leaderboard.

    Attributes:
        player: The player.
        rating: Its rating.
    """

    player: PlayerId
    rating: Rating


class Records(Protocol):
    """What players have achieved; it follows the log within moments."""

    async def statistics(self, player: PlayerId) -> list[Statistics]:
        """Return a player's statistics, one for each game that it has played, by the game's id."""

    async def ratings(self, player: PlayerId) -> Mapping[str, Rating]:
        """Return a player's rating in each game in which it has one."""

    async def leaderboard(
        self, game: str, *, behind: tuple[float, PlayerId] | None, limit: int
    ) -> list[Ranked]:
        """Return those who have a rating in a game, the highest estimate first.

        Args:
            game: The game's id.
            behind: The estimate and player behind which to begin; None begins with the best.
            limit: The most that are wanted.
        """


class QuotaKind(StrEnum):
    """Of what a player may have so much at a time."""

    OPEN = "open"
    BOTS = "bots"
    INVITATION = "invitation"


class Holding(Struct, frozen=True):
    """That a player has one more of something.

    Attributes:
        player: Who.
        kind: Of what: matches that it opened and that have not begun, matches that it opened and that bots
            alone play, or players whom it invited and who have not sat down.
        match: In which match.
        since: Since when, UTC.
        about: Who is invited; None for all else.
        fit: What is the same for all open matches on the same terms; empty for all else.
    """

    player: PlayerId
    kind: QuotaKind
    match: MatchId
    since: datetime
    about: PlayerId | None = None
    fit: str = ""


class Quotas(Protocol):
    """What players have. Every method raises `Unavailable` while the store is away."""

    async def check(self, holding: Holding) -> None:
        """Refuse a player who might come to have one more, if it has as many as it may have.

        Raises:
            TooMany: It has.
        """

    async def take(self, holding: Holding) -> None:
        """Put down, durably, that a player has one more; once, however often it is put down.

        Raises:
            TooMany: It has as many as it may have.
        """

    async def note(self, holding: Holding) -> None:
        """Put down, durably, that a player has one more, however many it has."""

    async def release(
        self, match: MatchId, kinds: Collection[QuotaKind], *, about: PlayerId | None = None
    ) -> None:
        """Put down that nobody has any more what a match was counted for; of one guest, if it is named."""


class Wish(Struct, frozen=True, kw_only=True):
    """What a player looks for.

    Attributes:
        player: Who looks.
        key: The idempotency key.
        digest: SHA-256 of what was asked, in hexadecimal.
        fit: What is the same for all matches on the same terms.
        game: Their game's id.
        seats: How many seats they have.
        at: When it looks, UTC.
    """

    player: PlayerId
    key: str
    digest: str
    fit: str
    game: str
    seats: int
    at: datetime


class Placed(Struct, frozen=True, kw_only=True):
    """Where a player who looked for a match is placed.

    Attributes:
        match: The match.
        digest: SHA-256 of what was asked with the idempotency key, in hexadecimal.
        opens: Whether the player is the one who opens it.
        repeated: Whether the key led there before.
        reserved: Whether a seat was set aside for the player.
    """

    match: MatchId
    digest: str
    opens: bool = False
    repeated: bool = False
    reserved: bool = False


class QuickMatches(Protocol):
    """Where players are placed who look for a match. Each raises `Unavailable` while the store is away."""

    async def place(
        self, wish: Wish, fresh: MatchId, *, without: Sequence[MatchId], only_open: bool
    ) -> Placed:
        """Return where a player is placed, put down durably.

        That is where its key led before; or the match on the same terms in which it waits; or else one that
        has a free seat, which is set aside for it, if nobody is in it whom it has blocked or who has blocked
        it; or a new one.

        Args:
            wish: What the player looks for.
            fresh: The id of the match that is opened if none is found.
            without: Matches that have turned the player away.
            only_open: Whether it is placed nowhere but where it waits, or in a new one.

        Raises:
            TooMany: None is found, and the player has as many open matches as it may have.
        """

    async def give_back(self, match: MatchId, player: PlayerId) -> None:
        """Set a player's seat aside no longer: it did not come."""

    async def turn_away(self, match: MatchId, player: PlayerId, *, full: bool, at: datetime) -> None:
        """Place a player there no more, and nobody if there is no free seat."""

    async def forget(self, match: MatchId) -> None:
        """Forget who was placed in a match: what the list of matches says of it holds."""

    async def lose(self, match: MatchId, at: datetime) -> None:
        """Forget a match that is not there: of one that was not opened in time nobody has it open either."""


class Blocked(Struct, frozen=True):
    """That a player has blocked another.

    Attributes:
        player: Who is blocked.
        blocked_at: Since when, UTC.
    """

    player: PlayerId
    blocked_at: datetime


class BlockList(Protocol):
    """Whom players have blocked. Every method raises `Unavailable` while the store is away."""

    async def add(self, player: PlayerId, blocked: Blocked, most: int) -> Blocked | None:
        """Block a player, and return since when it is blocked; None if as many are blocked as may be.

        Raises:
            NotFound: There is no such player.
        """

    async def remove(self, player: PlayerId, other: PlayerId) -> None:
        """Block a player no longer."""

    async def find(self, player: PlayerId, other: PlayerId) -> Blocked | None:
        """Return since when a player is blocked; None if it is not."""

    async def page(self, player: PlayerId, after: PlayerId | None, limit: int) -> list[Blocked]:
        """Return whom a player has blocked, by their ids, behind one of them."""

    async def blocked_by(self, player: PlayerId) -> Collection[PlayerId]:
        """Return all whom a player has blocked."""

    async def blockers(self, players: Collection[PlayerId]) -> Mapping[PlayerId, Collection[PlayerId]]:
        """Return who has blocked each of some players, of those whom anybody has blocked."""

    async def reachable(self, players: Collection[PlayerId], by: PlayerId | None) -> Collection[PlayerId]:
        """Return those of some players that exist and have not blocked a player.

        It is one question, so that the time that it takes does not say which.
        """


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the time, UTC."""


class Key(Struct, frozen=True, kw_only=True):
    """A public key as it is published, a JSON Web Key (RFC 8037).

    Attributes:
        crv: The curve.
        kid: Its id: its thumbprint (RFC 7638).
        kty: The kind of key.
        use: What it is for: checking signatures.
        x: The key, 32 bytes in base64url.
    """

    crv: Literal["Ed25519"] = "Ed25519"
    kid: str
    kty: Literal["OKP"] = "OKP"
    use: Literal["sig"] = "sig"
    x: str


class Signer(Protocol):
    """Signs in the server's name."""

    @property
    def key(self) -> Key:
        """The public key that checks its signatures."""

    def sign(self, message: bytes) -> str:
        """Return the signature of a message, in base64url without padding."""


class Signatures(Protocol):
    """Checks signatures."""

    def signed(self, message: bytes, signature: str, key: Key) -> bool:
        """Return whether a signature of a message is by the holder of a key, and the key is what it says."""
