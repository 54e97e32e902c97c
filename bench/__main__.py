"""Runs the benchmarks and prints their tables."""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser

from bench import (
    audit,
    commands,
    fanout,
    games,
    idle,
    listing,
    memory,
    montana_rules,
    proof,
    replay,
    slope,
    store,
)

NAMES = (
    "rules",
    "games",
    "store",
    "commands",
    "fanout",
    "listing",
    "replay",
    "proof",
    "audit",
    "memory",
    "slope",
    "idle",
)


def main() -> None:
    """Run what the command line asks for."""
    parser = ArgumentParser(
        prog="python -m bench",
        description="How fast Montane is; every figure stands beside a bound measured in the same run.",
        formatter_class=ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("what", nargs="*", help=f"{', '.join(NAMES)}; all if none is named")
    parser.add_argument("--deals", type=int, default=300, help="rules: deals a round plays, numbered from 0")
    parser.add_argument(
        "--rounds", type=int, default=7, help="rules, games, proof, audit: rounds, of which the median counts"
    )
    parser.add_argument(
        "--played", type=int, default=30, help="games, proof, audit: random matches a round plays"
    )
    parser.add_argument("--profile", action="store_true", help="rules: print the profiler's view too")
    parser.add_argument("--seconds", type=float, default=2, help="store, commands: how long a round takes")
    parser.add_argument(
        "--matches", type=int, default=200_000, help="commands, listing: how many stored matches are many"
    )
    parser.add_argument("--minutes", type=float, default=20, help="slope: how long is played")
    parser.add_argument("--settle", type=float, default=60, help="idle: seconds before the measurement")
    arguments = parser.parse_args()
    wanted = arguments.what or list(NAMES)
    if unknown := set(wanted) - set(NAMES):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    if "rules" in wanted:
        montana_rules.throughput(arguments.deals, arguments.rounds)
        montana_rules.breakdown(max(1, arguments.deals // 10), arguments.rounds)
        montana_rules.folding(max(1, arguments.deals // 3), arguments.rounds)
        if arguments.profile:
            montana_rules.profile(arguments.deals)
    if "games" in wanted:
        games.compare(arguments.played, arguments.rounds)
    if "store" in wanted:
        store.compare(arguments.seconds, rounds=3)
    if "commands" in wanted:
        commands.compare(arguments.seconds, rounds=3)
        commands.long_matches(rounds=5)
        commands.many_matches(1_000, arguments.matches, arguments.seconds, rounds=5)
    if "fanout" in wanted:
        fanout.compare()
    if "listing" in wanted:
        listing.compare(arguments.matches)
    if "replay" in wanted:
        replay.compare(rounds=200)
    if "proof" in wanted:
        proof.compare(arguments.played, arguments.rounds)
        commands.proved(arguments.seconds, rounds=5)
    if "audit" in wanted:
        audit.compare(arguments.played, arguments.rounds)
    if "memory" in wanted:
        memory.by_length()
    if "idle" in wanted:
        idle.measure(arguments.settle)
    if "slope" in wanted:
        slope.measure(arguments.minutes)


if __name__ == "__main__":
    main()
