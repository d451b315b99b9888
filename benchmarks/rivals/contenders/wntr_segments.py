"""The segments of an EPANET network by WNTR; the network and the layer of
valves are loaded before timing starts."""

import argparse
import json
import time

import pandas
import wntr

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--out", required=True)
parser.add_argument("--links", type=int, help="report the time of N links at "
                    "the rate of the existing ones")
options = parser.parse_args()

network = wntr.network.WaterNetworkModel(options.folder + "/city.inp")
valves = pandas.read_csv(options.folder + "/valves.csv", index_col=0)
graph = network.to_graph()
start = time.perf_counter()
nodes, links, _ = wntr.metrics.topographic.valve_segments(graph, valves)
seconds = time.perf_counter() - start
with open(options.out + ".json", "w") as file:
    json.dump({"nodes": nodes.to_dict(), "links": links.to_dict()}, file)
if options.links:
    seconds *= options.links / len(links)
print(json.dumps({"seconds": [seconds]}))
