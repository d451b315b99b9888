"""The command line of the suite. Nothing here needs what `run` installs."""

import argparse


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/rivals/run",
        description="Runs Plumb and its rivals in turn, checks that their "
        "answers are equal, and writes benchmarks/RESULTS.md.",
        allow_abbrev=False)
    parser.add_argument(
        "--only", metavar="KEYS",
        help="workloads, such as a,f-none,p; p takes all of that letter, g- "
        "those that have a name after it")
    parser.add_argument("--rounds", type=int, default=5, metavar="N",
                        help="rounds of all contenders (5)")
    parser.add_argument(
        "--scale", type=float, default=1, metavar="F",
        help="share of the places and cells, for trying (1); the table goes "
        "to benchmarks/work/TRIAL.md then")
    parser.add_argument("--keep", action="store_true",
                        help="keep the inputs and answers")
    parser.add_argument("--rivals-only", action="store_true",
                        help="measure the rivals without Plumb")
    return parser.parse_args()


if __name__ == "__main__":
    parse()
