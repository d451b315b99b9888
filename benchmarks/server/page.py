"""The page of the server's results."""

import subprocess
from importlib.metadata import version

import events
import machine
import remote
import servers
import words
from inputs import POSITIONS, SAMPLES
from rows import ROWS

HEAD = """\
# Plumb's server and its rivals

Written by `benchmarks/server/run --soak 20`. Each server runs on core 0, and the load
generator on core 1. Rates are measured with `wrk`, with 8 persistent connections and
2,000 different requests. The 99th percentile of the time is measured with `h2load` at
half of that rate. The results of 200 requests are compared before a ratio is printed.
Rivals run with one worker, once with each of their ways to read the data; the best
result counts. MapServer opens the raster again for each request, and therefore decodes
one of its tiles of 512 x 512 cells each time, while Plumb and titiler cache the tiles.
MapServer is faster with smaller tiles. `plumb draw` and Mapnik use all cores. Mapnik
draws neither hill shading nor a legend.
"""
SUMMARY = ("| request | Plumb | best rival | its rate | ratio | 99th percentile |"
           " target | met |",
           "|---|--:|---|--:|--:|--:|---|---|")
SAMPLES_ASKED, POSITIONS_ASKED, DRAW_ASKED, GROWTH_ASKED = 200, 20, 1, 0.05


def line(row, result) -> str:
    """One row, for the terminal."""
    rates = ", ".join(f"{name} {rate:,.1f}/s"
                      for name, rate in result["rates"].items())
    return (f"({row.key}) {rates}; failed {sum(result['failed'].values())}, "
            f"differing {result['differing']}, skipped {result['skipped']}, "
            f"99th percentile {words.time(result.get('slowest'))}")


def whole(results: dict) -> str:
    table = [*SUMMARY, *(_row(row, results[row.key]) for row in ROWS),
             _samples(results["samples"], results["point"]),
             _positions(results["positions"], results["position"]),
             _draw(results["draw"])]
    every = ["| request | server | requests a second | failed | commit |",
             "|---|---|--:|--:|---|"]
    for row in ROWS:
        result = results[row.key]
        every += [words.row(row.title, name, f"{rate:,.1f}",
                            result["failed"][name], result["commit"])
                  for name, rate in result["rates"].items()]
    return "\n".join([HEAD, *table, "", "## Every server", "", *every, "",
                      "## A map of a remote service", "",
                      *_remote(results["remote"]), "",
                      "## Events of a monitor", "",
                      *events.lines(results["events"]), "",
                      "## The soak", "", _soak(results["soak"]), "",
                      "## The machine", "", *_machine(results), ""])


def _row(row, result):
    ours, *_ = result["rates"].values()
    rivals = list(result["rates"].items())[1:]
    name, theirs = max(rivals, key=lambda each: each[1])
    slowest = result.get("slowest")
    asked, reached = f"≥ {row.asked:g} ×", [ours >= row.asked * theirs]
    if row.slowest:
        asked += f"; < {words.time(row.slowest)}"
        reached.append(slowest < row.slowest)
    differing = result["differing"]
    return words.row(
        row.title, f"{ours:,.0f}/s", name, f"{theirs:,.1f}/s",
        words.NONE if differing else words.number(ours / theirs),
        words.time(slowest), asked,
        "results differ" if differing else _verdict(reached))


def _samples(result, point):
    theirs = point["rates"]["titiler"]
    ratio = result["rate"] / theirs
    return words.row(
        f"`getSamples` of {SAMPLES:,} points in one request: "
        f"{words.time(result['seconds'])}, peak memory "
        f"{words.megabytes(result['peak'])} ({result['commit']})", f"{result['rate']:,.0f}/s",
        "titiler", f"{theirs:,.1f}/s",
        words.NONE if result["differing"] else words.number(ratio),
        words.NONE, f"≥ {SAMPLES_ASKED} ×",
        "results differ" if result["differing"]
        else _verdict([ratio >= SAMPLES_ASKED]))


def _positions(result, position):
    """Compares points per second; pygeoapi takes one point per request."""
    name, theirs = next(each for each in position["rates"].items()
                        if each[0] != "Plumb")
    ratio = result["rate"] / theirs
    return words.row(
        f"EDR `position` of {POSITIONS:,} points in one request: "
        f"{words.time(result['seconds'])} ({result['commit']}), points",
        f"{result['rate']:,.0f}/s", name, f"{theirs:,.1f}/s",
        words.NONE if result["differing"] else words.number(ratio),
        words.NONE, f"≥ {POSITIONS_ASKED} ×",
        "results differ" if result["differing"]
        else _verdict([ratio >= POSITIONS_ASKED]))


def _remote(result):
    """One command against a client with one request per point."""
    one = "one request per point"
    table = ["| client | requests | time | share of one request per point |"
             " target | met |", "|---|--:|--:|--:|---|---|"]
    for name, seconds in result["seconds"].items():
        shares = (result["requests"][name] / result["requests"][one],
                  seconds / result["seconds"][one])
        is_ours = name == "Plumb"
        table.append(words.row(
            name, f"{result['requests'][name]:,}", words.time(seconds),
            f"{shares[0]:.1%} of the requests, {shares[1]:.1%} of the time",
            f"≤ {remote.SHARE_ASKED:.0%} of both" if is_ours else words.NONE,
            words.NONE if not is_ours else "results differ"
            if result["differing"] else
            _verdict([max(shares) <= remote.SHARE_ASKED])))
    return [
        f"At commit {result['commit']}: the polygons at {remote.POINTS:,} points, from a "
        f"feature service with 100,000 polygons and a latency of {remote.LATENCY * 1e3:g} ms. "
        "Plumb is the whole command `plumb identify`. The other clients use "
        "Python's http.client with persistent connections.", "", *table]


def _draw(result):
    ours, theirs = result["Plumb"], result["Mapnik"]
    return words.row(
        f"`plumb draw` of the sample map, whole process ({result['commit']})",
        words.time(ours),
        "python3-mapnik", words.time(theirs), words.number(theirs / ours),
        words.NONE, f"≥ {DRAW_ASKED} ×",
        _verdict([theirs >= DRAW_ASKED * ours]))


def _soak(result):
    memory = result["memory"]
    return (f"At commit {result['commit']}: "
            f"{result['requests']:,} requests in {result['seconds']:,} s: "
            "a mix of identify, points, queries, buffers, pictures, legends and "
            f"descriptions. {result['failed']} requests failed. The memory in use "
            f"was {words.megabytes(memory[1])} after a minute, "
            f"{words.megabytes(max(memory))} at most and "
            f"{words.megabytes(memory[-1])} at the end, a growth of "
            f"{result['growth']:.1%} (target: under {GROWTH_ASKED:.0%}). "
            f"After SIGTERM, the server exited with status {result['status']}.")


def _verdict(reached):
    return "; ".join("yes" if each else "no" for each in reached)


def _machine(results):
    facts = machine.facts()
    rows = {name: facts[name] for name in (
        "CPU", "cores", "memory", "system", "Swift", "Python")}
    # Results of another commit may be from another machine.
    for result in results.values():
        if result["CPU"] != facts["CPU"]:
            name = f"CPU of {result['commit']}"
            rows[name] = result["CPU"]
    mapnik = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "python3-mapnik"],
        capture_output=True, text=True).stdout
    rows |= {
        "MapServer, nginx": f"{_second('mapserv', '-v', at=2)}, "
                            + _second("nginx", "-v", at=-1),
        "titiler.core, uvicorn": f"{version('titiler.core')}, "
                                 + version("uvicorn"),
        "pygeoapi": version("pygeoapi"),
        "python3-mapnik": mapnik,
        "wrk, h2load": f"{_second('wrk', '-v', at=1)}, "
                       + _second("h2load", "--version", at=-1)}
    return ["| | |", "|---|---|",
            *(words.row(*each) for each in rows.items())]


def _second(*command, at):
    """A word of the first line of a program's version output."""
    return servers.version(*command).split()[at]
