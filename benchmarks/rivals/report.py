"""The page: medians, ratios and targets."""

import statistics
from pathlib import Path

import earlier
import pictures
import words
import workloads
from figures import best_rival, figure, verdict
from rivals import OURS
from rules import RULES
from running import named

HEAD = """\
# Plumb and its rivals

Written by `benchmarks/rivals/run`. All contenders run the same workloads in
turn, round after round, and their results are compared before a ratio is
printed. Times are medians.
"""

SUMMARY = (
    "| workload | Plumb | best rival | its time | ratio | bare limit"
    " | Plumb ÷ limit | target | met |",
    "|---|--:|---|--:|--:|--:|--:|---|---|")
MACHINE = "## The machine\n"


def write(target: Path, results: dict, facts: dict | None,
          scale: float = 1) -> None:
    """Writes the page, and its pictures next to it.

    Workloads that are not in `results` keep their text, and so does the
    machine without `facts`.
    """
    before = target.read_text() if scale == 1 and target.exists() else ""
    rows, sections = earlier.rows(before), earlier.sections(before)
    for workload in workloads.WORKLOADS:
        if workload.key in results:
            workload = workload.scaled(scale)
            result = results[workload.key]
            rows[workload.key] = _summary_row(workload, result)
            sections[workload.key] = lines(workload, result)
    known = [w.key for w in workloads.WORKLOADS if w.key in sections]
    rows = {key: rows[key] for key in known}
    parts = [HEAD]
    for name, title, drawn in pictures.of_page(rows, sections):
        (target.parent / name).write_text(drawn)
        parts.append(f"![{title}]({name})\n")
    if scale != 1:
        parts.append(f"A trial at {scale:g} of the size.\n")
    machine = _facts(facts) if facts else earlier.machine(before)
    parts += ["\n".join([*SUMMARY, *rows.values()]) + "\n", MACHINE, machine,
              "## Every contender\n", *(sections[key] for key in known),
              RULES]
    target.write_text("\n".join(parts))


def line(workload, result) -> str:
    """A workload as one line, for a smoke test."""
    agreement = result["agreement"]
    if result["equal"]:
        state = f"equal, {agreement['values']:,} values"
    else:
        state = f"RESULTS DIFFER, {_wrong(agreement)}"
    there = ", ".join(result["samples"])
    there += f" and {agreement['against']}" * bool(agreement["against"])
    absent = f"; missing: {named(result['skipped'])}"
    return (f"({workload.key}) {state}: {there}"
            + absent * bool(result["skipped"]))


def lines(workload, result) -> str:
    """A workload with all its contenders, as Markdown."""
    text = [f"### ({workload.key}) {workload.title}\n", _about(result), "",
            "| contender | median | min | max | CPU | peak memory | rounds |"
            " Plumb is × as fast |",
            "|---|--:|--:|--:|--:|--:|--:|--:|"]
    ours = figure(result, OURS)
    for name, samples in result["samples"].items():
        seconds = [sample["seconds"] for sample in samples]
        ratio = words.NONE
        if (ours and result["equal"] and name != OURS
                and "figures" not in result):
            ratio = words.number(statistics.median(seconds) / ours)
        inside = samples[0]["inside"]
        text.append(words.row(
            name, words.time(statistics.median(seconds)),
            words.time(min(seconds)), words.time(max(seconds)),
            words.NONE if inside else words.time(_middle(samples, "cpu")),
            words.NONE if inside else words.megabytes(
                _middle(samples, "peak")),
            len(samples), ratio))
    return "\n".join(text) + "\n"


def _about(result):
    agreement = result["agreement"]
    equal = "all results are equal"
    if not result["equal"]:
        equal = f"**results differ**: {_wrong(agreement)}"
    measured = (f"Measured {result['day']}, commit {result['commit']}"
                + f", load {result['load']:.2f}" * ("load" in result) + ".")
    if result.get("skipped"):
        measured += f" Missing: {named(result['skipped'])}."
    if "about" in result:
        notes = "; ".join([
            *agreement["notes"], *_decoding(result),
            *[f"compared with {agreement['against']}"]
            * bool(agreement.get("against"))])
        return f"{result['about']} {notes}: {equal}. {measured}"
    origin = " Stand-in rasters." if result["stand-in"] else ""
    size = sum(result["bytes"]) / 1e6
    return (f"{len(result['bytes'])} file(s) of {size:,.0f} MB together; "
            f"{result['touched']:,} of {result['tiles']:,} tiles touched. "
            f"{agreement['values']:,} values compared, "
            f"{agreement['with_value']:,} of them not empty: {equal}. "
            f"{measured}{origin}")


def _decoding(result):
    """The best CPU times, if they are compared."""
    if "figures" in result:
        best = ", ".join(
            f"{name} {words.time(min(sample['user'] for sample in samples))}"
            for name, samples in result["samples"].items())
        yield f"user CPU, the best of all rounds: {best}"


def _wrong(agreement):
    return ", ".join(f"{name} in {count:,}" for name, count
                     in agreement["differing"].items() if count)


def _summary_row(workload, result):
    ours = figure(result, OURS)
    rival = best_rival(workload, result)
    theirs = figure(result, rival)
    limit = figure(result, workload.limit)
    asked, reached = verdict(workload, result)
    compare = ours is not None and result["equal"]
    if not result["equal"]:
        reached = "results differ"
    return words.row(
        f"({workload.key}) {workload.title}", words.time(ours),
        rival or words.NONE, words.time(theirs),
        words.number(theirs / ours) if compare and theirs else words.NONE,
        words.time(limit),
        words.number(ours / limit) if compare and limit else words.NONE,
        asked, reached)


def _middle(samples, key):
    return statistics.median(sample[key] for sample in samples)


def _facts(facts):
    rows = [words.row(name, value) for name, value in facts.items()]
    return "\n".join(["| | |", "|---|---|", *rows]) + "\n"
