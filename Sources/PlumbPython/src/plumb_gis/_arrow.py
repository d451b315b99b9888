"""Columns imported through the Arrow C data interface, with the standard library and NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

from ._arrow_types import (
    ERROR,
    GET,
    NUMBERS,
    RELEASE,
    Array,
    Field,
    Room,
    Schema,
    Stream,
    capsule_pointer,
)  # fmt: skip
from ._columns import Column, Part
from ._error import PlumbError
from ._memory import HeldArray

__all__ = ["NUMBERS", "Array", "Field", "Room", "Schema", "Table"]


def _moved(address: int) -> HeldArray:
    return HeldArray(Array.from_address(address))


class Table:
    """A stream read to its end, or an array: its column types and its chunks."""

    def __init__(self, source: Any, name: str = "the Arrow stream") -> None:
        self.field: Field
        self.chunks: list[HeldArray]
        if hasattr(source, "__arrow_c_stream__"):
            self._read_stream(source, name)
        elif isinstance(source, list):
            # `Room` objects that the library has filled, in the order of their rows.
            self.field = Field(source[0].schema)
            self.chunks = [HeldArray(room.array) for room in source]
        else:
            schema, array = source.__arrow_c_array__()
            at = capsule_pointer(schema, b"arrow_schema")
            self.field = Field.taken(Schema.from_address(at))
            self.chunks = [_moved(capsule_pointer(array, b"arrow_array"))]
        self.is_table = self.field.format == "+s"
        self.length = sum(chunk.value.length for chunk in self.chunks)

    def _read_stream(self, source: Any, name: str) -> None:
        # Some producers require the argument.
        capsule = source.__arrow_c_stream__(None)
        stream = Stream.from_address(capsule_pointer(capsule, b"arrow_array_stream"))
        if not stream.release:
            raise PlumbError(f"{name} has already been read to its end: make a new one", "closed")
        at = ctypes.addressof(stream)
        try:
            schema = Schema()
            self._check(stream, GET(stream.get_schema)(at, ctypes.addressof(schema)), name)
            self.field = Field.taken(schema)
            self.chunks = []
            while True:
                array = Array()
                self._check(stream, GET(stream.get_next)(at, ctypes.addressof(array)), name)
                if not array.release:
                    break
                self.chunks.append(HeldArray(array))
        finally:
            # Marked as released for the capsule's own destructor.
            if stream.release:
                RELEASE(stream.release)(at)
                stream.release = None
            del capsule

    @staticmethod
    def _check(stream: Any, status: int, name: str) -> None:
        if status == 0:
            return
        text = b""
        if stream.get_last_error:
            said = ERROR(stream.get_last_error)(ctypes.addressof(stream))
            text = ctypes.string_at(said) if said else b""
        reason = text.decode("utf-8", "replace").strip().splitlines()
        detail = reason[0].rstrip(".") if reason else f"error {status}"
        raise PlumbError(f"{name} failed while being read: {detail}", "read_error")

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.field.children]

    def column(self, index: int) -> Column:
        """A column of a table."""
        parts = []
        for chunk in self.chunks:
            parent = chunk.value
            child = parent.children[index].contents
            parts.append(Part(child, child.offset + parent.offset, parent.length, chunk))
        return Column(self.field.children[index], parts, self.length)

    def alone(self) -> Column:
        """The values as one column, if the source is not a table."""
        parts = [
            Part(chunk.value, chunk.value.offset, chunk.value.length, chunk)
            for chunk in self.chunks
        ]
        return Column(self.field, parts, self.length)
