"""The medians of a result, and whether targets are met."""

import statistics

import words
import workloads
from rivals import OURS

TILE_CACHE = 512 * 2**20


def figure(result: dict, name: str | None) -> float | None:
    """The median of a contender's times, or its replacement."""
    if "figures" in result:
        return result["figures"].get(name)
    samples = result["samples"].get(name)
    if not samples:
        return None
    return statistics.median(sample["seconds"] for sample in samples)


def best_rival(workload, result: dict) -> str | None:
    there = [name for name in workload.rivals if result["samples"].get(name)]
    return min(there, default=None, key=lambda name: figure(result, name))


def verdict(workload, result: dict) -> tuple[str, str]:
    """The targets, and whether each of them is met."""
    asked, reached = [], []
    for text, holds in _aims(workload, result):
        asked.append(text)
        reached.append({None: words.NONE, True: "yes", False: "no"}[holds])
    return ("; ".join(asked) or words.NONE, "; ".join(reached) or words.NONE)


def _aims(workload, result):
    """Each target as text, and whether it is met; None if unknown."""
    aim, ours = workload.aim, figure(result, OURS)

    def holds(reached, *needed):
        return None if None in (ours, *needed) else reached()

    for faster, than in aim.ratios:
        theirs = figure(result, than or best_rival(workload, result))
        of = f" {than}" if than else ""
        text = (f"≥ {faster:g} ×{of}" if faster >= 1
                else f"≤ {1 / faster:g} × the time of{of}")
        yield text, holds(lambda: theirs >= faster * ours, theirs)
    if aim.limit:
        limit = figure(result, workload.limit)
        yield (f"≤ {aim.limit:g} × limit",
               holds(lambda: ours <= aim.limit * limit, limit))
    if aim.seconds:
        yield (f"< {words.time(aim.seconds)}",
               holds(lambda: ours < aim.seconds))
    if aim.memory:
        beside, cache = "", 0
        if isinstance(workload, workloads.Workload):
            beside = " besides the tiles"
            cache = min(TILE_CACHE, workload.rasters[0].decoded_bytes)
        yield (f"< {words.megabytes(aim.memory)}{beside}",
               holds(lambda: _most(result, "peak") < aim.memory + cache))
    if aim.decodes_once:
        facts = result.get("facts", {})
        yield "each tile decoded once", holds(
            lambda: facts["decoded"] <= facts["touched"],
            facts.get("decoded"))
    yield from _far_aims(aim, result, holds)


def _far_aims(aim, result, holds):
    facts = result.get("facts", {})
    if aim.requests is not None:
        yield (f"≤ runs + {aim.requests} requests", holds(
            lambda: _most(result, "requests") <= facts["runs"] + aim.requests))
    if aim.traffic:
        yield (f"≤ {aim.traffic:g} × the bytes of tiles and header", holds(
            lambda: _most(result, "bytes")
            <= aim.traffic * (facts["size"] + facts["header"])))


def _most(result, key):
    """The maximum over all of Plumb's runs."""
    return max(sample[key] for sample in result["samples"][OURS])
