"""What the rivals of the geometry workloads share."""

import argparse
import json
import resource
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


class Task:
    """The arguments of a rival, its threads, and the clock."""

    def __init__(self, *ways):
        parser = argparse.ArgumentParser()
        parser.add_argument("folder", help="where the inputs are")
        parser.add_argument("--out", required=True)
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--way", choices=ways)
        parser.add_argument("--ready", action="store_true",
                            help="the index is made before the clock runs")
        self.options = parser.parse_args()
        self.way = self.options.way
        self.threads = self.options.threads
        self.pool = ThreadPoolExecutor(self.threads)
        self.facts = {}

    def load(self, name):
        return np.load(f"{self.options.folder}/{name}.npy")

    def rings(self, vertices):
        """Closed rings: polygon, vertex, axis."""
        return self.load("xy").reshape(-1, vertices, 2)

    def save(self, name, values):
        np.save(f"{self.options.out}_{name}.npy",
                np.ascontiguousarray(values).ravel())

    def map(self, body, count, chunk):
        """`body` of each slice of `chunk`, in order, on the threads."""
        slices = [slice(start, min(count, start + chunk))
                  for start in range(0, count, chunk)]
        return list(self.pool.map(body, slices))

    def measure(self, body):
        """Calls `body` once, with threads that are there already."""
        list(self.pool.map(time.sleep, [0.01] * self.threads))
        before = resource.getrusage(resource.RUSAGE_SELF)
        start = time.perf_counter()
        result = body()
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
        self.facts = {
            "seconds": [seconds],
            "cpu": after.ru_utime + after.ru_stime
            - before.ru_utime - before.ru_stime,
            "peak": after.ru_maxrss * 1024,
        }
        return result

    def report(self, **others):
        print(json.dumps({**self.facts, **others}))
