"""The table: medians, ratios, and what was asked of Plumb."""

import statistics

import earlier
import workloads
from rivals import OURS

TILE_CACHE = 512 * 2**20

HEAD = """\
# Plumb and its rivals

Written by `benchmarks/rivals/run`. Everybody answers the same questions in
turn, round after round, and the answers are checked to be equal before a
ratio is printed. Times are medians.
"""

SUMMARY = (
    "| workload | Plumb | best rival | its time | ratio | bare limit"
    " | Plumb ÷ limit | asked | reached |",
    "|---|--:|---|--:|--:|--:|--:|---|---|")

RULES = """\
## Rules

- "Cold" is a new process with its files in the page cache: the start of the
  process, the imports, reading the places and writing the answers count.
- (d) and (e) are timed inside the process, with all tiles or the whole array
  in memory. From x and y to values; for (e) the time of one call.
- Rivals have their best settings: rasterio reads whole rasters with
  `num_threads='ALL_CPUS'`; `sample` and gdallocationinfo get their places in
  block order; `GDAL_CACHEMAX` holds the raster. gdallocationinfo's text is
  written and read outside its time. No rival but polars' is asked to mark
  cells without a value or to notice places outside; Plumb does both.
- "numpy on all cores" in (d) is the same numpy on blocks that fit the cache,
  shared out to a pool of threads.
- The bare limits: libtiff decodes the tiles that hold a place, on all cores,
  and does nothing else; int16 values are picked from memory by indices known
  beforehand, on all cores.
- A rival that needs over five times as long as the fastest runs only once.
- CPU and peak memory are of the whole process, by `wait4`.
- (j) to (m) are timed inside the process, once in a new one each round: from
  inputs that are ready in memory (points, polygons, arrays of numbers) to the
  last result in memory, all polygons made. CPU is of that work alone, peak
  memory of the process until its end, inputs included.
- In (k) the chunks of "on all cores" are squares of neighbours, each joined
  by `disjoint_subset_union_all`, as the parts that they leave are then. In (l)
  a tree of points is asked with the polygons, which are prepared; where the
  index is ready, so are they. In (m) pyproj writes into its arrays of places,
  one element a vertex, which are ready before; only its last contender makes
  polygons, as Plumb does.
- Shapes count as equal when areas agree to 1e-9, unions in the numbers of
  parts and holes and in all but 1e-9 of the ground as well, buffers' vertices
  to 1e-9 of the radius, and the vertices of geodesic buffers lie at the
  distance by pyproj to 1e-6 m. Pairs of places and polygons are the same.
- (n) is a whole command, cold as above: a table of places, a GeoPackage and a
  GeoTIFF in, the table with all answers out. Rivals read polygons through
  Arrow, and polygons, raster and places beside each other; polars reads and
  writes the tables; the places or polygons of a join are shared out to a
  thread for each core. All answers are compared: how many polygons hold each
  place, borders included, the fields of the last of them, cells and their
  nodata, and the input's columns byte for byte.
- (n-one) and (n-reach) are timed inside the process, one call after the
  other, with all layers in memory and each place asked once before; the time
  is the mean. Three layers of features, a map image layer of two more and a
  raster answer; GeoPandas is asked for the same, its `sindex` made before, and
  gives rows without ground distances. Compared is how many elements each layer
  has at each place.
- (p) is one city: points and lines of a GeoPackage with a plain mapping, ids
  as texts. (p-load) is a whole command, cold as above; the rest is timed inside
  the process with the network loaded and asked once before. igraph's and scipy's
  graphs are ready as well, but those of (p-segments), which the valves cut.
  Plumb's flood gives every pipe and the part of it that was reached, in order;
  theirs gives nodes.
- (p-isolation) is the time of an isolation less that of finding the controllers
  of the same start, each the least of two in turn; of all starts, the middle
  one. Its rival has the segments and the valves between them ready; that of
  (p-isolation-whole) floods the network anew for each start. Compared are the
  valves to close, those that need not be, and all nodes and pipes without
  supply.
- WNTR divides an EPANET file of 2,000 junctions, a city of the same kind; it
  takes more than twice as long for twice as many, so its rate there flatters
  it. (p-part) is Plumb's whole command against WNTR's call alone, network and
  valves loaded before; the segments are compared as sets.
- (g-few) to (g-moving) are timed inside the process, once in a new one each
  round: from fixes that are ready in memory, each contender's own kind (columns,
  shapely's points, a GeoDataFrame, a table with steps) to the sorted list of
  events. Fences that stay are ready with their index, and prepared. Rivals take
  all fixes at once, by entity, and find the runs of stays in one sort; Plumb
  takes batches of 65,536 in the feed's order, as they come, with its state
  kept, and distances of events left out, which rivals do not have. In
  (g-moving) fences are made from their vertices for each second, by everybody.
- PostGIS is a server of its own on a local socket, without fsync and with two
  parallel workers; its time is that of one query. It has none in (g-moving).
- (g-live) is one process that reads lines from a pipe. One thread writes a line
  when it is due and else reads what came; the time is from the beginning of a
  line's write to when its event was read. `cat` tells what the way there and
  back takes by itself. Events are compared with those that shapely finds.
"""


def page(results: dict, facts: dict, scale: float, before: str = "") -> str:
    """The whole of RESULTS.md.

    What is not in `results` stays as it was in the page `before`.
    """
    rows, sections = earlier.rows(before), earlier.sections(before)
    for workload in workloads.WORKLOADS:
        if workload.key in results:
            workload = workload.scaled(scale)
            result = results[workload.key]
            rows[workload.key] = _summary_row(workload, result)
            sections[workload.key] = lines(workload, result)
    known = [w.key for w in workloads.WORKLOADS if w.key in sections]
    parts = [HEAD]
    if scale != 1:
        parts.append(f"A trial at {scale:g} of the size.\n")
    parts += ["\n".join([*SUMMARY, *(rows[key] for key in known)]) + "\n",
              "## The machine\n", _facts(facts), "## Every contender\n"]
    parts += [sections[key] for key in known]
    return "\n".join([*parts, RULES])


def lines(workload, result) -> str:
    """One workload with all its contenders, as Markdown."""
    text = [f"### ({workload.key}) {workload.title}\n", _about(result), "",
            "| contender | median | min | max | CPU | peak memory | rounds |"
            " Plumb is × as fast |",
            "|---|--:|--:|--:|--:|--:|--:|--:|"]
    ours = _median(result, OURS)
    for name, samples in result["samples"].items():
        seconds = [sample["seconds"] for sample in samples]
        ratio = "–"
        if ours and result["equal"] and name != OURS:
            ratio = _number(statistics.median(seconds) / ours)
        inside = samples[0]["inside"]
        text.append(_row(
            name, _time(statistics.median(seconds)), _time(min(seconds)),
            _time(max(seconds)),
            "–" if inside else _time(_middle(samples, "cpu")),
            "–" if inside else _megabytes(_middle(samples, "peak")),
            len(samples), ratio))
    return "\n".join(text) + "\n"


def _about(result):
    agreement = result["agreement"]
    equal = "all answers are equal"
    if not result["equal"]:
        wrong = ", ".join(f"{name} in {count:,}" for name, count
                          in agreement["differing"].items() if count)
        equal = f"**answers differ**: {wrong}"
    measured = (f"Measured {result['day']}, commit {result['commit']}"
                + f", load {result['load']:.2f}" * ("load" in result) + ".")
    if "about" in result:
        notes = "; ".join(agreement["notes"])
        return f"{result['about']} {notes}: {equal}. {measured}"
    origin = " Stand-in rasters." if result["stand-in"] else ""
    size = sum(result["bytes"]) / 1e6
    return (f"{len(result['bytes'])} file(s) of {size:,.0f} MB together; "
            f"{result['touched']:,} of {result['tiles']:,} tiles touched. "
            f"{agreement['values']:,} values compared, "
            f"{agreement['with_value']:,} of them not empty: {equal}. "
            f"{measured}{origin}")


def _summary_row(workload, result):
    ours = _median(result, OURS)
    rival = _best_rival(workload, result)
    theirs = _median(result, rival)
    limit = _median(result, workload.limit)
    asked, reached = _verdict(workload, result)
    compare = ours is not None and result["equal"]
    if not result["equal"]:
        reached = "answers differ"
    return _row(
        f"({workload.key}) {workload.title}", _time(ours), rival or "–",
        _time(theirs), _number(theirs / ours) if compare and theirs else "–",
        _time(limit), _number(ours / limit) if compare and limit else "–",
        asked, reached)


def _verdict(workload, result):
    """What was asked, and whether each of it was reached."""
    aim, ours = workload.aim, _median(result, OURS)
    asked, reached = [], []

    def add(text, holds):
        asked.append(text)
        reached.append("–" if ours is None else "yes" if holds() else "no")

    if aim.faster:
        rival = aim.than or _best_rival(workload, result)
        than = f" {aim.than}" if aim.than else ""
        text = (f"≥ {aim.faster:g} ×{than}" if aim.faster >= 1
                else f"≤ {1 / aim.faster:g} × the time of{than}")
        add(text, lambda: _median(result, rival) >= aim.faster * ours)
    if aim.limit:
        add(f"≤ {aim.limit:g} × limit",
            lambda: ours <= aim.limit * _median(result, workload.limit))
    if aim.seconds:
        add(f"< {_time(aim.seconds)}", lambda: ours < aim.seconds)
    if aim.memory:
        beside, cache = "", 0
        if isinstance(workload, workloads.Workload):
            beside = " beside the tiles"
            cache = min(TILE_CACHE, workload.rasters[0].decoded_bytes)
        add(f"< {_megabytes(aim.memory)}{beside}",
            lambda: max(sample["peak"] for sample in result["samples"][OURS])
            < aim.memory + cache)
    return "; ".join(asked) or "–", "; ".join(reached) or "–"


def _best_rival(workload, result):
    return min(workload.rivals, default=None,
               key=lambda name: _median(result, name))


def _median(result, name):
    samples = result["samples"].get(name)
    if not samples:
        return None
    return statistics.median(sample["seconds"] for sample in samples)


def _middle(samples, key):
    return statistics.median(sample[key] for sample in samples)


def _facts(facts):
    rows = [_row(name, value) for name, value in facts.items()]
    return "\n".join(["| | |", "|---|---|", *rows]) + "\n"


def _row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _time(seconds):
    if seconds is None:
        return "–"
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            return f"{seconds / size:.3g} {unit}"


def _number(ratio):
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"


def _megabytes(size):
    return f"{size / 1e6:,.0f} MB"
