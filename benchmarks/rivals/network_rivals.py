"""The command lines of the network workloads."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Command
from network_workloads import WNTR, NetworkWorkload

if TYPE_CHECKING:
    from network_inputs import NetworkInputs

HERE = Path(__file__).parent


def ours(plumb: Path, program: Path, workload: NetworkWorkload,
         given: "NetworkInputs", out: str) -> Command:
    """Plumb's command line."""
    if workload.kind == "info":
        return Command((str(plumb), "info", str(given.document), "--format",
                        "json"))
    if workload.is_part:
        return Command((str(plumb), "trace", str(given.epanet), "--segments",
                        "--valve-layer", str(given.valve_layer),
                        "-o", out + ".json", "--overwrite", "-q"))
    return Command((str(program), workload.kind, str(given.document),
                    "--starts", str(given.folder / "starts.npy"),
                    "--out", out))


def rival(name: str, workload: NetworkWorkload, given: "NetworkInputs",
          out: str) -> Command:
    """A rival's command line."""
    file, *options = RIVALS[workload.kind, name]
    source = given.source
    if name.startswith(WNTR) and not workload.is_part:
        source = given.part
        options += ["--links", str(len(given.load("edges")))]
    return Command((sys.executable, str(HERE / "contenders" / file),
                    str(source), "--out", out, *options))


FLOOD = "network-flood"
SEGMENTS = "network-segments"
RIVALS = {
    ("info", "pyogrio + scipy connected_components"): ("network_load.py",),
    (FLOOD, "scipy breadth_first_order"):
        ("network_flood.py", "--way", "breadth-first"),
    (FLOOD, "scipy connected_components"):
        ("network_flood.py", "--way", "components"),
    (FLOOD, "igraph subcomponent"):
        ("network_flood.py", "--way", "igraph-subcomponent"),
    (FLOOD, "igraph connected_components"):
        ("network_flood.py", "--way", "igraph-components"),
    ("network-isolation", "scipy on ready segments"):
        ("network_isolation.py", "--way", "segments"),
    ("network-isolation-whole", "scipy on the whole network"):
        ("network_isolation.py", "--way", "whole"),
    (SEGMENTS, "scipy connected_components"):
        ("network_segments.py", "--way", "scipy"),
    (SEGMENTS, "igraph connected_components"):
        ("network_segments.py", "--way", "igraph"),
    (SEGMENTS, WNTR + ", by its rate on a part"): ("wntr_segments.py",),
    ("inp", WNTR): ("wntr_segments.py",),
}
