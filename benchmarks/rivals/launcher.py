"""Runs one command and records its wall time, CPU time and peak memory.

It is a separate small process because on Linux a child process starts with the peak memory of its
parent: if it were measured from the suite, every command would appear to need at least the peak
memory of the suite.

Arguments: report file, standard input, standard output, command...
"""

import json
import os
import subprocess
import sys
import time

report, source, sink, *command = sys.argv[1:]

with open(source, "rb") as stdin, open(sink, "wb") as stdout:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=stdin, stdout=stdout)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)

with open(report, "w") as file:
    json.dump(
        {
            "code": process.returncode,
            "wall": wall,
            "cpu": usage.ru_utime + usage.ru_stime,
            "user": usage.ru_utime,
            "peak": usage.ru_maxrss * 1024,
        },
        file,
    )
