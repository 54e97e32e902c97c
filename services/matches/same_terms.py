"""Which matches were opened alike, so that anyone who wants the one may as well sit down in the other."""

from hashlib import sha256
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.match import PlayerId, Terms
from domain.shared.canonical import canonical


def fit_of(terms: Terms[Any]) -> str:
    """Return what is the same for matches on the same terms, anyone who opens them, and for no others."""
    alike = replace(terms, opener=PlayerId(""), seed_commitment="", max_commands=UNSET)
    return sha256(canonical(alike)).hexdigest()
