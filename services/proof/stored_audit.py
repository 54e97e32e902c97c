"""Whether what is stored of a match is what happened: all that can be recomputed is."""

from functools import reduce
from operator import or_

import msgspec

from domain.match import MatchStatus, Opened, to_act
from domain.match.heads import Head, signed_head
from domain.match.proof import Link
from domain.shared.chain import genesis
from domain.shared.chance import seed_commitment
from domain.shared.game import Games, edition
from services.matches.envelopes import fact_of
from services.matches.store import ClaimedOpening, Recorded
from services.proof.bundle_audit import command_types
from services.proof.heads import SignedHead
from services.proof.keys import Signatures
from services.proof.redecision import Deviation, Retelling
from services.shared.ids import MatchId


class Fault(Exception):  # noqa: N818 - an answer about the match
    """What is stored is not what happened; the message says what is wrong, for people.

    Attributes:
        version: The event in which it shows; one after the last if something is missing there.
    """

    def __init__(self, version: int, what: str) -> None:
        """Take where it shows, and what is wrong."""
        super().__init__(what)
        self.version = version


class MatchAudit:
    """The audit of one stored match, event by event.

    Attributes:
        version: How many events held.
    """

    __slots__ = (
        "_acting",
        "_at",
        "_commands",
        "_game",
        "_head",
        "_id",
        "_opening",
        "_rules",
        "_told",
        "version",
    )

    def __init__(self, rules: "Rules", id: MatchId, opening: ClaimedOpening | None) -> None:
        """Take the rules, the match, and what was recorded for it before its first event."""
        self.version = 0
        self._rules = rules
        self._id = id
        self._opening = opening
        self._head = genesis(id)
        self._acting: tuple[int, ...] = ()

    def take(self, recorded: Recorded) -> None:
        """Check the next event.

        Raises:
            Fault: It is not what happened.
        """
        version = self.version + 1
        if recorded.version != version:
            raise Fault(version, "the event is missing")
        if version == 1:
            self._begin(recorded)
        if recorded.key is None and (recorded.by or recorded.digest or recorded.command) is not None:
            raise Fault(version, "only the first event of a command says who asked for it")
        try:
            command = None if recorded.command is None else self._commands.decode(recorded.command)
            made = self._told.take(fact_of(recorded), command, self._head)
        except (msgspec.DecodeError, Deviation) as error:
            raise Fault(version, str(error)) from error
        if made != recorded.link:
            raise Fault(version, _difference(made, recorded.link))
        self._check_turn(recorded)
        self._at = recorded.at
        self._head = made.hash
        self.version = version

    def end(self, signed: SignedHead | None, signatures: Signatures, *, due: bool) -> None:
        """Check that nothing is missing after the last event, and the signature of the head.

        Args:
            signed: The signed head of the match, if there is one.
            signatures: What checks signatures.
            due: Whether there must be one, if the match has finished; of a branch there is none.

        Raises:
            Fault: Something is missing, or the signature does not hold.
        """
        if not self._told.complete:
            raise Fault(self.version + 1, "more had to happen")
        match = self._told.match
        finished = match is not None and match.status is MatchStatus.FINISHED
        if signed is None:
            if finished and due and match is not None and not match.terms.is_branch:
                raise Fault(self.version, "the final head is not signed")
            return
        if not finished:
            raise Fault(self.version + 1, f"version {signed.head.version} is signed as the last, and is none")
        if signed.head != Head(match=self._id, version=self.version, head=self._head):
            raise Fault(self.version, "another final head is signed")
        if signed.date < self._at.date().isoformat():
            raise Fault(self.version, f"the head stands under {signed.date}, before the match finished")
        if not signatures.signed(signed_head(signed.head), signed.signature, signed.key):
            raise Fault(self.version, "the signature is not that of the final head")

    def _begin(self, recorded: Recorded) -> None:
        if not isinstance(recorded.event, Opened):
            raise Fault(1, "the match is not opened")
        if self._opening is None:
            raise Fault(1, "nothing was recorded for the match, so there is no seed")
        terms = recorded.event.terms
        known = self._rules.games.get(terms.game)
        if known is None or (game := edition(known, terms.ruleset)) is None:
            raise Fault(1, f"{terms.game} under {terms.ruleset} is not known here")
        if terms.seed_commitment != seed_commitment(self._opening.secrets.seed):
            raise Fault(1, "the seed is not the one that the match committed to")
        if recorded.digest != self._opening.digest:
            raise Fault(1, "what was asked is not what was recorded for the match")
        self._game = game
        self._commands = self._rules.commands[game.id]
        self._told = Retelling(game, self._id, self._opening.secrets.seed)

    def _check_turn(self, recorded: Recorded) -> None:
        """Check who is said to act: it stands with the last event of a command, if that changed it."""
        said = None
        if self._told.complete and self._told.match is not None:
            acting = to_act(self._game, self._told.match)
            if acting != self._acting:
                said = self._acting = acting
        if recorded.to_act != said:
            raise Fault(recorded.version, "the seats that are to act are others")


class Rules:
    """What matches are judged by.

    Attributes:
        games: The registered games by id.
        commands: What reads the commands of each.
    """

    def __init__(self, games: Games) -> None:
        """Take the registered games."""
        self.games = games
        self.commands = {
            game.id: msgspec.json.Decoder(reduce(or_, command_types(game).values()))
            for game in games.values()
        }


def _difference(made: Link, stored: Link) -> str:
    """Return what is wrong with a link, for people."""
    if made.previous != stored.previous:
        return "the hash before is not that of the event before, or of the match"
    if made.commitments != stored.commitments:
        return "an audience was not committed to what the rules let it see"
    return "the hash is not that of the event"
