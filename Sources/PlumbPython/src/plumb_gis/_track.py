"""Locations from tables and iterables, column by column."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from . import _native
from ._attributes import frame_json, rows_json, table_json
from ._checks import is_missing, not_utf8, utf8
from ._crs import crs_text
from ._error import PlumbTypeError, PlumbValueError
from ._points import chosen_columns, doubles, listed, loaded

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


class Names:
    """The columns named by the caller."""

    def __init__(self, id: Any, time: Any, x: Any, y: Any) -> None:
        self.id, self.time, self.x, self.y = id, time, x, y

    def roles(self, names: list[str]) -> dict[str, str]:
        """The column of each role."""
        out: dict[str, str] = {}
        lower: dict[str, str] = {}
        for name in names:
            lower.setdefault(name.lower(), name)
        for word, given in (("id", self.id), ("time", self.time)):
            if given is not None:
                if given not in names:
                    raise PlumbValueError(
                        f"{word} names the column {given}, and the track has {listed(names)}",
                        "not_found",
                    )
                out[word] = given
        if "time" not in out:
            found = [lower[word] for word in _TIMES if word in lower]
            if not found:
                raise PlumbValueError(
                    f"there is no column of times: give one of {listed(names)} with time=",
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
    """The column of entities, by its usual names."""
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
            f"the columns {ranked[0][1]} and {ranked[1][1]} may both be the entity: choose "
            "with id=",
            "ambiguous",
        )
    return ranked[0][1]


def moment(value: Any) -> datetime:
    """A time, in UTC without a zone.

    Raises:
        TypeError, ValueError: if it is not a time.
    """
    if isinstance(value, str):
        text = value.strip()
        if text[-1:] in "zZ":
            text = text[:-1] + "+00:00"
        whole, point, rest = text.partition(".")
        if point:
            # Python 3.10 accepts only three or six digits.
            digits = len(rest) - len(rest.lstrip("0123456789"))
            text = f"{whole}.{rest[:digits][:6].ljust(6, '0')}{rest[digits:]}"
        out = datetime.fromisoformat(text)
    elif isinstance(value, datetime) and value == value:
        out = value
    else:
        raise TypeError(value)
    return out if out.tzinfo is not None else out.replace(tzinfo=timezone.utc)


def no_time(where: str) -> PlumbValueError:
    """The error about a location without a time."""
    return PlumbValueError(f"{where} has no time: omit it")


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _milliseconds(value: Any, where: str) -> int:
    if is_missing(value):
        raise no_time(where)
    if type(value).__name__ == "datetime64":
        value = value.astype("M8[us]").item()
        if value is None:
            raise no_time(where)
    elif hasattr(value, "item"):
        value = value.item()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value != value or abs(value) > 1e11:
            raise PlumbValueError(f"{where} has the time {value}: give seconds since 1970")
        return round(value * 1000)
    try:
        passed = moment(value) - _EPOCH
    except (TypeError, ValueError):
        raise PlumbValueError(
            f"{where} has the time {value!r}: give a datetime, ISO 8601 text, or seconds "
            "since 1970"
        ) from None
    return (passed.days * 86_400 + passed.seconds) * 1000 + passed.microseconds // 1000


class One:
    """One location of an iterable."""

    def __init__(self, location: Any, named: Names, number: int, reads: bool) -> None:
        where = f"location {number} (from 0)"
        if not isinstance(location, Mapping):
            raise PlumbTypeError(
                f"{where} is of type {type(location).__name__}: give mappings with x, y and time"
            )
        names = [str(name) for name in location]
        roles = named.roles(names)
        columns = chosen_columns(names, named.x, named.y, where)
        if columns is None:
            raise PlumbValueError(f"{where} has {listed(names)}, but no x and y", "not_found")
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
            said = utf8(str(who), where)
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
            out.attributes = rows_json({str(key): [value] for key, value in location.items()}, 1)
        self.structure = out


class Track:
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
            encoded = [self._name(name, index, roles["id"]) for index, name in enumerate(names)]
            self.names = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
            self.offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
            np.cumsum([len(name) for name in encoded], out=self.offsets[1:])
        self.measures = {
            role: doubles(column(roles[role]), f"the column {roles[role]}")
            for role in _MEASURES
            if role in roles
        }

    def _name(self, name: str, code: int, column: str) -> bytes:
        try:
            return name.encode()
        except UnicodeEncodeError:
            row = (self.entity == code).argmax()
            raise not_utf8(f"the column {column}, row {row} (from 0)") from None

    @staticmethod
    def of(track: Any, named: Names, reads: bool) -> Track | None:
        """A track from a frame or an Arrow table; None for other objects."""
        pandas = loaded("pandas")
        if pandas is not None and isinstance(track, pandas.DataFrame):
            return _of_frame(track, named, reads)
        if hasattr(track, "__arrow_c_stream__") or hasattr(track, "__arrow_c_array__"):
            return _of_arrow(track, named, reads)
        return None

    def locations(self, first: int, last: int) -> _native.Locations:
        """The locations of a range of rows, which are valid as long as this object exists."""
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
            raise no_time(f"row {row} (from 0) of the column {name}")
        return np.ascontiguousarray(values.astype("M8[ms]").astype(np.int64))
    out = [
        _milliseconds(value, f"row {row} (from 0) of the column {name}")
        for row, value in enumerate(values.tolist())
    ]
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


def _of_frame(frame: Any, named: Names, reads: bool) -> Track:
    geopandas = loaded("geopandas")
    is_geo = geopandas is not None and isinstance(frame, geopandas.GeoDataFrame)
    names = [str(name) for name in frame.columns]
    by_name = dict(zip(names, frame.columns))
    roles = named.roles(names)
    if is_geo and named.x is None:
        series = frame.geometry
        if series.crs is not None and not _native.same_crs(crs_text(series.crs) or "", "EPSG:4326"):
            series = series.to_crs(4326)
        from ._shapely import shape_points

        x, y, _ = shape_points(series.array, series.crs)
    else:
        found = chosen_columns(names, named.x, named.y, "the track")
        if found is None:
            raise PlumbValueError(
                f"the track has {listed(names)}, but no x and y: give them with x= and y=",
                "not_found",
            )
        x, y = (doubles(frame[by_name[name]], f"the column {name}") for name in found[:2])

    def attributes(first: int, last: int) -> bytes | None:
        return frame_json(frame.iloc[first:last])

    def answer(events: Any) -> Any:
        return events.to_geopandas() if is_geo else events.to_pandas()

    return Track(
        x, y, roles, lambda name: frame[by_name[name]], answer, attributes if reads else None
    )


def _of_arrow(track: Any, named: Names, reads: bool) -> Track:
    from . import _arrow, _geometry

    table = _arrow.Table(track, "the track")
    if not table.is_table:
        raise PlumbTypeError("the track is one Arrow column: give a table")
    names = table.names
    roles = named.roles(names)
    x, y, said = _geometry.point_columns(table, named.x, named.y, None, "the track")
    if crs_text(said) and not _native.same_crs(crs_text(said) or "", "EPSG:4326"):
        raise PlumbValueError(
            "the track's points are not longitude and latitude on WGS84: convert them first",
            "crs_mismatch",
        )

    def column(name: str) -> Any:
        values, mask = table.column(names.index(name)).decoded()
        if mask.any() and values.dtype.kind != "M":
            values = values.astype(object)
            values[mask] = None
        return values

    def attributes(first: int, last: int) -> bytes | None:
        return table_json(table, first, last)

    def answer(events: Any) -> Any:
        module = type(track).__module__.partition(".")[0]
        if module == "pyarrow":
            return events.to_arrow()
        if module == "polars":
            import polars

            return polars.DataFrame(events)
        return events

    out = Track(
        doubles(x, "x"), doubles(y, "y"), roles, column, answer, attributes if reads else None
    )
    out.answer.__dict__["holds"] = table
    return out
