"""Columns handed out through the Arrow C data interface."""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from ._arrow import _NUMBERS, _P, _RELEASE, Array, Held, Schema, Stream, Table

_GET = ctypes.CFUNCTYPE(ctypes.c_int, _P, _P)
_ERROR = ctypes.CFUNCTYPE(_P, _P)
_FREE = ctypes.PYFUNCTYPE(None, _P)
_NULLABLE = 2

_F = TypeVar("_F", bound=Callable[..., Any])


def _callback(kind: Any) -> Callable[[_F], _F]:
    """A function that C code may call, of a kind."""

    def made(function: _F) -> _F:
        return cast(_F, kind(function))

    return made


def _address(function: Any) -> int | None:
    return ctypes.cast(function, _P).value


_states: dict[int, Any] = {}
_numbers = itertools.count(1)


def _keep(state: Any) -> int:
    number = next(_numbers)
    _states[number] = state
    return number


def _release(structure: Any) -> None:
    """Lets go of a schema or an array, and first of what it holds."""
    held = [structure.children[index] for index in range(structure.n_children)]
    if structure.dictionary:
        held.append(structure.dictionary)
    for pointer in held:
        release = pointer.contents.release
        if release:
            _RELEASE(release)(ctypes.addressof(pointer.contents))
    _states.pop(structure.private_data or 0, None)
    structure.release = None


@_callback(_RELEASE)
def _release_schema(address: int) -> None:
    _release(Schema.from_address(address))


@_callback(_RELEASE)
def _release_array(address: int) -> None:
    _release(Array.from_address(address))


_SCHEMA_RELEASE = _address(_release_schema)
_ARRAY_RELEASE = _address(_release_array)


class Out:
    """A column to hand on: its type, and its values from any row on."""

    def schema(self, target: Any) -> None:
        raise NotImplementedError

    def array(self, target: Any, start: int, length: int) -> None:
        raise NotImplementedError


def _fill_schema(
    target: Any, name: str, layout: str, nullable: bool = True,
    children: list[Any] | None = None, dictionary: Any = None, metadata: bytes | None = None,
) -> None:  # fmt: skip
    children = children or []
    pointers = (ctypes.POINTER(Schema) * max(1, len(children)))(
        *[ctypes.pointer(child) for child in children]
    )
    # A consumer's memory holds anything.
    ctypes.memset(ctypes.addressof(target), 0, ctypes.sizeof(Schema))
    target.format = layout.encode()
    target.name = name.encode()
    held = ctypes.create_string_buffer(metadata, len(metadata)) if metadata else None
    target.metadata = ctypes.addressof(held) if held else None
    target.flags = _NULLABLE if nullable else 0
    target.n_children = len(children)
    target.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Schema)))
    if dictionary is not None:
        target.dictionary = ctypes.pointer(dictionary)
    target.release = _SCHEMA_RELEASE
    state = (children, pointers, dictionary, held, target.format, target.name, target._objects)
    target.private_data = _keep(state)


def _fill_array(
    target: Any, length: int, offset: int, buffers: list[Any], holds: Any,
    null_count: int = -1, children: list[Any] | None = None, dictionary: Any = None,
) -> None:  # fmt: skip
    children = children or []
    pointers = (ctypes.POINTER(Array) * max(1, len(children)))(
        *[ctypes.pointer(child) for child in children]
    )
    addresses = (_P * max(1, len(buffers)))(*buffers)
    ctypes.memset(ctypes.addressof(target), 0, ctypes.sizeof(Array))
    target.length = length
    target.null_count = null_count
    target.offset = offset
    target.n_buffers = len(buffers)
    target.n_children = len(children)
    target.buffers = ctypes.cast(addresses, ctypes.POINTER(_P))
    target.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Array)))
    if dictionary is not None:
        target.dictionary = ctypes.pointer(dictionary)
    target.release = _ARRAY_RELEASE
    target.private_data = _keep((children, pointers, addresses, dictionary, holds))


def metadata_bytes(pairs: dict[str, str]) -> bytes:
    """Key and value pairs as the interface writes them."""
    out = struct.pack("=i", len(pairs))
    for key, value in pairs.items():
        for text in (key.encode(), value.encode()):
            out += struct.pack("=i", len(text)) + text
    return out


class Numbers(Out):
    """A column of numbers, null where the mask is true."""

    def __init__(self, name: str, values: Any, mask: Any = None) -> None:
        import numpy as np

        self.name = name
        self.values = np.ascontiguousarray(values)
        layout = {value: key for key, value in _NUMBERS.items()}
        self.layout = layout[self.values.dtype.str[1:]]
        self.bits: Any = None
        self.nulls = 0
        if mask is not None:
            self.nulls = int(np.count_nonzero(mask))
            if self.nulls:
                self.bits = np.packbits(~mask, bitorder="little")

    def schema(self, target: Any) -> None:
        _fill_schema(target, self.name, self.layout)

    def array(self, target: Any, start: int, length: int) -> None:
        bits = self.bits.ctypes.data if self.bits is not None else None
        whole = length == self.values.size
        _fill_array(
            target, length, start, [bits, self.values.ctypes.data], self,
            self.nulls if whole or self.nulls == 0 else -1,
        )  # fmt: skip


class Pairs(Out):
    """A column of complex numbers, as a struct of both parts, null where the mask is true."""

    def __init__(self, name: str, values: Any, mask: Any) -> None:
        import numpy as np

        self.name = name
        self.parts = [Numbers("real", values.real), Numbers("imag", values.imag)]
        self.bits = np.packbits(~mask, bitorder="little") if mask.any() else None

    def schema(self, target: Any) -> None:
        children = []
        for part in self.parts:
            child = Schema()
            part.schema(child)
            children.append(child)
        _fill_schema(target, self.name, "+s", children=children)

    def array(self, target: Any, start: int, length: int) -> None:
        children = []
        for part in self.parts:
            child = Array()
            part.array(child, 0, start + length)
            children.append(child)
        bits = self.bits.ctypes.data if self.bits is not None else None
        nulls = -1 if self.bits is not None else 0
        _fill_array(target, length, start, [bits], self, nulls, children)


class Words(Out):
    """A column of a few words, as a dictionary: the codes count from 0."""

    def __init__(self, name: str, codes: Any, words: tuple[str, ...]) -> None:
        import numpy as np

        self.name = name
        self.codes = np.ascontiguousarray(codes).view(np.int8)
        encoded = [word.encode() for word in words]
        self.data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        self.offsets = np.cumsum([0] + [len(word) for word in encoded], dtype=np.int32)
        self.count = len(words)

    def schema(self, target: Any) -> None:
        inner = Schema()
        _fill_schema(inner, "", "u", nullable=False)
        _fill_schema(target, self.name, "c", dictionary=inner)

    def array(self, target: Any, start: int, length: int) -> None:
        inner = Array()
        buffers = [None, self.offsets.ctypes.data, self.data.ctypes.data]
        _fill_array(inner, self.count, 0, buffers, self, 0)
        _fill_array(
            target, length, start, [None, self.codes.ctypes.data], self, 0, dictionary=inner
        )


class Texts(Out):
    """A column of text, null where there is None."""

    def __init__(self, name: str, values: list[str | None]) -> None:
        import numpy as np

        self.name = name
        encoded = [(value or "").encode() for value in values]
        self.data = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
        self.offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(value) for value in encoded], out=self.offsets[1:])
        valid = np.array([value is not None for value in values], dtype=bool)
        self.bits = None if valid.all() else np.packbits(valid, bitorder="little")

    def schema(self, target: Any) -> None:
        _fill_schema(target, self.name, "U")

    def array(self, target: Any, start: int, length: int) -> None:
        bits = self.bits.ctypes.data if self.bits is not None else None
        buffers = [bits, self.offsets.ctypes.data, self.data.ctypes.data]
        _fill_array(target, length, start, buffers, self, 0 if bits is None else -1)


class Given(Out):
    """A column of a table that came in, handed on as it is."""

    def __init__(self, table: Table, index: int) -> None:
        self.table = table
        self.index = index

    def schema(self, target: Any) -> None:
        _copy_schema(self.table.field.children[self.index].schema, target, self.table)

    def chunk(self, target: Any, chunk: Held) -> None:
        parent = chunk.value
        child = parent.children[self.index].contents
        _copy_array(child, target, chunk, child.offset + parent.offset, parent.length)


class Sliced(Out):
    """A column of a table of one chunk, from any row on."""

    def __init__(self, table: Table, index: int) -> None:
        self.table = table
        self.index = index

    def schema(self, target: Any) -> None:
        _copy_schema(self.table.field.children[self.index].schema, target, self.table)

    def array(self, target: Any, start: int, length: int) -> None:
        chunk = self.table.chunks[0]
        parent = chunk.value
        child = parent.children[self.index].contents
        _copy_array(child, target, chunk, child.offset + parent.offset + start, length)


def _copy_schema(source: Any, target: Any, holds: Any) -> None:
    children = []
    for index in range(source.n_children):
        child = Schema()
        _copy_schema(source.children[index].contents, child, holds)
        children.append(child)
    dictionary = None
    if source.dictionary:
        dictionary = Schema()
        _copy_schema(source.dictionary.contents, dictionary, holds)
    pointers = (ctypes.POINTER(Schema) * max(1, len(children)))(
        *[ctypes.pointer(child) for child in children]
    )
    size = ctypes.sizeof(Schema)
    ctypes.memmove(ctypes.addressof(target), ctypes.addressof(source), size)
    target.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Schema)))
    if dictionary is not None:
        target.dictionary = ctypes.pointer(dictionary)
    target.release = _SCHEMA_RELEASE
    target.private_data = _keep((children, pointers, dictionary, holds))


def _copy_array(source: Any, target: Any, holds: Any, offset: int, length: int) -> None:
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
    _fill_array(target, length, offset, buffers, holds, nulls, children, dictionary)


class _Sending:
    """What one exported stream still has to give."""

    def __init__(
        self, columns: list[Out], table: Table | None, length: int, metadata: bytes | None
    ) -> None:
        self.columns = columns
        self.table = table
        self.metadata = metadata
        self.error = ctypes.create_string_buffer(b"")
        self.rows = self._rows(length)

    def _rows(self, length: int) -> Iterator[tuple[int, int, Held | None]]:
        if self.table is None:
            yield 0, length, None
            return
        start = 0
        for chunk in self.table.chunks:
            size = chunk.value.length
            yield start, size, chunk
            start += size

    def schema(self, target: Any) -> None:
        children = []
        for column in self.columns:
            child = Schema()
            column.schema(child)
            children.append(child)
        _fill_schema(target, "", "+s", False, children, metadata=self.metadata)

    def next(self, target: Any) -> None:
        row = next(self.rows, None)
        if row is None:
            target.release = None
            return
        start, length, chunk = row
        children = []
        for column in self.columns:
            child = Array()
            if isinstance(column, Given) and chunk is not None:
                column.chunk(child, chunk)
            else:
                column.array(child, start, length)
            children.append(child)
        _fill_array(target, length, 0, [None], self, 0, children)


def _asked(address: int, target: int, what: str) -> int:
    sending: _Sending = _states[Stream.from_address(address).private_data]
    try:
        if what == "schema":
            sending.schema(Schema.from_address(target))
        else:
            sending.next(Array.from_address(target))
    except BaseException as error:
        sending.error = ctypes.create_string_buffer(str(error).encode())
        return 5
    return 0


@_callback(_GET)
def _get_schema(address: int, target: int) -> int:
    return _asked(address, target, "schema")


@_callback(_GET)
def _get_next(address: int, target: int) -> int:
    return _asked(address, target, "next")


@_callback(_ERROR)
def _get_error(address: int) -> int:
    sending: _Sending = _states[Stream.from_address(address).private_data]
    return ctypes.addressof(sending.error)


@_callback(_RELEASE)
def _release_stream(address: int) -> None:
    stream = Stream.from_address(address)
    _states.pop(stream.private_data or 0, None)
    stream.release = None


# The capsules that nobody has taken over, each by where its stream lies.
_streams: dict[int, Any] = {}


@_callback(_FREE)
def _free_capsule(capsule: int) -> None:
    get = ctypes.PYFUNCTYPE(_P, _P, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    address = get(capsule, b"arrow_array_stream")
    stream = Stream.from_address(address)
    if stream.release:
        _RELEASE(stream.release)(address)
    _streams.pop(address, None)


def stream_capsule(
    columns: list[Out], length: int, table: Table | None = None, metadata: bytes | None = None
) -> object:
    """A capsule with a stream of these columns, in the chunks of the table if there is one."""
    stream = Stream()
    stream.get_schema = _address(_get_schema)
    stream.get_next = _address(_get_next)
    stream.get_last_error = _address(_get_error)
    stream.release = _address(_release_stream)
    stream.private_data = _keep(_Sending(columns, table, length, metadata))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [_P, ctypes.c_char_p, _P]
    address = ctypes.addressof(stream)
    _streams[address] = stream
    capsule: object = new(address, _CAPSULE_NAME, _address(_free_capsule))
    return capsule


# The capsule keeps the pointer to its name.
_CAPSULE_NAME = ctypes.c_char_p(b"arrow_array_stream")
