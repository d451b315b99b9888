"""Columns exported through the Arrow C data interface.

The library makes and frees the structures: a table may outlive the interpreter.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

from . import _native
from ._arrow import NUMBERS, Array, Field, Schema, Table
from ._checks import not_utf8
from ._memory import HeldArray, Memory, shared

_P = ctypes.c_void_p
_NULLABLE = 2


class Out:
    """A column to export: its type, and its values from a given row on."""

    #: Pairs of keys and values of the field.
    metadata: bytes | None = None

    def schema(self, target: Any) -> None:
        raise NotImplementedError

    def array(self, target: Any, start: int, length: int) -> None:
        raise NotImplementedError


def _pointers(items: list[Any]) -> Any:
    return (_P * max(1, len(items)))(*[ctypes.addressof(item) for item in items])


def _fill_schema(
    target: Any, name: str, layout: str, flags: int = _NULLABLE,
    children: list[Any] | None = None, dictionary: Any = None, metadata: bytes | None = None,
) -> None:  # fmt: skip
    children = children or []
    _native.call(
        "plumb_schema_make", ctypes.addressof(target), layout.encode(), name.encode(), metadata,
        len(metadata or b""), flags, _pointers(children), len(children),
        ctypes.addressof(dictionary) if dictionary is not None else None,
    )  # fmt: skip


def _fill_array(
    target: Any, length: int, offset: int, buffers: list[Any], owners: list[Any],
    null_count: int = -1, children: list[Any] | None = None, dictionary: Any = None,
) -> None:  # fmt: skip
    children = children or []
    _native.call(
        "plumb_array_make", ctypes.addressof(target), length, null_count, offset,
        (_P * max(1, len(buffers)))(*buffers), len(buffers), _pointers(children), len(children),
        ctypes.addressof(dictionary) if dictionary is not None else None,
        (_P * max(1, len(owners)))(*[owner.holder for owner in owners]), len(owners),
    )  # fmt: skip


def metadata_bytes(pairs: dict[str, str]) -> bytes:
    """Key and value pairs in the interface's encoding."""
    out = struct.pack("=i", len(pairs))
    for key, value in pairs.items():
        for text in (key.encode(), value.encode()):
            out += struct.pack("=i", len(text)) + text
    return out


class _Parts:
    """The buffers of a column, each with the memory that contains it."""

    def __init__(self) -> None:
        self.addresses: list[int | None] = []
        self.owners: list[Memory] = []

    def add(self, values: Any) -> None:
        """An array, or None for no buffer."""
        if values is None:
            self.addresses.append(None)
            return
        address, owner = shared(values)
        self.addresses.append(address)
        self.owners.append(owner)


class Numbers(Out):
    """A column of numbers, null where the mask is true."""

    def __init__(
        self, name: str, values: Any, mask: Any = None, layout: str | None = None
    ) -> None:
        import numpy as np

        self.name = name
        values = np.ascontiguousarray(values)
        kinds = {value: key for key, value in NUMBERS.items()}
        self.layout = layout or kinds[values.dtype.str[1:]]
        self.size = values.size
        self.nulls = int(np.count_nonzero(mask)) if mask is not None else 0
        self.parts = _Parts()
        self.parts.add(np.packbits(~mask, bitorder="little") if self.nulls else None)
        self.parts.add(values)

    def schema(self, target: Any) -> None:
        _fill_schema(target, self.name, self.layout, metadata=self.metadata)

    def array(self, target: Any, start: int, length: int) -> None:
        nulls = self.nulls if length == self.size or self.nulls == 0 else -1
        _fill_array(target, length, start, self.parts.addresses, self.parts.owners, nulls)


class Bits(Numbers):
    """A column of booleans, null where the mask is true."""

    def __init__(self, name: str, values: Any, mask: Any = None) -> None:
        import numpy as np

        super().__init__(name, np.packbits(values, bitorder="little"), None, "b")
        self.size = values.size
        self.nulls = int(np.count_nonzero(mask)) if mask is not None else 0
        if self.nulls:
            validity = _Parts()
            validity.add(np.packbits(~mask, bitorder="little"))
            self.parts.addresses[0] = validity.addresses[0]
            self.parts.owners += validity.owners


class Pairs(Out):
    """A column of complex numbers, as a struct of both parts, null where the mask is true."""

    def __init__(self, name: str, values: Any, mask: Any) -> None:
        import numpy as np

        self.name = name
        self.members = [Numbers("real", values.real), Numbers("imag", values.imag)]
        self.parts = _Parts()
        self.parts.add(np.packbits(~mask, bitorder="little") if mask.any() else None)

    def schema(self, target: Any) -> None:
        children = []
        for member in self.members:
            child = Schema()
            member.schema(child)
            children.append(child)
        _fill_schema(target, self.name, "+s", children=children)

    def array(self, target: Any, start: int, length: int) -> None:
        children = []
        for member in self.members:
            child = Array()
            member.array(child, 0, start + length)
            children.append(child)
        parts = self.parts
        nulls = -1 if parts.owners else 0
        _fill_array(target, length, start, parts.addresses, parts.owners, nulls, children)


class Words(Out):
    """A column with few distinct strings, dictionary-encoded: the codes count from 0."""

    def __init__(self, name: str, codes: Any, words: tuple[str, ...]) -> None:
        import numpy as np

        self.name = name
        encoded = [word.encode() for word in words]
        self.count = len(words)
        self.codes, self.texts = _Parts(), _Parts()
        self.codes.add(None)
        self.codes.add(np.ascontiguousarray(codes).view(np.int8))
        self.texts.add(None)
        self.texts.add(np.cumsum([0] + [len(word) for word in encoded], dtype=np.int32))
        self.texts.add(np.frombuffer(b"".join(encoded), dtype=np.uint8))

    def schema(self, target: Any) -> None:
        inner = Schema()
        _fill_schema(inner, "", "u", 0)
        _fill_schema(target, self.name, "c", dictionary=inner)

    def array(self, target: Any, start: int, length: int) -> None:
        inner = Array()
        _fill_array(inner, self.count, 0, self.texts.addresses, self.texts.owners, 0)
        _fill_array(
            target, length, start, self.codes.addresses, self.codes.owners, 0, dictionary=inner
        )


def _encoded(text: str, column: str, row: int) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise not_utf8(f"the column {column}, row {row} (from 0)") from None


class Texts(Out):
    """A column of text or bytes, null where there is None."""

    def __init__(self, name: str, values: list[Any], layout: str = "U") -> None:
        import numpy as np

        self.name = name
        self.layout = layout
        encoded = [
            b""
            if value is None
            else _encoded(value, name, row)
            if isinstance(value, str)
            else value
            for row, value in enumerate(values)
        ]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(value) for value in encoded], out=offsets[1:])
        valid = np.array([value is not None for value in values], dtype=bool)
        self.nulls = int(np.count_nonzero(~valid))
        self.parts = _Parts()
        self.parts.add(np.packbits(valid, bitorder="little") if self.nulls else None)
        self.parts.add(offsets)
        self.parts.add(np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8))

    def schema(self, target: Any) -> None:
        _fill_schema(target, self.name, self.layout, metadata=self.metadata)

    def array(self, target: Any, start: int, length: int) -> None:
        nulls = -1 if self.nulls else 0
        _fill_array(target, length, start, self.parts.addresses, self.parts.owners, nulls)


def column(name: str, layout: str, metadata: dict[str, str], values: Any, mask: Any) -> Out:
    """A column of a type from its decoded values.

    Raises:
        KeyError: for a type that the library does not return.
    """
    out: Out
    if layout in ("u", "U", "z", "Z"):
        out = Texts(name, [None if null else one for one, null in zip(values, mask)], layout)
    elif layout == "b":
        out = Bits(name, values, mask)
    elif values.dtype.kind == "M":
        out = Numbers(name, values.astype("i8"), mask, layout)
        if layout == "tdD":
            out = Numbers(name, values.astype("i8").astype("i4"), mask, layout)
    else:
        out = Numbers(name, values, mask, layout)
    out.metadata = metadata_bytes(metadata) if metadata else None
    return out


class Given(Out):
    """A column of a table, exported unchanged."""

    def __init__(self, table: Table, index: int) -> None:
        self.table = table
        self.index = index

    def schema(self, target: Any) -> None:
        _copy_schema(self.table.field.children[self.index], target)

    def chunk(self, target: Any, chunk: HeldArray, start: int = 0, length: int = -1) -> None:
        """The part of a chunk from a row on."""
        parent = chunk.value
        child = parent.children[self.index].contents
        length = parent.length if length < 0 else length
        _copy_array(child, target, chunk, child.offset + parent.offset + start, length)


class Sliced(Given):
    """A column of a table of one chunk, from a given row on."""

    def array(self, target: Any, start: int, length: int) -> None:
        self.chunk(target, self.table.chunks[0], start, length)


def _copy_schema(source: Field, target: Any) -> None:
    children = []
    for inner in source.children:
        child = Schema()
        _copy_schema(inner, child)
        children.append(child)
    dictionary = None
    if source.dictionary is not None:
        dictionary = Schema()
        _copy_schema(source.dictionary, dictionary)
    _fill_schema(
        target, source.name, source.format, source.flags, children, dictionary,
        source.metadata_bytes,
    )  # fmt: skip


def _copy_array(source: Any, target: Any, holds: HeldArray, offset: int, length: int) -> None:
    children = []
    for index in range(source.n_children):
        inner = source.children[index].contents
        child = Array()
        _copy_array(inner, child, holds, inner.offset, inner.length)
        children.append(child)
    dictionary = None
    if source.dictionary:
        inner = source.dictionary.contents
        dictionary = Array()
        _copy_array(inner, dictionary, holds, inner.offset, inner.length)
    buffers = [source.buffers[index] for index in range(source.n_buffers)]
    nulls = source.null_count
    if nulls and (offset, length) != (source.offset, source.length):
        nulls = -1
    _fill_array(target, length, offset, buffers, [holds], nulls, children, dictionary)


_capsule_name: int = 0


def stream_capsule(
    columns: list[Out], length: int, table: Table | None = None, metadata: bytes | None = None
) -> object:
    """A capsule with a stream of these columns, in the chunks of the table if there is one."""
    global _capsule_name
    library = _native.library()
    new = ctypes.pythonapi.PyCapsule_New
    if not _capsule_name:
        new.restype = ctypes.py_object
        new.argtypes = [_P, _P, _P]
        library.plumb_capsule_use.argtypes = [_P]
        library.plumb_capsule_use.restype = _P
        _capsule_name = library.plumb_capsule_use(
            ctypes.cast(ctypes.pythonapi.PyCapsule_GetPointer, _P)
        )
    children = []
    for column in columns:
        child = Schema()
        column.schema(child)
        children.append(child)
    schema = Schema()
    _fill_schema(schema, "", "+s", 0, children, metadata=metadata)
    arrays = []
    start = 0
    for chunk in table.chunks if table is not None else [None]:
        rows = length if chunk is None else chunk.value.length
        array = Array()
        _fill_array(array, rows, 0, [None], [], 0, _chunk(columns, chunk, start, rows))
        arrays.append(array)
        start += rows
    stream = _P()
    _native.call(
        "plumb_stream_make", ctypes.addressof(schema), _pointers(arrays), len(arrays),
        ctypes.byref(stream),
    )  # fmt: skip
    destructor = ctypes.cast(library.plumb_capsule_free, _P)
    capsule: object = new(stream, _capsule_name, destructor)
    return capsule


def _chunk(columns: list[Out], chunk: HeldArray | None, start: int, rows: int) -> list[Any]:
    out = []
    for column in columns:
        target = Array()
        if isinstance(column, Given) and not isinstance(column, Sliced) and chunk is not None:
            column.chunk(target, chunk)
        else:
            column.array(target, start, rows)
        out.append(target)
    return out
