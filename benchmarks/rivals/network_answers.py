"""Compares the results on networks."""

import json

import numpy as np
import pandas as pd

from agreement import Agreement
from network_inputs import NetworkInputs
from network_workloads import WNTR, NetworkWorkload
from rivals import OURS, prefix

MATTERS = ("junctions", "edges", "connectedComponents", "controllers")


def compare(workload: NetworkWorkload, given: NetworkInputs,
            samples: dict) -> Agreement:
    """Compares all contenders with the first rival."""
    agreement = Agreement()
    check = {"info": _facts, "network-flood": _reached, "inp": _part,
             "network-segments": _segments}
    check.get(workload.kind, _isolations)(agreement, workload, given, samples)
    return agreement


def _facts(agreement, workload, given, samples):
    def facts(name):
        printed = samples[name][-1].printed
        found = [printed[key] for key in MATTERS]
        return np.array([len(each) if isinstance(each, list) else each
                         for each in found])

    expected = facts(workload.rivals[0])
    agreement.values = expected.size
    agreement.notes.append(
        ", ".join(f"{value:,} {key}" for key, value in zip(MATTERS, expected)))
    for name in samples:
        agreement.compare(name, expected, facts(name))


def _load(name, given, what):
    return np.load(f"{prefix(name, given)}_{what}.npy")


def _reached(agreement, workload, given, samples):
    first = workload.rivals[0]
    counts = []
    for what in ("nodes", "pipes"):
        expected = _load(first, given, what)
        counts.append(len(expected))
        agreement.values += expected.size
        for name in samples:
            agreement.compare(name, expected, _load(name, given, what))
    agreement.notes.append("{:,} nodes and {:,} pipes are reached".format(
        *counts))


def _isolations(agreement, workload, given, samples):
    first = workload.rivals[0]
    names = {"isolating": "valves to close", "idle": "valves that bound the "
             "area but need not be closed", "nodes": "nodes and",
             "pipes": "pipes without supply"}
    parts = []
    for what, words in names.items():
        expected = _load(first, given, what)
        parts.append(f"{expected.size:,} {words}")
        agreement.values += expected.size
        for name in samples:
            agreement.compare(name, expected, _load(name, given, what))
    agreement.notes.append(
        f"{workload.starts} starts together have {parts[0]}, {parts[1]}, "
        f"{parts[2]} {parts[3]}")
    if OURS in samples:
        facts = [sample.printed for sample in samples[OURS]]
        mean, median, most, search, whole = (
            1e3 * np.median([each[key] for each in facts])
            for key in ("mean", "median", "most", "search", "whole"))
        agreement.notes.append(
            f"Plumb takes {median:.3g} ms at the median, {mean:.3g} ms on "
            f"average, for 99 % at most {most:.3g} ms; finding controllers "
            f"takes {search:.3g} ms, the whole trace {whole:.3g} ms")


def _segments(agreement, workload, given, samples):
    """Compares segments regardless of their numbers."""
    def pieces(name):
        nodes, edges = (_load(name, given, what)
                        for what in ("nodes", "edges"))
        pairs = _load(name, given, "pairs").reshape(-1, 2)
        items = np.concatenate([nodes, edges])
        found, first, inverse = np.unique(items, return_index=True,
                                          return_inverse=True)
        bounds = np.stack([first[np.searchsorted(found, pairs[:, 0])],
                           pairs[:, 1]], axis=1)
        return first[inverse], np.unique(bounds, axis=0), np.sum(found >= 0)

    expected, bounds, count = pieces(workload.rivals[0])
    agreement.values = expected.size + len(bounds)
    for name in samples:
        if name.startswith(WNTR):
            continue  # Another network; compared separately.
        labels, at, _ = pieces(name)
        agreement.compare(name, expected, labels)
        agreement.compare(name, bounds, at)
    agreement.notes.append(f"{count:,} segments of {expected.size:,} elements "
                           f"and {len(bounds):,} bounding valves compared")


def _part(agreement, workload, given, samples):
    """Compares segments as sets, each with the valves that bound it."""
    valves = pd.read_csv(given.valve_layer)
    theirs = json.loads(prefix(WNTR, given).with_suffix(".json").read_text())
    expected = {}
    for kind in ("nodes", "links"):
        for name, label in theirs[kind].items():
            expected.setdefault(label, {"nodes": set(), "links": set(),
                                        "valves": set()})[kind].add(name)
    for link, node in zip(valves["link"], valves["node"]):
        for label in (theirs["links"][link], theirs["nodes"][node]):
            expected[label]["valves"].add(f"{link}@{node}")

    def sets(segments):
        return {tuple(frozenset(segment[key]) for key in
                      ("nodes", "links", "valves")) for segment in segments}

    wanted = sets(expected.values())
    agreement.values = len(wanted)
    agreement.notes.append(f"{len(wanted):,} segments compared")
    if OURS in samples:
        text = prefix(OURS, given).with_suffix(".json").read_text()
        found = sets(json.loads(text)["segments"])
        agreement.differing[OURS] = len(wanted ^ found)
