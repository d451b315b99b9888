"""The modules that prepare and compare the workloads of each family.

They are imported on demand, because their own requirements may not be
installed.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import needs
from command_workloads import CommandWorkload
from geometry_workloads import GeometryWorkload
from geotrigger_workloads import GeotriggerWorkload
from map_workloads import MapWorkload
from network_workloads import NetworkWorkload
from workloads import AnyWorkload, Workload

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Family:
    """Modules with `prepare` and `compare`, and the products to build."""

    inputs: str
    answers: str
    products: tuple[str, ...] = ()
    """Products in addition to the program for arrays."""
    takes_maker: bool = False
    has_oracle: bool = False
    """Whether results can be compared without a rival."""

    def missing(self) -> list[str]:
        """Third-party modules that are not installed."""
        return sorted(needs.modules(HERE / f"{self.inputs}.py")
                      | needs.modules(HERE / f"{self.answers}.py"))

    def prepare(self, workload: AnyWorkload, work: Path, maker: Path | None):
        """Writes the input of a workload."""
        makers = (maker,) * self.takes_maker
        return import_module(self.inputs).prepare(workload, work, *makers)

    def compare(self, workload: AnyWorkload, given, samples: dict):
        return import_module(self.answers).compare(workload, given, samples)


RASTERS = ("plumb", "plumb-rasters")
FAMILIES = {
    Workload: Family("inputs", "answers", RASTERS, takes_maker=True),
    GeometryWorkload: Family("geometry_inputs", "geometry_answers"),
    MapWorkload: Family("map_inputs", "map_answers", RASTERS,
                        takes_maker=True),
    NetworkWorkload: Family("network_inputs", "network_answers", ("plumb",)),
    GeotriggerWorkload: Family("geotrigger_inputs", "geotrigger_answers",
                               ("plumb",)),
    CommandWorkload: Family("command_inputs", "command_answers", RASTERS,
                            takes_maker=True, has_oracle=True),
}
PLAIN = {Workload: Family("plain_inputs", "plain_answers", RASTERS,
                          takes_maker=True, has_oracle=True)}
"""Families that need no libraries, for small sizes."""


def of(workload: AnyWorkload) -> Family:
    """The family, or its replacement if libraries are missing."""
    kind = type(workload)
    family = FAMILIES[kind]
    return PLAIN.get(kind, family) if family.missing() else family
