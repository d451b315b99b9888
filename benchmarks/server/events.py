"""Events of a monitor: from the POST of a location to the subscribers."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import servers
import words

HERE = Path(__file__).parent
FENCES = 10_000
PATIENCE_ASKED = 5
"""The time within which 99 % of the events must arrive, in milliseconds."""


@dataclass(frozen=True)
class Load:
    title: str
    connections: int
    locations: int
    """The number of locations in each POST."""
    posts: int
    """The number of locations per second."""
    subscribers: int
    every: int
    """One in this number of entities enters or exits each time."""
    form: str = ""


LOADS = (
    Load("10,000 locations a second in POSTs of 100", 4, 100, 100, 1, 10),
    Load("the same, 10 subscribers", 4, 100, 100, 10, 10),
    Load("the same by WebSocket", 4, 100, 100, 10, 10, "socket"),
    Load("the same in POSTs of 1,000", 4, 1000, 10, 10, 10),
    Load("2,500 locations a second, each in a POST", 8, 1, 2500, 1, 10),
    Load("5,000 locations a second, each in a POST", 8, 1, 5000, 1, 10),
    Load("10,000 locations a second, 1,000 subscribers, 10 events a second",
         4, 100, 100, 1000, 1000),
    Load("the same, 100 events a second", 4, 100, 100, 1000, 100),
)


def measure(folder: Path, seconds: int) -> dict:
    """Measures each load on a separate server."""
    program = folder / "events"
    subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / "events.c")],
                   check=True)
    definition = prepare(folder)
    results = {}
    for load in LOADS:
        with servers.plumb_monitor("grid", definition, folder) as server:
            port = server.address.rsplit(":", 1)[1]
            printed = subprocess.run(
                ["taskset", "-c", servers.CLIENT_CORE, str(program), port,
                 "grid", str(load.connections), str(load.locations),
                 str(load.posts), str(load.subscribers), str(seconds),
                 str(load.every), *([load.form] if load.form else [])],
                capture_output=True, text=True, check=True).stdout
            results[load.title] = {**json.loads(printed),
                                   "memory": server.memory()["VmHWM"]}
        print(load.title, results[load.title], flush=True)
    return {"loads": results}


def prepare(folder: Path) -> Path:
    """Squares in a grid, and a monitor whose messages are the times when each
    event's location was due."""
    features = []
    for at in range(FENCES):
        x, y = 18 + at % 100 * .01, -34 + at // 100 * .01
        ring = [[round(x + dx, 6), round(y + dy, 6)] for dx, dy in (
            (0, 0), (.005, 0), (.005, .005), (0, .005), (0, 0))]
        features.append({
            "type": "Feature", "id": at, "properties": {"name": f"f{at}"},
            "geometry": {"type": "Polygon", "coordinates": [ring]}})
    (folder / "grid.geojson").write_text(json.dumps(
        {"type": "FeatureCollection", "features": features}))
    definition = folder / "grid.json"
    definition.write_text(json.dumps(
        {"fences": "grid.geojson", "message": "$feedfeature.sent"}))
    return definition


def lines(result: dict) -> list[str]:
    """The section of the page."""
    rows = ["| load | events | median | 99 % | 99.9 % | maximum | reply to a "
            "POST, median and 99 % | memory | 99 % under 5 ms |",
            "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for title, load in result["loads"].items():
        missing = load["events"] * load["subscribers"] - load["received"]
        rows.append(words.row(
            title, f"{load['received']:,}", *(
                words.time(load[key] * 1e-3)
                for key in ("half", "of100", "of1000", "most")),
            f"{words.time(load['reply'] * 1e-3)}, "
            f"{words.time(load['reply99'] * 1e-3)}",
            words.megabytes(load["memory"]),
            "lost" if missing or load["cut"] else
            "yes" if load["of100"] < PATIENCE_ASKED else "no"))
    return [
        f"At commit {result['commit']}: {FENCES:,} fences and 10,000 entities. "
        "The time of an event starts when its POST is due, and ends when a subscriber "
        "has read the event. It is measured by `events.c`, which sends and receives on core 1. No "
        "subscriber was disconnected and no event was lost unless stated.", "",
        *rows]
