"""The elements connected to a point, by scipy or igraph on an existing graph.
"""
import numpy as np
from scipy.sparse.csgraph import breadth_first_order, connected_components

from geometry import Task
from network import Network, starts

task = Task("breadth-first", "components", "igraph-subcomponent",
            "igraph-components")
network = Network(task.options.folder)
start = int(starts(task.options.out)[0])
if task.way.startswith("igraph"):
    import igraph
    # Avoids a list of tuples, which would take much longer.
    graph = igraph.Graph(network.count, network.edges)
else:
    graph = network.graph()


def breadth_first():
    return breadth_first_order(graph, start, return_predecessors=False)


def components():
    labels = connected_components(graph, directed=False)[1]
    return np.flatnonzero(labels == labels[start])


def subcomponent():
    return graph.subcomponent(start)


def igraph_components():
    labels = np.array(graph.connected_components().membership)
    return np.flatnonzero(labels == labels[start])


body = {"breadth-first": breadth_first, "components": components,
        "igraph-subcomponent": subcomponent,
        "igraph-components": igraph_components}[task.way]
body()
reached = np.zeros(network.count, bool)
reached[task.measure(body)] = True
task.save("nodes", np.flatnonzero(reached))
task.save("pipes", np.flatnonzero(reached[network.edges[:, 0]]))
task.report()
