"""What a seat may ask for in a match of any game."""

from msgspec import Struct


class Resign(Struct, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the match up; open to every seat that has not resigned, at any time (common §6)."""
