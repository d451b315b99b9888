"""The command line of the suite. Needs nothing that `run` installs."""

import argparse

SMOKE = {"scale": 0.01, "rounds": 1}
"""The defaults of `--smoke`."""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/rivals/run",
        description="Runs Plumb and its rivals in turn, checks that their "
        "results are equal, and writes benchmarks/RESULTS.md.",
        allow_abbrev=False)
    parser.add_argument(
        "--only", metavar="KEYS",
        help="workloads, such as a,f-none,p; p selects all of that letter, g- "
        "those with a name after it")
    parser.add_argument("--rounds", type=int, metavar="N",
                        help="rounds of all contenders (5)")
    parser.add_argument(
        "--scale", type=float, metavar="F",
        help="share of the points and cells, for a trial (1); writes the "
        "table to benchmarks/work/TRIAL.md")
    parser.add_argument(
        "--growth-max", type=float, default=1e7, metavar="N",
        help="the maximum number of rows of the workloads growth-… (1e7); "
        "1e8 takes 10 GB of disk and, for polars, 16 GB of memory")
    parser.add_argument("--keep", action="store_true",
                        help="keep the inputs and results")
    parser.add_argument("--rivals-only", action="store_true",
                        help="measure the rivals without Plumb")
    parser.add_argument("--no-build", action="store_true",
                        help="use Plumb's programs without building them")
    parser.add_argument(
        "--smoke", action="store_true",
        help="run every workload once at a small size, with the available "
        "rivals, install nothing, and exit with status 1 if results differ")
    parser.add_argument("--page", action="store_true",
                        help="write the page and its pictures again from the "
                        "existing page, and measure nothing")
    options = parser.parse_args()
    usual = SMOKE if options.smoke else {"scale": 1, "rounds": 5}
    for name, value in usual.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    parse()
