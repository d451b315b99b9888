"""Shared code of the rivals of the geometry workloads."""

import argparse
import json
import resource
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


class Task:
    """The arguments, the threads and the timing of a rival."""

    def __init__(self, *ways):
        parser = argparse.ArgumentParser()
        parser.add_argument("folder", help="the folder of the inputs")
        parser.add_argument("--out", required=True)
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--way", choices=ways)
        parser.add_argument("--ready", action="store_true",
                            help="build the index before timing starts")
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
        """Calls `body` with slices of `chunk`, in order, on the threads."""
        slices = [slice(start, min(count, start + chunk))
                  for start in range(0, count, chunk)]
        return list(self.pool.map(body, slices))

    def measure(self, body):
        """Times one call of `body`, with threads that already run."""
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
