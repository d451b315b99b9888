"""Fences, and who enters and leaves them."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from . import _native
from ._closing import Closing
from ._error import PlumbTypeError, PlumbValueError
from ._points import chosen_columns, crs_text, doubles, listed, loaded
from ._tables import ArrowResult

if TYPE_CHECKING:
    import geopandas as gpd

    from ._sample import Progress

_GENERIC = ("id", "entity", "entityid")
_SPECIFIC = (
    "deviceid", "device", "vehicleid", "vehicle", "trackid", "trackerid", "tracker", "unitid",
    "unit", "assetid", "asset", "imei", "mmsi", "icao24", "individuallocalidentifier",
    "taglocalidentifier",
)  # fmt: skip
_WEAK = ("callsign",)
_TIMES = ("time", "timestamp", "datetime", "date_time")
_MEASURES = {
    "horizontal_accuracy": ("horizontal_accuracy", "horizontalaccuracy", "accuracy"),
    "vertical_accuracy": ("vertical_accuracy", "verticalaccuracy"),
    "speed": ("speed",),
    "course": ("course", "bearing", "heading"),
}


class Event:
    """Something entered or left a fence, stayed in it, or went across it."""

    __slots__ = ("about", "json")

    def __init__(self, line: str) -> None:
        #: The event as JSON, as the command prints it.
        self.json = line
        #: The same, parsed.
        self.about: dict[str, Any] = json.loads(line)

    @property
    def time(self) -> datetime:
        """When, in UTC."""
        return _moment(self.about["time"])

    @property
    def entity(self) -> str | None:
        """Who; None in a feed that does not tell one from another."""
        name: str | None = self.about["entity"]
        return name

    @property
    def monitor(self) -> str:
        """What the monitor, or the layer of fences, is called."""
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
        """What the message expression gives, else the fence's name."""
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
        """The location that reports it, from 0."""
        return int(self.about["index"])

    @property
    def crossing(self) -> dict[str, Any] | None:
        """With ``crossings``: when and where the border was crossed."""
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
    ``message``, ``x``, ``y`` and ``index``, with what was asked for beside."""

    _word = "plumb.Events"

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """A frame with a point for each event, where it was reported."""
        import geopandas

        frame = self.to_pandas()
        points = geopandas.points_from_xy(frame["x"], frame["y"])
        return geopandas.GeoDataFrame(frame, geometry=points, crs="EPSG:4326")


class _Watch:
    """An open monitor of the library's."""

    def __init__(self, fences: Any, settings: dict[str, Any]) -> None:
        self.holds: Any = None
        structure, files = self._fences(fences, settings)
        options = _native.options(**files, **settings)
        polling = _native.Polling()
        self.handle = _native.opened(
            "plumb_monitor_open", "plumb_monitor_close", "the monitor",
            ctypes.byref(structure) if structure is not None else None, options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)

    def _fences(self, fences: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if fences is None:
            if not settings.get("raster_fences"):
                raise PlumbTypeError(
                    "the fences are missing: give a file, a GeoDataFrame or shapes"
                )
            return None, {}
        if isinstance(fences, (str, os.PathLike)):
            return None, {"fences": [os.fspath(fences)]}
        if (
            isinstance(fences, (list, tuple))
            and fences
            and all(isinstance(one, (str, os.PathLike)) for one in fences)
        ):
            return None, {"fences": [os.fspath(one) for one in fences]}
        from ._buffer import _Shapes

        shapes = _Shapes(fences, None, None)
        out = _native.Fences()
        out.shapes = shapes.shapes
        out.crs = shapes.crs.encode() if shapes.crs else None
        if shapes.kind == "frame":
            plain = fences.drop(columns=fences.columns[fences.dtypes == "geometry"])
            if len(plain.columns):
                out.attributes = plain.to_json(orient="records", date_format="iso").encode()
        name = settings.get("name")
        out.name = name.encode() if name else None
        self.holds = shapes
        return out, {}

    def push(self, locations: _native.Locations, as_table: bool, progress: Any = None) -> Any:
        """Gives locations and takes events: lines, or a filled room."""

        def ask(polled: Any, *outs: Any, polling: Any) -> None:
            _native.call(
                "plumb_monitor_push", self.handle.pointer, ctypes.byref(locations), *polled, *outs,
                polling=polling,
            )  # fmt: skip

        return self._events(ask, as_table, progress)

    def follow(self, path: bytes, options: bytes | None) -> None:
        polling = _native.Polling()
        _native.call(
            "plumb_monitor_follow", self.handle.pointer, path, options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)

    def next(self, as_table: bool, progress: Any = None) -> tuple[bool, Any]:
        """Waits for the feed's next rows: whether it goes on, and their events."""
        more = ctypes.c_int()

        def ask(polled: Any, *outs: Any, polling: Any) -> None:
            _native.call(
                "plumb_monitor_next", self.handle.pointer, *polled, ctypes.byref(more), *outs,
                polling=polling,
            )  # fmt: skip

        events = self._events(ask, as_table, progress)
        return more.value != 0, events

    def _events(self, ask: Any, as_table: bool, progress: Any) -> Any:
        """What a call writes into the room for lines, or into that for a table."""
        from . import _arrow

        room = _arrow.Room() if as_table else None
        out = ctypes.c_void_p()
        polling = _native.Polling(progress, "events")
        try:
            ask(
                _native.polled(polling), None if room else ctypes.byref(out),
                *(room.addresses if room else (None, None)), polling=polling,
            )  # fmt: skip
            text = _native.taken(out)
        finally:
            _native.freed(out)
        _native.warn(6)
        return room if room is not None else text.splitlines()


class Monitor(Iterator[Event], Closing):
    """Events as they happen. Closing it, or its end, lets go of the feed and the fences."""

    def __init__(self, watch: _Watch, events: Iterator[Event]) -> None:
        self._watch = watch
        self._events = events

    def __iter__(self) -> Monitor:
        return self

    def __next__(self) -> Event:
        try:
            return next(self._events)
        except StopIteration:
            self._watch.handle.close()
            raise

    def close(self) -> None:
        """Ends it; events that have not been taken are lost."""
        self._watch.handle.close()
        self._events = iter(())


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
    """Who enters and leaves which fence, as it happens.

    Args:
        feed: The locations: the path of a CSV, GeoJSON, GPX or NMEA file or pipe, ``"-"`` for
            standard input; a frame or Arrow table; or any iterable of mappings with ``x``, ``y``,
            ``time`` and ``id``, each of which is looked at when it comes. Points are longitude and
            latitude; a time is a datetime, a text in ISO 8601, or seconds since 1970; without a
            zone it is UTC.
        fences: A GeoDataFrame, shapes, or the path of a file of features, maybe with ``:LAYER``,
            or several paths.
        buffer: How far fences reach beyond their features, in metres along the ground.
        rule: What to tell of: ``enter``, ``exit`` or ``enter-or-exit``.
        accuracy: Take each location for a disc of its horizontal accuracy.
        relationship: With ``accuracy``, when a disc is in and out.
        feed_filter: Which locations count, in Arcade.
        message: What events say, in Arcade. Default: the fence's name.
        name: What events call the monitor.
        dwell: Tell when something has been inside for so many seconds.
        cooldown: Be silent for so many seconds after an event of the same two.
        forget: Forget who has been silent for so many seconds.
        crossings: Tell of fences that were passed between two locations, and where borders were.
        initial: Tell of the fences that the first location is in.
        explain: Say why with each event.
        where: Only those fences from files that meet a condition.
        area: Only those fences from files that meet an area: four degrees, the west above the east
            across 180 degrees.
        raster_fences: Regions instead: ``"path: expression"`` in Arcade on ``$value``.
        id: The column of entities. Default, as for the next: the usual names.
        time: The column of times.
        x: The column of longitudes.
        y: The column of latitudes.
        max_ahead: Of a feed from a path: leave out times so many seconds ahead.
        simulate: The path is a line to walk along.
        velocity: With ``simulate``, metres per second.
        segment: With ``simulate``, a location at each vertex, on segments no longer than this.
        start: With ``simulate``, when it starts.
        anywhere: Let files lead to other folders and the network.

    >>> import plumb
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
    reads = message is not None or feed_filter is not None
    named = _Names(id, time, x, y)
    if isinstance(feed, (str, os.PathLike)):
        following = _following(named, max_ahead, simulate, velocity, segment, start)
        path = _native.path_bytes(feed, "feed")
        watch = _Watch(fences, settings)
        watch.follow(path, following)
        return Monitor(watch, _followed(watch))
    _no_file(max_ahead, simulate, velocity, segment, start)
    track = _Track.of(feed, named, reads)
    if track is None and not isinstance(feed, Iterable):
        raise PlumbTypeError(
            f"the feed is of type {type(feed).__name__}: give a path, a table, or an iterable of "
            "locations"
        )
    watch = _Watch(fences, settings)
    if track is not None:
        return Monitor(watch, _pushed(watch, track))
    return Monitor(watch, _taken(watch, feed, named, reads))


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
    """All events of a track, as a table.

    The arguments are those of `monitor`. A frame gives a frame, a GeoDataFrame one with the points
    of the events, pyarrow and polars tables their own kind; a path gives `Events`.

    >>> import pandas, plumb
    >>> walk = pandas.read_csv("rasters/walk.csv")
    >>> told = plumb.events(walk, "rasters/garden_sights.geojson", buffer=10, where="id=5")
    >>> told[["entity", "fence", "type", "index"]]
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
    named = _Names(id, time, x, y)
    if isinstance(track, (str, os.PathLike)):
        following = _following(named, max_ahead, simulate, velocity, segment, start)
        path = _native.path_bytes(track, "track")
        watch = _Watch(fences, settings)
        try:
            watch.follow(path, following)
            rooms: list[Any] = []
            more = True
            while more:
                more, room = watch.next(True, progress)
                if not rooms or room.array.value.length:
                    rooms.append(room)
        finally:
            watch.handle.close()
        return Events(_arrow.Table(rooms))
    _no_file(max_ahead, simulate, velocity, segment, start)
    reads = message is not None or feed_filter is not None
    table = _Track.of(track, named, reads)
    if table is None:
        raise PlumbTypeError(
            f"the track is of type {type(track).__name__}: give a path or a table of locations"
        )
    watch = _Watch(fences, settings)
    try:
        room = watch.push(table.locations(0, table.count), True, progress)
    finally:
        watch.handle.close()
    return table.answer(Events(_arrow.Table([room])))


def _settings(
    buffer: Any, rule: str, accuracy: bool, relationship: str | None, feed_filter: str | None,
    message: str | None, name: str | None, dwell: Any, cooldown: Any, forget: Any,
    crossings: bool, initial: bool, explain: bool, where: str | None, area: Any,
    raster_fences: Any, anywhere: bool,
) -> dict[str, Any]:  # fmt: skip
    for word, value in (
        ("buffer", buffer), ("dwell", dwell), ("cooldown", cooldown), ("forget", forget)
    ):  # fmt: skip
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
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
    named: _Names, max_ahead: Any, simulate: bool, velocity: Any, segment: Any, start: Any
) -> bytes | None:
    if isinstance(start, datetime):
        start = start.isoformat()
    if max_ahead == float("inf"):
        # JSON has no number for it; this is longer than any feed.
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
            raise PlumbTypeError(f"{word} goes with a feed from a path: leave it out")


def _followed(watch: _Watch) -> Iterator[Event]:
    more = True
    while more:
        more, lines = watch.next(False)
        for line in lines:
            yield Event(line)


def _pushed(watch: _Watch, track: _Track) -> Iterator[Event]:
    step = 65_536
    for first in range(0, track.count, step):
        for line in watch.push(track.locations(first, min(track.count, first + step)), False):
            yield Event(line)


def _taken(watch: _Watch, feed: Any, named: _Names, reads: bool) -> Iterator[Event]:
    for number, location in enumerate(feed):
        one = _One(location, named, number, reads)
        for line in watch.push(one.structure, False):
            yield Event(line)


class _Names:
    """The columns that were named."""

    def __init__(self, id: Any, time: Any, x: Any, y: Any) -> None:
        self.id, self.time, self.x, self.y = id, time, x, y

    def roles(self, names: list[str]) -> dict[str, str]:
        """Which column is what."""
        out: dict[str, str] = {}
        lower: dict[str, str] = {}
        for name in names:
            lower.setdefault(name.lower(), name)
        for word, given in (("id", self.id), ("time", self.time)):
            if given is not None:
                if given not in names:
                    raise PlumbValueError(
                        f"{word} names the column {given}, and there are {listed(names)}",
                        "not_found",
                    )
                out[word] = given
        if "time" not in out:
            found = [lower[word] for word in _TIMES if word in lower]
            if not found:
                raise PlumbValueError(
                    f"there is no column of times: name one of {listed(names)} with time=",
                    "not_found",
                )
            out["time"] = found[0]
        if "id" not in out:
            entity = _entity(names)
            if entity is not None:
                out["id"] = entity
        for role, words in _MEASURES.items():
            for word in words:
                if word in lower:
                    out[role] = lower[word]
                    break
        return out


def _entity(names: list[str]) -> str | None:
    """The column that tells entities apart, by its usual names."""
    ranked = []
    order = {word: rank for rank, word in enumerate(_GENERIC + _SPECIFIC + _WEAK)}
    for name in names:
        plain = name.lower().translate(str.maketrans("", "", "_-. "))
        if plain in order:
            ranked.append((order[plain], name))
    if not ranked:
        return None
    ranked.sort(key=lambda pair: pair[0])
    if (
        len(ranked) > 1
        and ranked[0][0] < len(_GENERIC)
        and ranked[1][0] < len(_GENERIC + _SPECIFIC)
    ):
        raise PlumbValueError(
            f"the columns {ranked[0][1]} and {ranked[1][1]} both may tell who it is: say which "
            "with id=",
            "ambiguous",
        )
    return ranked[0][1]


def _moment(value: Any) -> datetime:
    if isinstance(value, str):
        text = value.strip()
        if text[-1:] in "zZ":
            text = text[:-1] + "+00:00"
        whole, point, rest = text.partition(".")
        if point:
            # Python 3.10 takes three digits or six.
            digits = len(rest) - len(rest.lstrip("0123456789"))
            text = f"{whole}.{rest[:digits][:6].ljust(6, '0')}{rest[digits:]}"
        out = datetime.fromisoformat(text)
    elif isinstance(value, datetime):
        out = value
    else:
        raise TypeError(value)
    return out if out.tzinfo is not None else out.replace(tzinfo=timezone.utc)


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _milliseconds(value: Any, where: str) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value != value or abs(value) > 1e11:
            raise PlumbValueError(f"{where} has the time {value}: give seconds since 1970")
        return round(value * 1000)
    try:
        passed = _moment(value) - _EPOCH
    except (TypeError, ValueError):
        raise PlumbValueError(
            f"{where} has the time {value!r}: give a datetime, a text in ISO 8601, or seconds "
            "since 1970"
        ) from None
    return (passed.days * 86_400 + passed.seconds) * 1000 + passed.microseconds // 1000


class _One:
    """One location of an iterable."""

    def __init__(self, location: Any, named: _Names, number: int, reads: bool) -> None:
        where = f"location {number} (from 0)"
        if not isinstance(location, Mapping):
            raise PlumbTypeError(
                f"{where} is of type {type(location).__name__}: give mappings with x, y and time"
            )
        names = [str(name) for name in location]
        roles = named.roles(names)
        columns = chosen_columns(names, named.x, named.y, where)
        if columns is None:
            raise PlumbValueError(f"{where} has no x and y, but {listed(names)}", "not_found")
        at = []
        for name in columns[:2]:
            try:
                at.append(float(location[name]))
            except (TypeError, ValueError):
                raise PlumbTypeError(f"{where} has {location[name]!r} for {name}") from None
        self.x, self.y = ctypes.c_double(at[0]), ctypes.c_double(at[1])
        self.time = ctypes.c_int64(_milliseconds(location[roles["time"]], where))
        out = _native.Locations()
        out.count = 1
        out.x, out.y = ctypes.addressof(self.x), ctypes.addressof(self.y)
        out.time = ctypes.addressof(self.time)
        who = location[roles["id"]] if "id" in roles else None
        if who is not None:
            said = str(who).encode()
            self.name = ctypes.create_string_buffer(said)
            self.offsets = (ctypes.c_int64 * 2)(0, len(said))
            out.name_bytes = ctypes.addressof(self.name)
            out.name_offsets = ctypes.addressof(self.offsets)
            out.name_count = 1
        self.measures = []
        for role in _MEASURES:
            if role in roles and location[roles[role]] is not None:
                value = ctypes.c_double(float(location[roles[role]]))
                self.measures.append(value)
                setattr(out, role, ctypes.addressof(value))
        if reads:
            out.attributes = json.dumps([dict(location)], default=str).encode()
        self.structure = out


class _Track:
    """Locations column by column."""

    def __init__(
        self, x: Any, y: Any, roles: dict[str, str], column: Any, answer: Any, attributes: Any
    ) -> None:
        import numpy as np

        self.count = len(x)
        self.x, self.y = x, y
        self.time = _times(column(roles["time"]), roles["time"])
        self.answer = answer
        self.attributes = attributes
        self.entity: Any = None
        if "id" in roles:
            codes, names = _factorized(column(roles["id"]))
            self.entity = codes
            encoded = [name.encode() for name in names]
            self.names = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
            self.offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
            np.cumsum([len(name) for name in encoded], out=self.offsets[1:])
        self.measures = {
            role: doubles(_numbers(column(roles[role])), f"the column {roles[role]}")
            for role in _MEASURES
            if role in roles
        }

    @staticmethod
    def of(track: Any, named: _Names, reads: bool) -> _Track | None:
        """A track out of a frame or an Arrow table; None of anything else."""
        pandas = loaded("pandas")
        if pandas is not None and isinstance(track, pandas.DataFrame):
            return _of_frame(track, named, reads)
        if hasattr(track, "__arrow_c_stream__"):
            return _of_arrow(track, named, reads)
        return None

    def locations(self, first: int, last: int) -> _native.Locations:
        """Those from a row to before another, which live as long as this."""
        out = _native.Locations()
        out.count = last - first
        out.x = self.x.ctypes.data + 8 * first
        out.y = self.y.ctypes.data + 8 * first
        out.time = self.time.ctypes.data + 8 * first
        if self.entity is not None:
            out.entity = self.entity.ctypes.data + 4 * first
            out.name_bytes = self.names.ctypes.data
            out.name_offsets = self.offsets.ctypes.data
            out.name_count = self.offsets.size - 1
        for role, values in self.measures.items():
            setattr(out, role, values.ctypes.data + 8 * first)
        if self.attributes is not None:
            out.attributes = self.attributes(first, last)
        return out


def _numbers(values: Any) -> Any:
    dtype = getattr(values, "dtype", None)
    if dtype is not None and dtype == "O":
        return [None if value is None else float(value) for value in values]
    return values


def _times(values: Any, name: str) -> Any:
    import numpy as np

    pandas = loaded("pandas")
    if pandas is not None and isinstance(values, pandas.Series):
        if values.dtype.kind == "M":
            if getattr(values.dtype, "tz", None) is not None:
                values = values.dt.tz_convert("UTC").dt.tz_localize(None)
            values = values.to_numpy()
        else:
            values = values.to_numpy()
    values = np.asarray(values)
    if values.dtype.kind == "M":
        if np.isnat(values).any():
            row = int(np.flatnonzero(np.isnat(values))[0])
            raise PlumbValueError(
                f"row {row} (from 0) of the column {name} has no time: leave it out"
            )
        return np.ascontiguousarray(values.astype("M8[ms]").astype(np.int64))
    out = [_milliseconds(value, f"row {row} (from 0)") for row, value in enumerate(values.tolist())]
    return np.array(out, dtype=np.int64)


def _factorized(values: Any) -> tuple[Any, list[str]]:
    import numpy as np

    pandas = loaded("pandas")
    if pandas is not None and isinstance(values, pandas.Series):
        codes, names = pandas.factorize(values, use_na_sentinel=False)
        texts = ["" if pandas.isna(name) else str(name) for name in names]
        return np.ascontiguousarray(codes, dtype=np.int32), texts
    seen: dict[str, int] = {}
    codes = np.empty(len(values), dtype=np.int32)
    for row, value in enumerate(values):
        codes[row] = seen.setdefault("" if value is None else str(value), len(seen))
    return codes, list(seen)


def _of_frame(frame: Any, named: _Names, reads: bool) -> _Track:
    geopandas = loaded("geopandas")
    is_geo = geopandas is not None and isinstance(frame, geopandas.GeoDataFrame)
    names = [str(name) for name in frame.columns]
    by_name = dict(zip(names, frame.columns))
    roles = named.roles(names)
    if is_geo and named.x is None:
        series = frame.geometry
        if series.crs is not None and not _native.same_crs(crs_text(series.crs) or "", "EPSG:4326"):
            series = series.to_crs(4326)
        from ._tables import _shapes

        x, y = _shapes(series.array)
    else:
        found = chosen_columns(names, named.x, named.y, "the track")
        if found is None:
            raise PlumbValueError(
                f"the track has no x and y, but {listed(names)}: name them with x= and y=",
                "not_found",
            )
        x, y = (doubles(frame[by_name[name]], f"the column {name}") for name in found[:2])

    def attributes(first: int, last: int) -> bytes:
        part = frame.iloc[first:last]
        if is_geo:
            part = part.drop(columns=part.columns[part.dtypes == "geometry"])
        text: str = part.to_json(orient="records", date_format="iso")
        return text.encode()

    def answer(events: Events) -> Any:
        return events.to_geopandas() if is_geo else events.to_pandas()

    return _Track(
        x, y, roles, lambda name: frame[by_name[name]], answer, attributes if reads else None
    )


def _of_arrow(track: Any, named: _Names, reads: bool) -> _Track:
    from . import _arrow

    table = _arrow.Table(track, "the track")
    if not table.is_table:
        raise PlumbTypeError("the track is one Arrow column: give a table")
    names = table.names
    roles = named.roles(names)
    x, y, said = _arrow.point_columns(table, named.x, named.y, None, "the track")
    if crs_text(said) and not _native.same_crs(crs_text(said) or "", "EPSG:4326"):
        raise PlumbValueError(
            "the track's points are not longitude and latitude on WGS84: convert them first",
            "crs_mismatch",
        )

    def column(name: str) -> Any:
        values, mask = table.column(names.index(name)).decoded()
        if mask.any() and values.dtype.kind in "iuf":
            import numpy as np

            return np.where(mask, np.nan, values)
        return values

    def attributes(first: int, last: int) -> bytes:
        parts = {}
        for index, name in enumerate(names):
            try:
                values, mask = table.column(index).decoded()
            except PlumbTypeError:
                continue
            if values.dtype.kind != "O" or not any(isinstance(v, bytes) for v in values[:1]):
                parts[name] = [
                    None if null else value
                    for value, null in zip(values[first:last].tolist(), mask[first:last].tolist())
                ]
        rows = [dict(zip(parts, row)) for row in zip(*parts.values())]
        return json.dumps(rows, default=str).encode()

    def answer(events: Events) -> Any:
        module = type(track).__module__.partition(".")[0]
        if module == "pyarrow":
            return events.to_arrow()
        if module == "polars":
            import polars

            return polars.DataFrame(events)
        return events

    out = _Track(
        doubles(x, "x"), doubles(y, "y"), roles, column, answer, attributes if reads else None
    )
    out.answer.__dict__["holds"] = table
    return out
