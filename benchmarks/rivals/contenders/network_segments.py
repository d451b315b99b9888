"""All isolation segments with their nodes, pipes and valves, as connected
components by scipy or igraph; from arrays of edges to sorted arrays."""

import numpy as np

from geometry import Task
from network import Network

task = Task("scipy", "igraph")
network = Network(task.options.folder)
if task.way == "igraph":
    import igraph


def segments():
    if task.way == "scipy":
        labels = network.components()
    else:
        graph = igraph.Graph(network.count, network.kept())
        labels = np.array(graph.connected_components().membership)
    nodes, edges = network.label_segments(labels)
    rows = [np.argsort(each, kind="stable") for each in (nodes, edges)]
    return nodes, edges, network.pairs(edges), rows


nodes, edges, pairs, _ = task.measure(segments)
task.save("nodes", nodes)
task.save("edges", edges)
task.save("pairs", pairs)
task.report()
