"""Rates by wrk and times at a fixed rate by h2load, both on core 1."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from servers import CLIENT_CORE

CONNECTIONS = 8
SCRIPT = """\
local paths = {}
for line in io.lines("%s") do paths[#paths + 1] = line end
local at, failed = 0, 0
request = function()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at])
end
"""


@dataclass(frozen=True)
class Rate:
    """Requests per second, and failed requests."""

    rate: float
    failed: int


def rate(address: str, paths: list[str], seconds: int, folder: Path) -> Rate:
    """The maximum rate of requests, on connections that stay open."""
    listed, script = folder / "paths.txt", folder / "paths.lua"
    listed.write_text("\n".join(paths) + "\n")
    script.write_text(SCRIPT % listed)
    printed = subprocess.run(
        ["taskset", "-c", CLIENT_CORE, "wrk", "-t", "1", "-c",
         str(CONNECTIONS), "-d", f"{seconds}s", "--timeout", "30s", "-s",
         str(script), address], capture_output=True, text=True,
        check=True).stdout
    failed = sum(map(int, re.findall(
        r"(?:Non-2xx or 3xx responses:|connect|read|write|timeout) (\d+)",
        printed)))
    return Rate(float(re.search(r"Requests/sec:\s+([\d.]+)", printed)[1]),
                failed)


def slowest_of_100(address: str, paths: list[str], rate: float, seconds: int,
                   folder: Path) -> float:
    """The 99th percentile of the time of requests, at a fixed rate."""
    listed, log = folder / "paths.txt", folder / "h2load.log"
    listed.write_text("\n".join(address + path for path in paths) + "\n")
    log.unlink(missing_ok=True)
    each = max(1, round(rate / CONNECTIONS))
    subprocess.run(
        ["taskset", "-c", CLIENT_CORE, "h2load", "--h1", "-t", "1", "-c",
         str(CONNECTIONS), "-D", str(seconds), "--rps", str(each), "-i",
         str(listed), f"--log-file={log}"], stdout=subprocess.DEVNULL,
        check=True)
    times = sorted(int(line.split()[2]) for line in log.open())
    return times[len(times) * 99 // 100] * 1e-6
