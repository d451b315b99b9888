"""Columns taken in through the Arrow C data interface, with the standard library and NumPy."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import TYPE_CHECKING, Any

from ._error import PlumbError, PlumbTypeError, PlumbValueError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_P = ctypes.c_void_p


class Schema(ctypes.Structure):
    """``struct ArrowSchema``."""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", _P),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", _P),
    ("private_data", _P),
]


class Array(ctypes.Structure):
    """``struct ArrowArray``."""


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(_P)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", _P),
    ("private_data", _P),
]


class Stream(ctypes.Structure):
    """``struct ArrowArrayStream``."""

    _fields_ = [
        ("get_schema", _P),
        ("get_next", _P),
        ("get_last_error", _P),
        ("release", _P),
        ("private_data", _P),
    ]


_RELEASE = ctypes.CFUNCTYPE(None, _P)
_GET = ctypes.CFUNCTYPE(ctypes.c_int, _P, _P)
_ERROR = ctypes.CFUNCTYPE(_P, _P)


def _capsule_pointer(capsule: object, name: bytes) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = _P
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    try:
        pointer: int = get(capsule, name)
    except ValueError:
        kind = "stream" if name == b"arrow_array_stream" else "array"
        raise PlumbTypeError(
            f"what was given is no Arrow {kind}, though it says so: its capsule is of another kind"
        ) from None
    return pointer


# What comes in.


class Held:
    """A structure that was moved out of its producer's hands and is released with this object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __del__(self) -> None:
        value = self.value
        if value.release:
            _RELEASE(value.release)(ctypes.addressof(value))
            value.release = None


def _moved(address: int, kind: type) -> Held:
    value = kind()
    size = ctypes.sizeof(kind)
    ctypes.memmove(ctypes.addressof(value), address, size)
    source = kind.from_address(address)  # type: ignore[attr-defined]
    source.release = None
    return Held(value)


class Field:
    """One column's type, as its producer says it."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.name = (schema.name or b"").decode("utf-8", "replace")
        self.format = (schema.format or b"").decode("ascii", "replace")
        self.metadata = _metadata(schema.metadata)
        self.children = [Field(schema.children[i].contents) for i in range(schema.n_children)]
        self.is_dictionary = bool(schema.dictionary)

    @property
    def extension(self) -> str:
        return self.metadata.get("ARROW:extension:name", "")

    @property
    def is_binary(self) -> bool:
        return self.format in ("z", "Z", "vz")

    @property
    def is_text(self) -> bool:
        return self.format in ("u", "U", "vu")

    @property
    def crs(self) -> Any:
        text = self.metadata.get("ARROW:extension:metadata", "")
        if not text:
            return None
        try:
            return json.loads(text).get("crs")
        except (ValueError, AttributeError):
            return None


def _metadata(address: int | None) -> dict[str, str]:
    if not address:
        return {}
    (count,) = struct.unpack("=i", ctypes.string_at(address, 4))
    at = address + 4
    out: dict[str, str] = {}
    for _ in range(count):
        pair = []
        for _ in range(2):
            (size,) = struct.unpack("=i", ctypes.string_at(at, 4))
            pair.append(ctypes.string_at(at + 4, size).decode("utf-8", "replace"))
            at += 4 + size
        out[pair[0]] = pair[1]
    return out


class Room:
    """A schema and an array that the library fills in."""

    def __init__(self) -> None:
        self.schema = Held(Schema())
        self.array = Held(Array())

    @property
    def addresses(self) -> tuple[int, int]:
        return ctypes.addressof(self.schema.value), ctypes.addressof(self.array.value)


class Table:
    """A stream read to its end: its columns' types and its chunks."""

    def __init__(self, source: Any, name: str = "the Arrow stream") -> None:
        self._schema: Held
        self.chunks: list[Held]
        if hasattr(source, "__arrow_c_stream__"):
            self._read_stream(source, name)
        elif isinstance(source, list):
            # Rooms that the library filled in, one after the other.
            self._schema, self.chunks = source[0].schema, [room.array for room in source]
        else:
            schema, array = source.__arrow_c_array__()
            self._schema = _moved(_capsule_pointer(schema, b"arrow_schema"), Schema)
            self.chunks = [_moved(_capsule_pointer(array, b"arrow_array"), Array)]
        self.field = Field(self._schema.value)
        self.is_table = self.field.format == "+s"
        self.length = sum(chunk.value.length for chunk in self.chunks)

    def _read_stream(self, source: Any, name: str) -> None:
        capsule = source.__arrow_c_stream__()
        stream = Stream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))
        if not stream.release:
            raise PlumbError(f"{name} was read to its end already: make a new one", "closed")
        at = ctypes.addressof(stream)
        try:
            schema = Schema()
            self._check(stream, _GET(stream.get_schema)(at, ctypes.addressof(schema)), name)
            self._schema = Held(schema)
            self.chunks = []
            while True:
                array = Array()
                self._check(stream, _GET(stream.get_next)(at, ctypes.addressof(array)), name)
                if not array.release:
                    break
                self.chunks.append(Held(array))
        finally:
            # The capsule's own destructor finds it released.
            if stream.release:
                _RELEASE(stream.release)(at)
                stream.release = None
            del capsule

    @staticmethod
    def _check(stream: Any, status: int, name: str) -> None:
        if status == 0:
            return
        text = b""
        if stream.get_last_error:
            said = _ERROR(stream.get_last_error)(ctypes.addressof(stream))
            text = ctypes.string_at(said) if said else b""
        reason = text.decode("utf-8", "replace").strip().splitlines()
        detail = reason[0].rstrip(".") if reason else f"error {status}"
        raise PlumbError(f"{name} failed while it was read: {detail}", "read_error")

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.field.children]

    def column(self, index: int) -> Column:
        """A column of a table."""
        parts = []
        for chunk in self.chunks:
            parent = chunk.value
            child = parent.children[index].contents
            parts.append((child, child.offset + parent.offset, parent.length))
        return Column(self.field.children[index], parts, self.length)

    def alone(self) -> Column:
        """The values of an array, which is no table."""
        parts = [(chunk.value, chunk.value.offset, chunk.value.length) for chunk in self.chunks]
        return Column(self.field, parts, self.length)


_NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "e": "f2", "f": "f4", "g": "f8",
}  # fmt: skip


class Column:
    """A column's chunks, each with where it starts and how long it is."""

    def __init__(self, field: Field, parts: list[tuple[Any, int, int]], length: int) -> None:
        self.field = field
        self.parts = parts
        self.length = length

    def doubles(self, name: str) -> NDArray[np.float64]:
        """The numbers as float64, nulls as NaN; one chunk of float64 without nulls is not copied,
        so the producer has to be kept while it is used."""
        import numpy as np

        field = self.field
        dtype = _NUMBERS.get(field.format)
        if dtype is None or field.is_dictionary:
            raise PlumbTypeError(
                f"{name} is {_type_words(field)}, which is no coordinate: give floats or integers"
            )
        pieces = []
        for array, start, length in self.parts:
            values = _buffer(array, 1, dtype, start, length)
            valid = _valid(array, start, length)
            if valid is not None and not valid.all():
                pieces.append(np.where(valid, values.astype(np.float64), np.nan))
            else:
                pieces.append(values.astype(np.float64, copy=False))
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces) if pieces else np.empty(0)

    def decoded(self) -> tuple[Any, Any]:
        """The values and which are null; text as an array of objects, times as datetime64."""
        import numpy as np

        pieces = [self._decoded(*part) for part in self.parts]
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            return self._empty(), np.zeros(0, dtype=bool)
        values = np.concatenate([value for value, _ in pieces])
        return values, np.concatenate([mask for _, mask in pieces])

    def _empty(self) -> Any:
        import numpy as np

        layout = self.field.format
        kind = _NUMBERS.get(layout) or ("?" if layout == "b" else _times(layout) or "O")
        return np.empty(0, dtype=kind)

    def _decoded(self, array: Any, start: int, length: int) -> tuple[Any, Any]:
        import numpy as np

        valid = _valid(array, start, length)
        mask = np.zeros(length, dtype=bool) if valid is None else ~valid
        layout = self.field.format
        if self.field.is_dictionary:
            codes = _buffer(array, 1, _NUMBERS[layout], start, length)
            inner = self.field.schema.dictionary.contents
            words = Column(Field(inner), [], 0)._decoded(
                array.dictionary.contents, array.dictionary.contents.offset,
                array.dictionary.contents.length,
            )[0]  # fmt: skip
            out = np.full(length, None, dtype=object)
            out[~mask] = words[codes[~mask]]
            return out, mask
        if layout in _NUMBERS:
            return _buffer(array, 1, _NUMBERS[layout], start, length), mask
        if layout == "b":
            first = start // 8
            address = array.buffers[1] if length else None
            bits = _at((address or 0) + first, "u1", (start + length + 7) // 8 - first)
            skip = start - first * 8
            flat = np.unpackbits(bits, bitorder="little", count=skip + length)[skip:]
            return flat.astype(bool), mask
        times = _times(layout)
        if times:
            return _buffer(array, 1, "i8", start, length).view(times), mask
        if layout in ("u", "U", "z", "Z"):
            return _texts(array, layout, start, length, mask), mask
        if layout in ("vu", "vz"):
            return _text_views(array, layout, start, length, mask), mask
        raise PlumbTypeError(
            f"the column {self.field.name} is {_type_words(self.field)}, which is not read here"
        )

    def points(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The coordinates of a column of points, in GeoArrow's layouts or in WKB."""
        import numpy as np

        pieces = [self._points(name, *part) for part in self.parts]
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            return np.empty(0), np.empty(0)
        return np.concatenate([x for x, _ in pieces]), np.concatenate([y for _, y in pieces])

    def _points(self, name: str, array: Any, start: int, length: int) -> tuple[Any, Any]:
        import numpy as np

        field = self.field
        valid = _valid(array, start, length)
        if field.is_binary:
            return _wkb(array, field.format, start, length, valid)
        if field.format == "+s" and {"x", "y"} <= {child.name for child in field.children}:
            out = []
            for axis in ("x", "y"):
                at = [child.name for child in field.children].index(axis)
                if field.children[at].format != "g":
                    raise _no_points(name, field)
                child = array.children[at].contents
                values = _buffer(child, 1, "f8", child.offset + start, length)
                inner = _valid(child, child.offset + start, length)
                if inner is not None:
                    values = np.where(inner, values, np.nan)
                out.append(values if valid is None else np.where(valid, values, np.nan))
            return out[0], out[1]
        if field.format.startswith("+w:") and field.children[0].format == "g":
            width = int(field.format[3:])
            child = array.children[0].contents
            flat = _buffer(child, 1, "f8", child.offset + start * width, length * width)
            rows = flat.reshape(length, width)
            x, y = rows[:, 0].copy(), rows[:, 1].copy()
            if valid is not None:
                x[~valid] = np.nan
                y[~valid] = np.nan
            return x, y
        raise _no_points(name, field)


def _no_points(name: str, field: Field) -> PlumbTypeError:
    return PlumbTypeError(
        f"{name} is {_type_words(field)}, which holds no points: give GeoArrow points or WKB"
    )


_WORDS = {"u": "text", "U": "text", "vu": "text", "b": "booleans", "z": "bytes", "Z": "bytes",
          "vz": "bytes", "+s": "a struct", "n": "nulls"}  # fmt: skip


def _type_words(field: Field) -> str:
    if field.is_dictionary:
        return "dictionary-encoded"
    if field.extension:
        return f"of the type {field.extension}"
    return _WORDS.get(field.format, f"of the Arrow type {field.format}")


def _at(address: int, dtype: str, count: int) -> Any:
    import numpy as np

    size = np.dtype(dtype).itemsize * count
    if not address or size == 0:
        return np.empty(0 if count == 0 else count, dtype=dtype)
    view: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(view, dtype=dtype)


def _buffer(array: Any, index: int, dtype: str, start: int, length: int) -> Any:
    import numpy as np

    address = array.buffers[index] if length else None
    return _at((address or 0) + start * np.dtype(dtype).itemsize, dtype, length)


def _valid(array: Any, start: int, length: int) -> Any:
    """Which rows hold something; None when all do."""
    import numpy as np

    if array.null_count == 0 or array.n_buffers == 0 or length == 0 or not array.buffers[0]:
        return None
    first = start // 8
    bits = _at(array.buffers[0] + first, "u1", (start + length + 7) // 8 - first)
    skip = start - first * 8
    out = np.unpackbits(bits, bitorder="little", count=skip + length)[skip:].view(bool)
    return None if out.all() else out


def _wkb(array: Any, layout: str, start: int, length: int, valid: Any) -> tuple[Any, Any]:
    import numpy as np

    from . import _points

    if length == 0:
        return np.empty(0), np.empty(0)
    if layout == "vz":
        return _wkb_views(array, start, length, valid)
    kind = "i8" if layout == "Z" else "i4"
    offsets = _buffer(array, 1, kind, start, length + 1)
    data = _at(array.buffers[2] or 0, "u1", int(offsets[-1]))
    return _points.wkb_points(data, offsets, valid)


def _wkb_views(array: Any, start: int, length: int, valid: Any) -> tuple[Any, Any]:
    import numpy as np

    from . import _points

    views = _buffer(array, 1, "u1", start * 16, length * 16).reshape(length, 16)
    sizes = np.ascontiguousarray(views[:, :4]).view("i4").ravel().astype(np.int64)
    which = np.ascontiguousarray(views[:, 8:12]).view("i4").ravel()
    offsets = np.ascontiguousarray(views[:, 12:16]).view("i4").ravel().astype(np.int64)
    x = np.full(length, np.nan)
    y = np.full(length, np.nan)
    # Values of 12 bytes or fewer lie in the view itself, and a point has 21.
    count = array.n_buffers - 3
    lengths = _at(array.buffers[array.n_buffers - 1] or 0, "i8", max(0, count))
    for index in range(count):
        rows = np.flatnonzero((sizes > 12) & (which == index))
        if rows.size:
            data = _at(array.buffers[2 + index], "u1", int(lengths[index]))
            held = None if valid is None else valid[rows]
            x[rows], y[rows] = _points.wkb_points_at(data, offsets[rows], sizes[rows], held)
    return x, y


def _texts(array: Any, layout: str, start: int, length: int, mask: Any) -> Any:
    import numpy as np

    out = np.full(length, None, dtype=object)
    if length == 0:
        return out
    offsets = _buffer(array, 1, "i8" if layout in "UZ" else "i4", start, length + 1)
    last = int(offsets[-1])
    data = bytes(_at(array.buffers[2] or 0, "u1", last)) if last else b""
    if layout in ("z", "Z"):
        pairs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), mask.tolist())
        out[:] = [None if null else data[a:b] for a, b, null in pairs]
        return out
    # The same text is the same object, and is decoded once.
    seen: dict[bytes, str] = {}
    rows = np.flatnonzero(~mask)
    for row, a, b in zip(rows.tolist(), offsets[rows].tolist(), offsets[rows + 1].tolist()):
        part = data[a:b]
        text = seen.get(part)
        if text is None:
            text = seen[part] = part.decode("utf-8", "replace")
        out[row] = text
    return out


def _times(layout: str) -> str | None:
    units = {"tss": "s", "tsm": "ms", "tsu": "us", "tsn": "ns"}
    unit = units.get(layout[:3])
    return f"M8[{unit}]" if unit else None


def _text_views(array: Any, layout: str, start: int, length: int, mask: Any) -> Any:
    import numpy as np

    out = np.full(length, None, dtype=object)
    views = bytes(_buffer(array, 1, "u1", start * 16, length * 16))
    count = array.n_buffers - 3
    sizes = _at(array.buffers[array.n_buffers - 1] or 0, "i8", max(0, count)).tolist()
    parts = [bytes(_at(array.buffers[2 + i] or 0, "u1", sizes[i])) for i in range(count)]
    for row in np.flatnonzero(~mask).tolist():
        at = 16 * row
        (size,) = struct.unpack_from("=i", views, at)
        if size <= 12:
            value = views[at + 4 : at + 4 + size]
        else:
            which, offset = struct.unpack_from("=ii", views, at + 8)
            value = parts[which][offset : offset + size]
        out[row] = value.decode("utf-8", "replace") if layout == "vu" else value
    return out


def column_doubles(values: Any, name: str) -> NDArray[np.float64]:
    """A column that some library holds in Arrow's layout, as numbers of our own."""
    table = Table(values, name)
    if table.is_table:
        raise PlumbTypeError(f"{name} is a table: give one of its columns")
    return table.alone().doubles(name).copy()


def point_columns(
    table: Table, x: Any, y: Any, geometry: str | None, what: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
    """The coordinates in a table, and the reference that it says they are in."""
    names = table.names
    if geometry is not None:
        if x is not None or y is not None:
            raise PlumbTypeError("geometry= and x=, y= both say where the points are: give one")
        if geometry not in names:
            from ._points import listed

            raise PlumbValueError(
                f"geometry names the column {geometry}, and {what} has {listed(names)}", "not_found"
            )
        return _geometry(table, names.index(geometry))
    if x is None and y is None:
        at = _geometry_column(table)
        if at is not None:
            return _geometry(table, at)
    from ._points import chosen_columns, listed

    found = chosen_columns(names, x, y, what)
    if found is None:
        raise PlumbValueError(
            f"{what} has no column of points that is known: name x= and y=, or geometry=, among "
            f"{listed(names)}",
            "not_found",
        )
    first = table.column(names.index(found[0])).doubles(f"the column {found[0]}")
    second = table.column(names.index(found[1])).doubles(f"the column {found[1]}")
    return first, second, "EPSG:4326" if found[2] else None


def _geo(table: Table) -> dict[str, Any]:
    """What GeoParquet says of its columns."""
    try:
        geo = json.loads(table.field.metadata.get("geo", "{}"))
        return geo if isinstance(geo, dict) else {}
    except ValueError:
        return {}


def _geometry_column(table: Table) -> int | None:
    names = table.names
    primary = _geo(table).get("primary_column")
    if primary in names:
        return names.index(primary)
    for index, field in enumerate(table.field.children):
        if field.extension.startswith("geoarrow.") or field.extension == "ogc.wkb":
            return index
    for index, field in enumerate(table.field.children):
        name = field.name.lower()
        if field.is_binary and name in ("geometry", "geom", "the_geom", "wkb", "wkb_geometry"):
            return index
    return None


def _geometry_crs(table: Table, index: int) -> Any:
    field = table.field.children[index]
    crs = field.crs
    columns = _geo(table).get("columns", {})
    if crs is None and field.name in columns:
        # GeoParquet's default.
        crs = columns[field.name].get("crs", "EPSG:4326")
    return crs


def _geometry(table: Table, index: int) -> tuple[Any, Any, Any]:
    field = table.field.children[index]
    crs = _geometry_crs(table, index)
    x, y = table.column(index).points(f"the column {field.name}")
    return x, y, crs
