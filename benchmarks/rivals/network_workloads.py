"""The network workloads: tasks on a city's pipes, and contenders."""

from dataclasses import dataclass, replace

from aims import Aim

PART = 2_000
"""The number of junctions of the part that WNTR divides, because its time grows quadratically."""


@dataclass(frozen=True)
class NetworkWorkload:
    """One row of the table."""

    key: str
    title: str
    kind: str
    """`info` and `inp` for whole commands; otherwise a mode of `plumb-workload`, which times calls
    on a loaded network.
    """
    junctions: int
    rivals: tuple[str, ...]
    aim: Aim = Aim()
    starts: int = 0
    """The number of junctions that are isolated one by one."""
    limit: None = None
    """There is no bare limit."""

    @property
    def is_part(self) -> bool:
        """Whether the network is an EPANET file with a layer of valves."""
        return self.kind == "inp"

    def scaled(self, factor: float) -> "NetworkWorkload":
        """The same workload at `factor` of its size, with the same density."""
        if factor == 1 or self.is_part:
            return self
        return replace(self,
                       junctions=max(2_500, round(self.junctions * factor)))


CITY = 1_000_000
WNTR = "WNTR valve_segments"

NETWORK_WORKLOADS = (
    NetworkWorkload(
        "p-load", "`plumb info` of 1 M junctions, 2 M pipes, 200 k valves",
        "info", CITY, ("pyogrio + scipy connected_components",),
        aim=Aim(seconds=60, memory=1_500_000_000)),
    NetworkWorkload(
        "p-flood", "connected trace of 1 M junctions, loaded",
        "network-flood", CITY,
        ("scipy breadth_first_order", "scipy connected_components",
         "igraph subcomponent", "igraph connected_components"),
        aim=Aim(faster=1 / 3, than="scipy breadth_first_order")),
    NetworkWorkload(
        "p-isolation", "isolation among 1 M junctions, beyond finding "
        "controllers", "network-isolation", CITY,
        ("scipy on ready segments",), aim=Aim(seconds=1e-3), starts=30),
    NetworkWorkload(
        "p-isolation-whole",
        "isolation among 1 M junctions, controllers found each time",
        "network-isolation-whole", CITY, ("scipy on the whole network",),
        starts=30),
    NetworkWorkload(
        "p-segments", "all isolation segments of 1 M junctions",
        "network-segments", CITY,
        ("scipy connected_components", "igraph connected_components",
         WNTR + ", by its rate on a part"),
        aim=Aim(faster=100, than=WNTR + ", by its rate on a part")),
    NetworkWorkload(
        "p-part", "`plumb trace --segments` of an EPANET file of 2,000 "
        "junctions", "inp", PART, (WNTR,), aim=Aim(faster=100)),
)
