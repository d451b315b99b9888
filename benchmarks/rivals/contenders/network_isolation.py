"""The valves that cut a junction off from all supplies, and the elements
without supply as a result, by scipy."""

import time

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, connected_components

from geometry import Task
from network import Network, graph, per_call, starts

task = Task("segments", "whole")
network = Network(task.options.folder)
labels, edge_labels = network.label_segments(network.components())
no_nodes = np.empty(0, np.int64)


class Segments:
    """Uses an existing graph of segments that are connected by valves."""

    def __init__(self):
        pairs = network.pairs(edge_labels)
        self.count = edge_labels.max() + 1
        order = np.argsort(pairs[:, 1], kind="stable")
        valves, first, size = np.unique(
            pairs[order, 1], return_index=True, return_counts=True)
        sides = pairs[order, 0]
        # For each valve the segments on its sides; a single one twice.
        self.sides = np.full((network.count, 2), -1)
        self.sides[valves, 0] = sides[first]
        self.sides[valves, 1] = sides[first + size - 1]
        self.valves = valves
        self.joined = self.sides[valves]
        self.supplied = np.unique(labels[network.supplies])
        order = np.argsort(labels, kind="stable")
        self.nodes = order
        self.node_ends = np.searchsorted(labels[order],
                                         np.arange(self.count + 1))
        self.pipes = np.argsort(edge_labels, kind="stable")
        self.pipe_ends = np.searchsorted(edge_labels[self.pipes],
                                         np.arange(self.count + 1))
        self.valves_at = pairs[:, 1]
        self.valve_ends = np.searchsorted(pairs[:, 0],
                                          np.arange(self.count + 1))

    def isolate(self, start):
        own = labels[start]
        valves = self.valves_at[self.valve_ends[own]:self.valve_ends[own + 1]]
        if own in self.supplied:
            return no_nodes, valves, no_nodes, no_nodes
        others = self.joined[(self.joined != own).all(axis=1)]
        pieces = connected_components(graph(others, self.count),
                                      directed=False)[1]
        beyond = self.sides[valves].sum(axis=1) - own
        is_fed = (beyond != own) & np.isin(pieces[beyond],
                                           pieces[self.supplied])
        dark = np.isin(pieces, np.append(pieces[beyond[~is_fed]],
                                         pieces[own]))
        chosen = np.flatnonzero(dark)
        nodes = np.concatenate([self.nodes[self.node_ends[s]:
                                           self.node_ends[s + 1]]
                                for s in chosen])
        pipes = np.concatenate([self.pipes[self.pipe_ends[s]:
                                           self.pipe_ends[s + 1]]
                                for s in chosen])
        inner = np.concatenate([self.valves_at[self.valve_ends[s]:
                                               self.valve_ends[s + 1]]
                                for s in chosen])
        inner = inner[dark[self.sides[inner]].all(axis=1)]
        return valves[is_fed], valves[~is_fed], np.append(nodes, inner), pipes


class Whole:
    """Floods the whole network twice, without its segments."""

    def __init__(self):
        self.cut = graph(network.kept(), network.count)
        # Pipes lead from the segment to valves, but not on from valves.
        self.full = network.graph()

    def neighbours(self, nodes):
        return np.concatenate([
            self.full.indices[self.full.indptr[n]:self.full.indptr[n + 1]]
            for n in nodes])

    def isolate(self, start):
        area = breadth_first_order(self.cut, start, return_predecessors=False)
        valves = self.neighbours(area)
        valves = np.unique(valves[network.is_valve[valves]])
        if np.isin(network.supplies, area).any():
            return no_nodes, valves, no_nodes, no_nodes
        closed = np.zeros(network.count, bool)
        closed[valves] = True
        left = self.full.copy()
        left.data[closed[left.indices]] = 0
        for valve in valves:
            left.data[left.indptr[valve]:left.indptr[valve + 1]] = 0
        left.eliminate_zeros()
        pieces = connected_components(left, directed=False)[1]
        fed = np.unique(pieces[network.supplies])
        beyond = [self.neighbours([valve]) for valve in valves]
        is_fed = np.array([np.isin(pieces[nodes], fed).any()
                           for nodes in beyond])
        around = pieces[np.concatenate(beyond)]
        dark = np.isin(pieces, around[~np.isin(around, fed)])
        dark[valves] = ~is_fed
        lit = ~dark[network.edges] & ~closed[network.edges]
        pipes = np.flatnonzero(~lit.any(axis=1))
        return (valves[is_fed], valves[~is_fed], np.flatnonzero(dark), pipes)


asked = {"segments": Segments, "whole": Whole}[task.way]()
answers = {"isolating": [], "idle": [], "nodes": [], "pipes": []}
times = []
for number, start in enumerate(starts(task.options.out)):
    begin = time.perf_counter()
    found = asked.isolate(start)
    times.append(time.perf_counter() - begin)
    for name, items in zip(answers, found):
        answers[name].append(number << 32 | np.unique(items).astype(np.int64))
for name, items in answers.items():
    task.save(name, np.concatenate(items))
per_call(times)
