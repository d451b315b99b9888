"""Fences, and the events of entities entering and leaving them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._checks import flags
from ._closing import Closing, opened_again, refuse_pickling
from ._error import PlumbTypeError, PlumbValueError
from ._layout import Layout
from ._paths import absolute, bytes_of, is_path, text_of
from ._tables import ArrowResult
from ._tabular import with_geometry
from ._track import Names, One, Track, moment
from ._watch import Watch

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    from typing_extensions import Unpack

    from . import _typing as T
    from ._typing import Progress


class Event:
    """An entity entered, left, stayed in or crossed a fence."""

    __slots__ = ("about", "json")

    def __init__(self, line: str) -> None:
        #: The event as JSON, as the command prints it.
        self.json = line
        #: The event as parsed JSON.
        self.about: dict[str, Any] = json.loads(line)

    @property
    def time(self) -> datetime:
        """The time in UTC."""
        return moment(self.about["time"])

    @property
    def entity(self) -> str | None:
        """The entity; None in a feed without entities."""
        name: str | None = self.about["entity"]
        return name

    @property
    def monitor(self) -> str:
        """The name of the monitor or of the layer of fences."""
        return str(self.about["monitor"])

    @property
    def fence(self) -> str:
        """The fence's name."""
        return str(self.about["fence"])

    @property
    def fence_id(self) -> str:
        """The fence's id."""
        return str(self.about["fenceId"])

    @property
    def type(self) -> str:
        """``entered``, ``exited``, ``dwelt`` or ``crossed``."""
        return str(self.about["type"])

    @property
    def message(self) -> str:
        """The value of the message expression, by default the fence's name."""
        return str(self.about["message"])

    @property
    def x(self) -> float:
        """Longitude."""
        return float(self.about["x"])

    @property
    def y(self) -> float:
        """Latitude."""
        return float(self.about["y"])

    @property
    def index(self) -> int:
        """The index of the location that triggered it, from 0."""
        return int(self.about["index"])

    @property
    def crossing(self) -> dict[str, Any] | None:
        """With ``crossings``: the time and place where the border was crossed."""
        found: dict[str, Any] | None = self.about.get("crossing")
        return found

    @property
    def why(self) -> str | None:
        """With ``explain``: the reason."""
        found: str | None = self.about.get("why")
        return found

    def __repr__(self) -> str:
        who = f"{self.entity} " if self.entity else ""
        return f"<plumb.Event {self.about['time']}: {who}{self.type} {self.fence}>"


class Events(ArrowResult):
    """A table of events: ``time``, ``entity``, ``monitor``, ``fence``, ``fenceId``, ``type``,
    ``message``, ``x``, ``y`` and ``index``, and the requested columns."""

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """A frame with a point per event at the location that triggered it."""
        points = Layout(self["x"].data, self["y"].data, None).points()
        return with_geometry(self.to_pandas(), points, "EPSG:4326")


class Monitor(Iterator[Event], Closing):
    """An iterator of events as they occur.

    Closing it, or reaching its end, releases the feed and the fences. A monitor of a file or a
    table from which no event was read can be pickled; a copy starts at the first location.
    """

    def __init__(
        self, watch: Watch, events: Iterator[Event], opening: tuple[Any, ...] | None = None
    ) -> None:
        self._watch = watch
        self._events = events
        #: The arguments that open the monitor again, until an event is read.
        self._opening = opening

    def __reduce__(self) -> tuple[Any, ...]:
        if self._opening is None:
            refuse_pickling(self)
        feed, fences, settings = self._opening
        return (opened_again, (monitor, (feed, fences), settings))

    def __iter__(self) -> Monitor:
        return self

    def __next__(self) -> Event:
        self._opening = None
        try:
            return next(self._events)
        except StopIteration:
            self._watch.handle.close()
            raise

    def close(self) -> None:
        """Ends the monitor; events that were not read are lost."""
        self._watch.handle.close()
        self._events = iter(())
        self._opening = None


def monitor(
    feed: Any, fences: Any = None, *, buffer: float = 0, rule: str = "enter-or-exit",
    accuracy: bool = False, relationship: str | None = None, feed_filter: str | None = None,
    message: str | None = None, name: str | None = None, dwell: float | None = None,
    cooldown: float | None = None, forget: float | None = None, crossings: bool = False,
    initial: bool = True, explain: bool = False, where: str | None = None,
    area: Sequence[float] | None = None, raster_fences: str | Sequence[str] | None = None,
    id: str | None = None, time: str | None = None, x: str | None = None, y: str | None = None,
    max_ahead: float | None = None, simulate: bool = False, velocity: float | None = None,
    segment: float | None = None, start: str | datetime | None = None, anywhere: bool = False,
) -> Monitor:  # fmt: skip
    """Reports the events of fences as they occur.

    Args:
        feed: The locations: the path of a CSV, GeoJSON, GPX, NMEA or other feed, a file or a
            pipe, ``"-"`` for standard input; a frame or Arrow table; or any iterable of mappings with ``x``, ``y``,
            ``time`` and ``id``, processed one by one as they arrive. Points are longitude and
            latitude; a time is a datetime, an ISO 8601 string, or seconds since 1970; without a
            zone it is UTC.
        fences: A GeoDataFrame, shapes, or the path of a file of features, optionally with
            ``:LAYER``, or several paths.
        buffer: The distance on the ground by which fences extend beyond their features. In metres.
        rule: The events to report. Default: enter-or-exit. One of ``enter``, ``exit``,
            ``enter-or-exit``.
        accuracy: Treat each location as a disc with its horizontal accuracy as the radius.
        relationship: With accuracy, the rule by which a disc enters and exits. Default:
            enter-contains-and-exit-does-not-intersect. One of
            ``enter-intersects-and-exit-does-not-intersect``,
            ``enter-contains-and-exit-does-not-contain``,
            ``enter-contains-and-exit-does-not-intersect``.
        feed_filter: Use only the locations for which an Arcade expression on $locationupdate is
            true.
        message: The text of events: an Arcade expression. Default: the fence's name.
        name: The monitor's name in events. Default: the name of each layer of fences.
        dwell: Report an entity that has been inside a fence for this time. In seconds.
        cooldown: After an event, report no other event of the same entity and fence for this time.
            In seconds.
        forget: Forget an entity after this time without a location. In seconds.
        crossings: Report the fences that an entity passed through between two locations, and where
            it crossed their borders.
        initial: Report the fences that an entity's first location is in.
        explain: Add the reason to each event.
        where: Watch only the fences that meet a condition in SQL.
        area: Watch only the fences that intersect a box of longitudes and latitudes. Four numbers;
            west may be greater than east across 180 degrees.
        raster_fences: Instead of fences, the regions of a raster where an Arcade expression on the
            value is true. A list for several. Each is ``"path: expression"`` with the value as
            ``$value``.
        id: The column of the entity. Default: a column with a usual name (id, entity, device,
            vehicle_id, …); without one, all rows belong to one entity.
        time: The column of the time. Default: time or timestamp.
        x: The column of the longitude. Default: a column with a usual name.
        y: The column of the latitude.
        max_ahead: Omit locations whose time is further ahead than this: ahead of the clock in a
            feed from a pipe (default: 300), ahead of the following locations in a file (default: no
            limit). In seconds.
        simulate: Simulate locations along a line; the feed is EsriJSON or GeoJSON.
        velocity: The speed of simulate, with one location per second. Default: 10. In metres per
            second.
        segment: With simulate, one location at each vertex, and others between them at most this
            far apart. In metres.
        start: The time of the first location of simulate. Default: 1970-01-01T00:00:00Z.
        anywhere: Allow files to refer to other folders and the network.

    >>> import plumb_gis as plumb
    >>> for event in plumb.monitor(
    ...     "rasters/walk.csv", "rasters/garden_sights.geojson", buffer=10, where="id=5"
    ... ):
    ...     print(event.time.time(), event.entity, event.type, event.fence)
    10:04:40 ada entered Spring
    10:04:50 ada exited Spring
    10:09:15 ben entered Spring
    10:09:25 ben exited Spring
    """
    settings = _settings(
        buffer, rule, accuracy, relationship, feed_filter, message, name, dwell, cooldown, forget,
        crossings, initial, explain, where, area, raster_fences, anywhere,
    )  # fmt: skip
    given: dict[str, Any] = {
        "buffer": buffer, "rule": rule, "accuracy": accuracy, "relationship": relationship,
        "feed_filter": feed_filter, "message": message, "name": name, "dwell": dwell,
        "cooldown": cooldown, "forget": forget, "crossings": crossings, "initial": initial,
        "explain": explain, "where": where, "area": area,
        "raster_fences": _rasters_again(raster_fences), "id": id, "time": time, "x": x, "y": y,
        "max_ahead": max_ahead, "simulate": simulate, "velocity": velocity, "segment": segment,
        "start": start, "anywhere": anywhere,
    }  # fmt: skip
    reads = message is not None or feed_filter is not None
    named = Names(id, time, x, y)
    if is_path(feed):
        following = _following(named, max_ahead, simulate, velocity, segment, start)
        path = bytes_of(feed, "feed")
        watch = Watch(fences, settings)
        watch.follow(path, following)
        here = absolute(os.fsdecode(path))
        again = (here, _fences_again(fences), given) if os.path.isfile(path) else None
        return Monitor(watch, _followed(watch), again)
    _no_file(max_ahead, simulate, velocity, segment, start)
    track = Track.of(feed, named, reads)
    if track is None and not isinstance(feed, Iterable):
        raise PlumbTypeError(
            f"the feed is of type {type(feed).__name__}: give a path, a table, or an iterable of "
            "locations"
        )
    watch = Watch(fences, settings)
    is_read_once = isinstance(feed, Iterator) or type(feed).__name__ == "RecordBatchReader"
    opening = None if is_read_once else (feed, _fences_again(fences), given)
    if track is not None:
        return Monitor(watch, _pushed(watch, track), opening)
    return Monitor(watch, _taken(watch, feed, named, reads), opening)


@overload
def events(
    track: T.Path, fences: Any = None, **settings: Unpack[T.Watched]
) -> Events: ...  # fmt: skip


@overload
def events(
    track: T.Table, fences: Any = None, **settings: Unpack[T.Watched]
) -> T.Table: ...  # fmt: skip


@overload
def events(
    track: gpd.GeoDataFrame, fences: Any = None, **settings: Unpack[T.Watched]
) -> gpd.GeoDataFrame: ...  # fmt: skip


@overload
def events(
    track: pd.DataFrame, fences: Any = None, **settings: Unpack[T.Watched]
) -> pd.DataFrame: ...  # fmt: skip


@overload
def events(
    track: T.ArrowStream, fences: Any = None, **settings: Unpack[T.Watched]
) -> Events: ...  # fmt: skip


def events(
    track: Any, fences: Any = None, *, buffer: float = 0, rule: str = "enter-or-exit",
    accuracy: bool = False, relationship: str | None = None, feed_filter: str | None = None,
    message: str | None = None, name: str | None = None, dwell: float | None = None,
    cooldown: float | None = None, forget: float | None = None, crossings: bool = False,
    initial: bool = True, explain: bool = False, where: str | None = None,
    area: Sequence[float] | None = None, raster_fences: str | Sequence[str] | None = None,
    id: str | None = None, time: str | None = None, x: str | None = None, y: str | None = None,
    max_ahead: float | None = None, simulate: bool = False, velocity: float | None = None,
    segment: float | None = None, start: str | datetime | None = None, anywhere: bool = False,
    progress: Progress = None,
) -> Any:  # fmt: skip
    """Returns all events of a track as a table.

    The arguments are those of `monitor`. The table is of the same kind as the feed: a frame for a
    frame, a GeoDataFrame with the points of the events for a GeoDataFrame, and a pyarrow or polars
    table for such a table. For a path, it is an `Events`.

    >>> import pandas, plumb_gis as plumb
    >>> walk = pandas.read_csv("rasters/walk.csv")
    >>> found = plumb.events(walk, "rasters/garden_sights.geojson", buffer=10, where="id=5")
    >>> found[["entity", "fence", "type", "index"]]
      entity   fence     type  index
    0    ada  Spring  entered     76
    1    ada  Spring   exited     80
    2    ben  Spring  entered    187
    3    ben  Spring   exited    191
    """
    from . import _arrow

    settings = _settings(
        buffer, rule, accuracy, relationship, feed_filter, message, name, dwell, cooldown, forget,
        crossings, initial, explain, where, area, raster_fences, anywhere,
    )  # fmt: skip
    named = Names(id, time, x, y)
    if is_path(track):
        following = _following(named, max_ahead, simulate, velocity, segment, start)
        path = bytes_of(track, "track")
        watch = Watch(fences, settings)
        try:
            watch.follow(path, following)
            rooms: list[Any] = []
            more = True
            while more:
                more, room = watch.next(True, progress)
                if not rooms or room.length:
                    rooms.append(room)
        finally:
            watch.handle.close()
        return Events(_arrow.Table(rooms))
    _no_file(max_ahead, simulate, velocity, segment, start)
    reads = message is not None or feed_filter is not None
    table = Track.of(track, named, reads)
    if table is None:
        raise PlumbTypeError(
            f"the track is of type {type(track).__name__}: give a path or a table of locations"
        )
    watch = Watch(fences, settings)
    try:
        room = watch.push(table.locations(0, table.count), True, progress)
    finally:
        watch.handle.close()
    return table.answer(Events(_arrow.Table([room])))


def _fences_again(fences: Any) -> Any:
    """Fences as another process needs them: paths are absolute."""
    if is_path(fences):
        return _file_again(text_of(fences, "fences"))
    if isinstance(fences, (list, tuple)) and fences and all(is_path(one) for one in fences):
        return [_file_again(text_of(one, "fences")) for one in fences]
    return fences


def _file_again(path: str) -> str:
    """An absolute path, whose file may be followed by ``:LAYER``."""
    file, colon, layer = path.rpartition(":")
    if colon and os.path.isfile(file) and not os.path.exists(path):
        return f"{absolute(file)}:{layer}"
    return absolute(path)


def _rasters_again(fences: Any) -> Any:
    """Raster fences, ``path: expression``, with absolute paths."""
    if fences is None:
        return None
    parts = [one.partition(":") for one in ([fences] if isinstance(fences, str) else fences)]
    return [
        path + colon + rest if rest.startswith("//") else absolute(path.strip()) + colon + rest
        for path, colon, rest in parts
    ]


def _settings(
    buffer: Any, rule: str, accuracy: bool, relationship: str | None, feed_filter: str | None,
    message: str | None, name: str | None, dwell: Any, cooldown: Any, forget: Any,
    crossings: bool, initial: bool, explain: bool, where: str | None, area: Any,
    raster_fences: Any, anywhere: bool,
) -> dict[str, Any]:  # fmt: skip
    flags(
        accuracy=accuracy, crossings=crossings, initial=initial, explain=explain, anywhere=anywhere
    )
    for word, value in (
        ("buffer", buffer), ("dwell", dwell), ("cooldown", cooldown), ("forget", forget)
    ):  # fmt: skip
        if value is None:
            continue
        if isinstance(value, bool) or not (
            isinstance(value, (int, float)) or hasattr(value, "__index__")
        ):
            raise PlumbTypeError(f"{word} is {value!r}: give a number")
        if not 0 <= value < float("inf"):
            raise PlumbValueError(f"{word} is {value}: give 0 or more")
    if isinstance(raster_fences, str):
        raster_fences = [raster_fences]
    return {
        "buffer": buffer or None,
        "rule": None if rule == "enter-or-exit" else rule,
        "accuracy": accuracy or None,
        "relationship": relationship,
        "feed_filter": feed_filter,
        "message": message,
        "name": name,
        "dwell": dwell,
        "cooldown": cooldown,
        "forget": forget,
        "crossings": crossings or None,
        "initial": None if initial else False,
        "explain": explain or None,
        "where": where,
        "area": list(area) if area is not None else None,
        "raster_fences": list(raster_fences) if raster_fences is not None else None,
        "access": "anywhere" if anywhere else None,
    }


def _following(
    named: Names, max_ahead: Any, simulate: bool, velocity: Any, segment: Any, start: Any
) -> bytes | None:
    flags(simulate=simulate)
    if isinstance(start, datetime):
        start = start.isoformat()
    if max_ahead == float("inf"):
        # JSON has no infinity; this is longer than any feed.
        max_ahead = 1e15
    return _native.options(
        id=named.id, time=named.time, x=named.x, y=named.y, max_ahead=max_ahead,
        simulate=simulate or None, velocity=velocity, segment=segment, start=start,
    )  # fmt: skip


def _no_file(max_ahead: Any, simulate: bool, velocity: Any, segment: Any, start: Any) -> None:
    given = {
        "max_ahead": max_ahead, "simulate": simulate or None, "velocity": velocity,
        "segment": segment, "start": start,
    }  # fmt: skip
    for word, value in given.items():
        if value is not None:
            raise PlumbTypeError(f"{word} needs a feed from a path: omit it")


def _followed(watch: Watch) -> Iterator[Event]:
    more = True
    while more:
        more, lines = watch.next(False)
        for line in lines:
            yield Event(line)


def _pushed(watch: Watch, track: Track) -> Iterator[Event]:
    step = 65_536
    for first in range(0, track.count, step):
        for line in watch.push(track.locations(first, min(track.count, first + step)), False):
            yield Event(line)


def _taken(watch: Watch, feed: Any, named: Names, reads: bool) -> Iterator[Event]:
    for number, location in enumerate(feed):
        one = One(location, named, number, reads)
        for line in watch.push(one.structure, False):
            yield Event(line)
