"""The input of a network workload: a city's pipes, and the starts."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyogrio
import shapely
from scipy.sparse.csgraph import connected_components

import city
from contenders.network import graph
from network_workloads import PART, NetworkWorkload

REFERENCE = "EPSG:32734"
VALVE_AT = 0.15
"""The position of a valve, as a share of the street from its end."""
SIZES = (80, 100, 150, 200, 300, 400)
"""Diameters in millimetres."""
SEED = 16
NOTE = "about.json"


@dataclass(frozen=True)
class NetworkInputs:
    """The files of one workload. The network's nodes are junctions, supplies
    and valves by number, its edges the pipes."""

    folder: Path
    """The folder of the workload: results, and the starts."""
    source: Path
    """The folder of all workloads of one city."""
    part: Path
    """The folder of the EPANET file that WNTR divides."""
    about: str

    @property
    def rasters(self) -> tuple[Path, ...]:
        """Files that must be in the page cache, without rasters."""
        return tuple(sorted(self.source.iterdir()))

    @property
    def document(self) -> Path:
        return self.source / "city.json"

    @property
    def epanet(self) -> Path:
        return self.source / "city.inp"

    @property
    def valve_layer(self) -> Path:
        return self.source / "valves.csv"

    def load(self, name: str) -> np.ndarray:
        return np.load(self.source / f"{name}.npy")


def prepare(workload: NetworkWorkload, work: Path) -> NetworkInputs:
    """Creates or finds the city, and writes the starts."""
    source = _city(work, workload.junctions, workload.is_part)
    # WNTR divides this city for every size of the workload.
    part = _city(work, PART, is_part=True)
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    about = json.loads((source / NOTE).read_text())
    given = NetworkInputs(folder, source, part, about)
    if not workload.is_part:
        _write_starts(given, max(1, workload.starts))
    return given


def _city(work, junctions, is_part):
    """The folder of a city, which is created if it does not exist."""
    form = "part" if is_part else "whole"
    folder = work / "cities" / f"{form}-{junctions}"
    if not (folder / NOTE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        made = city.build(junctions, SEED)
        about = (_write_epanet if is_part else _write_layers)(made, folder)
        (folder / NOTE).write_text(json.dumps(about))
    return folder


# A GeoPackage and the document of its network

def _write_layers(made, folder):
    """Writes the layers; streets are cut at their valves."""
    edges, lines = _pipes(made)
    lengths = shapely.length(lines)
    generator = np.random.default_rng(SEED + 1)
    first_valve = len(made.xy)
    xy = np.concatenate([made.xy, _valve_vertices(made, lines)])
    kinds = np.full(len(xy), "J")
    kinds[made.junctions:first_valve] = "S"
    kinds[first_valve:] = "V"
    package = folder / "city.gpkg"
    sizes = generator.choice(SIZES, len(lines))
    _write_layer(package, "pipes", lines, "LineString",
                 ID=_names("P", len(lines)), LENGTH=np.round(lengths, 2),
                 DN=sizes.astype(np.int32))
    for name, letter in (("junctions", "J"), ("valves", "V"),
                         ("supplies", "S")):
        chosen = np.flatnonzero(kinds == letter)
        _write_layer(package, name, shapely.points(xy[chosen]), "Point",
                     ID=_names(letter, len(xy))[chosen])
    (folder / "city.json").write_text(json.dumps(_document(), indent=1))
    np.save(folder / "edges.npy", edges)
    np.save(folder / "xy.npy", xy)
    np.save(folder / "kinds.npy", kinds)
    bends = np.count_nonzero(shapely.get_num_coordinates(lines) > 2)
    return (f"{made.junctions:,} junctions, {len(xy) - first_valve:,} valves "
            f"and {first_valve - made.junctions} supplies as points, "
            f"{len(lines):,} pipes as lines, {bends:,} of them with a bend; "
            f"a GeoPackage of {package.stat().st_size / 1e6:,.0f} MB with "
            "a plain mapping.")


def _document():
    layer = {"path": "city.gpkg", "id": "ID"}
    return {
        "lines": {"name": "pipe", "layer": "pipes", **layer,
                  "attributes": ["LENGTH", "DN"], "apportioned": ["LENGTH"]},
        "points": [
            {"name": "junction", "layer": "junctions", **layer},
            {"name": "valve", "layer": "valves", **layer,
             "categories": ["Isolating"]},
            {"name": "supply", "layer": "supplies", **layer,
             "controller": True},
        ],
    }


def _pipes(made):
    """Nodes and lines of the pipes: streets, twice if they have a valve."""
    whole = np.ones(len(made.streets), bool)
    whole[made.valve_streets] = False
    first_valve = len(made.xy)
    valves = first_valve + np.arange(len(made.valve_streets))
    cut = made.streets[made.valve_streets]
    edges = np.concatenate([
        made.streets[whole], np.stack([cut[:, 0], valves], axis=1),
        np.stack([valves, cut[:, 1]], axis=1)])
    generator = np.random.default_rng(SEED + 2)
    # Streets with a valve are straight.
    ends = made.xy[made.streets[whole]]
    bent = generator.random(len(ends)) < city.BEND
    middle = ends[bent].mean(axis=1) + generator.uniform(
        -0.1, 0.1, (np.count_nonzero(bent), 2)) * city.BLOCK
    lines = np.empty(len(edges), object)
    plain = np.empty(len(ends), object)
    plain[~bent] = shapely.linestrings(ends[~bent])
    plain[bent] = shapely.linestrings(
        np.stack([ends[bent][:, 0], middle, ends[bent][:, 1]], axis=1))
    points = _valve_points(made)
    halves = (np.stack([made.xy[cut[:, 0]], points], axis=1),
              np.stack([points, made.xy[cut[:, 1]]], axis=1))
    lines[:len(ends)] = plain
    lines[len(ends):] = np.concatenate(
        [shapely.linestrings(half) for half in halves])
    return edges, lines


def _valve_points(made):
    """The positions of the valves."""
    ends = made.xy[made.streets[made.valve_streets]]
    share = np.where(made.valve_sides == 0, VALVE_AT, 1 - VALVE_AT)[:, None]
    return ends[:, 0] * (1 - share) + ends[:, 1] * share


def _valve_vertices(made, lines):
    """The first vertex of the second half of each cut street."""
    halves = lines[len(lines) - len(made.valve_streets):]
    return shapely.get_coordinates(shapely.get_point(halves, 0))


def _names(letter, count):
    return np.char.add(letter, np.arange(count).astype(str)).astype(object)


def _write_layer(package, name, shapes, kind, **columns):
    pyogrio.raw.write(
        package, shapely.to_wkb(shapes), list(columns.values()),
        list(columns), layer=name, driver="GPKG", geometry_type=kind,
        crs=REFERENCE, append=package.exists(),
        layer_options={"SPATIAL_INDEX": "NO"})


def _write_starts(given, count):
    """Writes junctions that are reached by a supply."""
    kinds, edges = given.load("kinds"), given.load("edges")
    labels = connected_components(graph(edges, len(kinds)))[1]
    reached = np.isin(labels, labels[kinds == "S"])
    junctions = np.flatnonzero(reached & (kinds == "J"))
    generator = np.random.default_rng(SEED + 3)
    starts = generator.choice(junctions, min(count, len(junctions)), False)
    np.save(given.folder / "starts.npy", starts.astype(float))


# EPANET

def _write_epanet(made, folder):
    names = np.concatenate([_names("J", made.junctions),
                            _names("S", len(made.xy))[made.junctions:]])
    with open(folder / "city.inp", "w") as file:
        file.write("[TITLE]\nPart of a city\n\n[JUNCTIONS]\n")
        for name in names[:made.junctions]:
            file.write(f"{name} 0 1\n")
        file.write("\n[RESERVOIRS]\n")
        for name in names[made.junctions:]:
            file.write(f"{name} 100\n")
        file.write("\n[PIPES]\n")
        for number, (a, b) in enumerate(made.streets):
            file.write(f"P{number} {names[a]} {names[b]} 50 100 100 0 Open\n")
        file.write("\n[COORDINATES]\n")
        for name, (x, y) in zip(names, made.xy):
            file.write(f"{name} {x:.3f} {y:.3f}\n")
        file.write("\n[OPTIONS]\nUnits LPS\nHeadloss H-W\n\n[END]\n")
    with open(folder / "valves.csv", "w") as file:
        file.write(",link,node\n")
        nodes = made.streets[made.valve_streets, made.valve_sides]
        for number, (link, node) in enumerate(zip(made.valve_streets, nodes)):
            file.write(f"{number},P{link},{names[node]}\n")
    np.save(folder / "edges.npy", made.streets)
    return (f"{made.junctions:,} junctions, {len(made.xy) - made.junctions} "
            f"reservoirs, {len(made.streets):,} pipes; a layer of "
            f"{len(made.valve_streets):,} valves.")
