"""The search for leaks finds every leak that is made on purpose."""

from tests.support.leaks import leaking_variants
from tests.support.random_matches import Table
from tests.support.twins import Leak, look_for_leaks

FOUND_IN = range(4)
"""The matches that show what is hidden."""
LOOKED_FOR_IN = range(4, 14)
"""The matches in which leaks are looked for."""


def test_every_leak_is_found(company: Table) -> None:
    """A game that tells anybody anything hidden, in whatever way, does not pass (common §5)."""
    unnoticed = []
    variants = list(leaking_variants(company, FOUND_IN))
    for how, game in variants:
        try:
            look_for_leaks(Table(game, company.seats), LOOKED_FOR_IN)
        except Leak:
            continue
        unnoticed.append(how)
    assert not unnoticed, f"{len(unnoticed)} of {len(variants)}"
    assert variants
