"""The values of imported Arrow columns."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arrow_types import NUMBERS, Field
from ._checks import not_utf8
from ._error import PlumbTypeError
from ._memory import View
from ._wkb import Shapes, srid_crs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

_TIMES = {"tss": "s", "tsm": "ms", "tsu": "us", "tsn": "ns"}


class Part(NamedTuple):
    """Rows of an array, and the owner of its memory."""

    array: Any
    start: int
    length: int
    holds: Any

    def at(self, address: int | None, dtype: str, count: int) -> Any:
        """Values at an address, which keep the memory alive."""
        import numpy as np

        if not address or count == 0:
            return np.empty(count, dtype=dtype)
        return np.asarray(View(address, dtype, count, self.holds))

    def buffer(self, index: int, dtype: str, more: int = 0) -> Any:
        """The rows' values in a buffer, and `more` values after them."""
        import numpy as np

        address = self.array.buffers[index] if self.length else None
        size = np.dtype(dtype).itemsize
        return self.at(address and address + self.start * size, dtype, self.length + more)

    def bits(self, index: int) -> Any:
        """The rows' bits in a buffer."""
        import numpy as np

        address = self.array.buffers[index] if self.length else None
        first = self.start // 8
        count = (self.start + self.length + 7) // 8 - first
        packed = self.at(address and address + first, "u1", count)
        skip = self.start - first * 8
        return np.unpackbits(packed, bitorder="little", count=skip + self.length)[skip:].view(bool)

    def valid(self) -> Any:
        """A mask of the rows with a value; None if all rows have one."""
        array = self.array
        if array.null_count == 0 or array.n_buffers == 0 or not self.length or not array.buffers[0]:
            return None
        out = self.bits(0)
        return None if out.all() else out

    def child(self, index: int, width: int = 1) -> Part:
        """The rows of a child array with `width` values per row."""
        inner = self.array.children[index].contents
        return Part(inner, inner.offset + self.start * width, self.length * width, self.holds)

    def multipolygons(self) -> tuple[Any, Any, Any, Any]:
        """The vertices, and three arrays of starts: of rings in the vertices, of polygons in the
        rings, and of rows in the polygons. Each array also has the end of its last item."""
        starts, part = [], self
        for _ in range(3):
            starts.append(part.buffer(1, "i8", 1))
            inner = part.array.children[0].contents
            part = Part(inner, inner.offset, inner.length, part.holds)
        xy = part.child(0, 2).buffer(1, "f8").reshape(-1, 2)
        return xy, starts[2], starts[1], starts[0]


class Column:
    """A column's chunks, each with its start and length."""

    def __init__(self, field: Field, parts: list[Part], length: int) -> None:
        self.field = field
        self.parts = parts
        self.length = length

    def doubles(self, name: str) -> Doubles:
        """The numbers as float64, nulls as NaN; a single float64 chunk without nulls is not
        copied."""
        import numpy as np

        field = self.field
        is_decimal = field.format.startswith("d:")
        dtype = NUMBERS.get(field.format)
        if (dtype is None and not is_decimal) or field.is_dictionary:
            raise PlumbTypeError(
                f"{name} is {type_words(field)}, which is not a coordinate: give floats or integers"
            )
        pieces = []
        for part in self.parts:
            values = _decimal_doubles(part, field) if dtype is None else part.buffer(1, dtype)
            valid = part.valid()
            if valid is not None:
                pieces.append(np.where(valid, values.astype(np.float64), np.nan))
            else:
                pieces.append(values.astype(np.float64, copy=False))
        out: Doubles = _joined(pieces, np.float64)
        return out

    def decoded(self) -> tuple[Any, Any]:
        """The values, and which are null; text as an array of objects, times as datetime64."""
        import numpy as np

        pieces = []
        first = 0
        for part in self.parts:
            try:
                pieces.append(self._decoded(part))
            except _NotUTF8 as error:
                where = f"the column {self.field.name}, row {first + error.row} (from 0)"
                raise not_utf8(where) from None
            first += part.length
        if len(pieces) == 1:
            return pieces[0]
        return (
            _joined([value for value, _ in pieces], self._dtype()),
            _joined([mask for _, mask in pieces], np.bool_),
        )

    def _dtype(self) -> str:
        layout = self.field.format
        kind = NUMBERS.get(layout) or ("?" if layout == "b" else _times(layout) or "O")
        return "O" if self.field.is_dictionary else kind

    def _decoded(self, part: Part) -> tuple[Any, Any]:
        import numpy as np

        valid = part.valid()
        mask = np.zeros(part.length, dtype=bool) if valid is None else ~valid
        layout = self.field.format
        if self.field.dictionary is not None:
            codes = part.buffer(1, NUMBERS[layout])
            inner = part.array.dictionary.contents
            whole = Part(inner, inner.offset, inner.length, part.holds)
            words, missing = Column(self.field.dictionary, [whole], whole.length).decoded()
            out = np.full(part.length, None, dtype=object)
            out[~mask] = words[codes[~mask]]
            mask[~mask] = missing[codes[~mask]]
            return out, mask
        if layout in NUMBERS:
            return part.buffer(1, NUMBERS[layout]), mask
        if layout == "b":
            return part.bits(1), mask
        times = _times(layout)
        if times:
            values = part.buffer(1, "i4" if layout == "tdD" else "i8").astype("i8").view(times)
            values[mask] = np.datetime64("NaT")
            return values, mask
        if layout.startswith("d:"):
            return _decimals(part, self.field, mask), mask
        if layout in ("u", "U", "z", "Z"):
            return _texts(part, layout, mask), mask
        if layout in ("vu", "vz"):
            return _text_views(part, layout, mask), mask
        if layout == "n":
            return np.full(part.length, None, dtype=object), np.ones(part.length, dtype=bool)
        raise PlumbTypeError(
            f"the column {self.field.name} is {type_words(self.field)}, which is not supported"
        )

    def points(self, name: str) -> tuple[Doubles, Doubles, str | None]:
        """The coordinates of a column of points in GeoArrow layouts or WKB, and the CRS in the
        values."""
        import numpy as np

        if self.field.is_binary:
            pieces = [piece for part in self.parts for piece in self.shapes(part)]
            crs = self.crs_of(pieces, name)
            both = [shapes.points() for shapes in pieces]
        else:
            crs = None
            both = [self._points(name, part) for part in self.parts]
        x = _joined([x for x, _ in both], np.float64)
        return x, _joined([y for _, y in both], np.float64), crs

    @staticmethod
    def crs_of(pieces: list[Shapes], name: str) -> str | None:
        """The one CRS in WKB values."""
        srids: dict[int, int] = {}
        first = 0
        for shapes in pieces:
            for number, row in shapes.srids().items():
                srids.setdefault(number, first + row)
            first += shapes.starts.size
        return srid_crs(srids, name)

    def shapes(self, part: Part) -> list[Shapes]:
        """The values of a part in WKB."""
        import numpy as np

        layout = self.field.format
        valid = part.valid()
        if not part.length:
            return []
        if layout == "vz":
            mask = np.zeros(part.length, dtype=bool) if valid is None else ~valid
            return [Shapes.of(_text_views(part, layout, mask).tolist())]
        offsets = part.buffer(1, "i8" if layout == "Z" else "i4", 1).astype(np.int64)
        sizes = np.diff(offsets)
        if valid is not None:
            sizes[~valid] = 0
        return [Shapes(part.at(part.array.buffers[2], "u1", int(offsets[-1])), offsets[:-1], sizes)]

    def areas(self) -> NDArray[np.object_]:
        """Areas in GeoArrow's multipolygon layout as shapely geometries; None for null."""
        import numpy as np

        from ._shapely import shape_areas

        pieces = [shape_areas(*part.multipolygons()) for part in self.parts]
        out: NDArray[np.object_] = _joined(pieces, np.object_)
        return out

    def _points(self, name: str, part: Part) -> tuple[Any, Any]:
        import numpy as np

        field = self.field
        valid = part.valid()
        names = [child.name for child in field.children]
        if field.format == "+s" and {"x", "y"} <= set(names):
            out = []
            for axis in ("x", "y"):
                at = names.index(axis)
                if field.children[at].format != "g":
                    raise _no_points(name, field)
                inner = part.child(at)
                values = inner.buffer(1, "f8")
                for one in (inner.valid(), valid):
                    if one is not None:
                        values = np.where(one, values, np.nan)
                out.append(values)
            return out[0], out[1]
        if field.format.startswith("+w:") and field.children[0].format == "g":
            width = int(field.format[3:])
            rows = part.child(0, width).buffer(1, "f8").reshape(part.length, width)
            x, y = rows[:, 0].copy(), rows[:, 1].copy()
            if valid is not None:
                x[~valid] = np.nan
                y[~valid] = np.nan
            return x, y
        raise _no_points(name, field)


def _joined(pieces: list[Any], dtype: Any) -> Any:
    import numpy as np

    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=dtype)


def _no_points(name: str, field: Field) -> PlumbTypeError:
    return PlumbTypeError(
        f"{name} is {type_words(field)}, which holds no points: give GeoArrow points or WKB"
    )


_WORDS = {"u": "text", "U": "text", "vu": "text", "b": "booleans", "z": "bytes", "Z": "bytes",
          "vz": "bytes", "+s": "a struct", "n": "nulls"}  # fmt: skip


def type_words(field: Field) -> str:
    """A column's type in a few words."""
    if field.is_dictionary:
        return "dictionary-encoded"
    if field.extension:
        return f"of the type {field.extension}"
    return _WORDS.get(field.format, f"of the Arrow type {field.format}")


def _times(layout: str) -> str | None:
    if layout in ("tdD", "tdm"):
        return "M8[D]" if layout == "tdD" else "M8[ms]"
    unit = _TIMES.get(layout[:3])
    return f"M8[{unit}]" if unit else None


# Decimals, which are integers times a power of ten.


def _decimal_layout(field: Field) -> tuple[int, int]:
    """The digits after the point, and the bytes per value."""
    parts = [int(one) for one in field.format[2:].split(",")]
    return parts[1], (parts[2] if len(parts) > 2 else 128) // 8


def _decimal_doubles(part: Part, field: Field) -> Any:
    """The numbers, each with a single rounding."""
    import numpy as np

    scale, size = _decimal_layout(field)
    words = _decimal_words(part, size)
    low = words[:, 0]
    whole = low.astype(np.float64)
    # Integers below 2^53 and powers of ten up to 22 are exact, so there is a single rounding.
    fits = np.abs(low) < 1 << 53
    for index in range(1, words.shape[1]):
        fits &= words[:, index] == (low >> 63)
    if 0 <= scale <= 22 and fits.all():
        return whole / 10.0**scale
    return np.array([float(one) for one in _scaled(words, scale)], dtype=np.float64)


def _decimals(part: Part, field: Field, mask: Any) -> Any:
    import numpy as np

    scale, size = _decimal_layout(field)
    out = np.full(part.length, None, dtype=object)
    values = _scaled(_decimal_words(part, size), scale)
    for row in np.flatnonzero(~mask).tolist():
        out[row] = values[row]
    return out


def _decimal_words(part: Part, size: int) -> Any:
    """Each value as signed 64-bit words, the lowest first."""
    import numpy as np

    if size == 4:
        return part.buffer(1, "i4").astype(np.int64).reshape(-1, 1)
    count = size // 8
    wide = Part(part.array, part.start * count, part.length * count, part.holds)
    return wide.buffer(1, "i8").reshape(part.length, count)


def _scaled(words: Any, scale: int) -> list[Decimal]:
    out = []
    for row in words.tolist():
        whole = row[-1]
        for word in reversed(row[:-1]):
            whole = (whole << 64) + (word & 0xFFFFFFFFFFFFFFFF)
        sign = 1 if whole < 0 else 0
        digits = tuple(int(digit) for digit in str(abs(whole)))
        out.append(Decimal((sign, digits, -scale)))
    return out


# Text and bytes.


class _NotUTF8(Exception):
    """A row of a part, counted from 0, with text that is not UTF-8."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def _text(value: bytes, row: int) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise _NotUTF8(row) from None


def _texts(part: Part, layout: str, mask: Any) -> Any:
    import numpy as np

    out = np.full(part.length, None, dtype=object)
    if part.length == 0:
        return out
    offsets = part.buffer(1, "i8" if layout in "UZ" else "i4", 1)
    last = int(offsets[-1])
    packed = part.at(part.array.buffers[2], "u1", last)
    if layout in ("z", "Z"):
        # There may be gigabytes: avoid a copy of everything.
        view = memoryview(packed)
        pairs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), mask.tolist())
        out[:] = [None if null else view[a:b].tobytes() for a, b, null in pairs]
        return out
    data = bytes(packed)
    # Equal strings are decoded once and share one object.
    seen: dict[bytes, str] = {}
    rows = np.flatnonzero(~mask)
    for row, a, b in zip(rows.tolist(), offsets[rows].tolist(), offsets[rows + 1].tolist()):
        piece = data[a:b]
        text = seen.get(piece)
        if text is None:
            text = seen[piece] = _text(piece, row)
        out[row] = text
    return out


def _text_views(part: Part, layout: str, mask: Any) -> Any:
    import numpy as np

    out = np.full(part.length, None, dtype=object)
    array = part.array
    wide = Part(array, part.start * 16, part.length * 16, part.holds)
    views = bytes(wide.buffer(1, "u1"))
    count = array.n_buffers - 3
    sizes = part.at(array.buffers[array.n_buffers - 1], "i8", max(0, count)).tolist()
    parts = [bytes(part.at(array.buffers[2 + i], "u1", sizes[i])) for i in range(count)]
    for row in np.flatnonzero(~mask).tolist():
        at = 16 * row
        (size,) = struct.unpack_from("=i", views, at)
        if size <= 12:
            value = views[at + 4 : at + 4 + size]
        else:
            which, offset = struct.unpack_from("=ii", views, at + 8)
            value = parts[which][offset : offset + size]
        out[row] = _text(value, row) if layout == "vu" else value
    return out
