"""Shared code of the rivals of the network workloads."""

import json

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def graph(edges, count):
    """The graph in CSR form, with both directions of each edge."""
    here = np.concatenate([edges[:, 0], edges[:, 1]])
    there = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int32)
    order = np.argsort(here, kind="stable")
    starts = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(here, minlength=count), out=starts[1:])
    ones = np.ones(len(here))
    return csr_array((ones, there[order], starts), shape=(count, count))


class Network:
    """A city's arrays: `edges` between nodes, and the kinds of nodes."""

    def __init__(self, folder):
        self.edges = np.load(f"{folder}/edges.npy")
        kinds = np.load(f"{folder}/kinds.npy")
        self.count = len(kinds)
        self.is_valve = kinds == "V"
        self.supplies = np.flatnonzero(kinds == "S")

    def graph(self):
        return graph(self.edges, self.count)

    def kept(self):
        """The edges without a valve at an end."""
        return self.edges[~self.is_valve[self.edges].any(axis=1)]

    def label_segments(self, nodes):
        """The segment of each node and of each edge; -1 for valves.

        `nodes` are the labels of the components without valves.
        """
        nodes = nodes.astype(np.int64)
        nodes[self.is_valve] = -1
        ends = nodes[self.edges]
        edges = ends.max(axis=1)
        alone = np.flatnonzero(edges < 0)
        edges[alone] = nodes.max() + 1 + np.arange(len(alone))
        return nodes, edges

    def pairs(self, edges):
        """Rows of a segment and a valve that bounds it."""
        at = np.concatenate([
            np.stack([edges, end], axis=1)[self.is_valve[end]]
            for end in self.edges.T])
        return np.unique(at, axis=0)

    def components(self):
        """Labels of the components without valves, from scipy."""
        return connected_components(
            graph(self.kept(), self.count), directed=False)[1]


def starts(out):
    """The starts, next to the results."""
    folder = out.rpartition("/")[0]
    return np.load(f"{folder}/starts.npy").astype(int)


def per_call(times, **others):
    """The line with the times of single calls in seconds, for the suite."""
    times = np.array(times)
    print(json.dumps({
        "nanoseconds_per_call": float(np.median(times)) * 1e9,
        "mean": float(times.mean()), "median": float(np.median(times)),
        "most": float(np.quantile(times, 0.99)), **others}))
