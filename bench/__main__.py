"""Runs the benchmarks and prints their tables."""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser

from bench import montana_rules


def main() -> None:
    """Run what the command line asks for."""
    parser = ArgumentParser(
        prog="python -m bench",
        description="How fast the rules of Montana are, in moves per CPU second on one core.",
        formatter_class=ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--deals", type=int, default=300, help="deals a round plays, numbered from 0")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the median counts")
    parser.add_argument("--profile", action="store_true", help="print the profiler's view too")
    arguments = parser.parse_args()
    montana_rules.throughput(arguments.deals, arguments.rounds)
    montana_rules.breakdown(max(1, arguments.deals // 10), arguments.rounds)
    montana_rules.folding(max(1, arguments.deals // 3), arguments.rounds)
    if arguments.profile:
        montana_rules.profile(arguments.deals)


if __name__ == "__main__":
    main()
