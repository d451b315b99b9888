"""Compares the events of the geotrigger workloads."""

import numpy as np

from agreement import Agreement
from geotrigger_inputs import GeotriggerInputs, polygons
from geotrigger_workloads import GeotriggerWorkload
from rivals import OURS, prefix


def compare(workload: GeotriggerWorkload, given: GeotriggerInputs,
            samples: dict) -> Agreement:
    """Compares all contenders with the first rival; live events with the
    result of shapely."""
    agreement = Agreement()
    if workload.kind == "live":
        _live(agreement, workload, given, samples)
        return agreement
    first = workload.rivals[0]
    expected = _events(first, given)
    agreement.values = len(expected)
    for name in samples:
        if name != first:
            agreement.compare(name, expected, _events(name, given))
    is_entry = expected >> 20 & 1
    agreement.notes.append(
        f"{is_entry.sum():,} events entered and {(1 - is_entry).sum():,} "
        "exited compared, with entity, fence and location")
    if OURS in samples:
        _facts(agreement, workload, given, samples)
    return agreement


def _events(name, given):
    return np.load(f"{prefix(name, given)}_events.npy")


def _facts(agreement, workload, given, samples):
    entity = np.load(f"{prefix(OURS, given)}_entities.npy")
    location = _events(OURS, given) >> 21
    agreement.compare(f"{OURS}'s entities", given.load("entity")[location],
                      entity.astype(float))
    seconds = np.median([run.seconds for run in samples[OURS]])
    printed = samples[OURS][-1].printed
    # Memory from before was released.
    more = max(0, printed["state_bytes"])
    agreement.notes.append(
        f"Plumb takes {workload.locations / seconds:,.0f} locations per "
        "second; its fences and their index have "
        f"{printed['fence_bytes'] / 1e6:,.1f} MB, "
        f"{printed['fence_bytes'] / workload.fences:,.0f} bytes each, and "
        f"{more / 1e6:,.1f} MB more are in use at the end")


# Live

def _live(agreement, workload, given, samples):
    expected = _by_shapely(given)
    agreement.values = len(expected)
    for name, runs in samples.items():
        printed = runs[-1].printed
        if name == OURS:
            found = np.fromfile(f"{prefix(name, given)}_events.txt", int,
                                sep=" ").reshape(-1, 3).T
            agreement.compare(name, expected, np.sort(
                (found[0] << 1 | found[1]) << 20 | found[2]))
        agreement.notes.append(
            f"{name}: {printed['lines']:,} lines returned, half of them "
            f"within {_micro(printed['half'])}, 99 of 100 within "
            f"{_micro(printed['most'])}, 999 of 1,000 within "
            f"{_micro(printed['thousandth'])}, all within "
            f"{_micro(printed['all'])}; lines were written late by "
            f"{_micro(printed['late_half'])} at the median and "
            f"{_micro(printed['late_most'])} at the 99th of 100, "
            f"{printed['rate']:,.0f} a second")


def _micro(nanoseconds):
    return f"{nanoseconds / 1000:,.1f} µs"


def _by_shapely(given):
    import shapely

    entity = given.load("entity").astype(int)
    tree = shapely.STRtree(polygons(
        given.load("xy").reshape(-1, 2), given.load("ends").astype(int)))
    points = shapely.points(given.load("x"), given.load("y"))
    held = [set() for _ in range(len(points))]
    hits = tree.query(points, predicate="intersects")
    for location, fence in hits.T.tolist():
        held[location].add(fence)
    inside = {}
    found = []
    for location, who in enumerate(entity.tolist()):
        before, now = inside.get(who, set()), held[location]
        found += [location << 21 | fence for fence in before - now]
        found += [(location << 1 | 1) << 20 | fence for fence in now - before]
        inside[who] = now
    return np.sort(np.array(found, int))
