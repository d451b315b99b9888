"""Columns imported through the Arrow C data interface, with the standard library and NumPy."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import TYPE_CHECKING, Any

from ._error import PlumbError, PlumbTypeError
from ._memory import HeldArray

if TYPE_CHECKING:
    from ._columns import Column

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


# Arrow's number formats and NumPy's names of them.
NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "e": "f2", "f": "f4", "g": "f8",
}  # fmt: skip

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
            f"the argument is not an Arrow {kind}: its capsule is of another kind"
        ) from None
    return pointer


# Imports.


def _moved(address: int) -> HeldArray:
    return HeldArray(Array.from_address(address))


def _released(structure: Any) -> None:
    if structure.release:
        _RELEASE(structure.release)(ctypes.addressof(structure))


class Field:
    """One column's type, as given by its producer."""

    def __init__(self, schema: Any) -> None:
        self.name = (schema.name or b"").decode("utf-8", "replace")
        self.format = (schema.format or b"").decode("ascii", "replace")
        self.flags: int = schema.flags
        #: The pairs in the interface's encoding.
        self.metadata_bytes, self.metadata = _metadata(schema.metadata)
        self.children = [Field(schema.children[i].contents) for i in range(schema.n_children)]
        inner = schema.dictionary
        self.dictionary = Field(inner.contents) if inner else None

    @staticmethod
    def taken(schema: Any) -> Field:
        """The content of a schema, which is then released."""
        try:
            return Field(schema)
        finally:
            _released(schema)

    @property
    def is_dictionary(self) -> bool:
        return self.dictionary is not None

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


def _metadata(address: int | None) -> tuple[bytes | None, dict[str, str]]:
    if not address:
        return None, {}
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
    return ctypes.string_at(address, at - address), out


class Room:
    """A schema and an array that the library fills in."""

    def __init__(self) -> None:
        self.schema = Schema()
        self.array = Array()

    @property
    def addresses(self) -> tuple[int, int]:
        return ctypes.addressof(self.schema), ctypes.addressof(self.array)

    @property
    def length(self) -> int:
        return int(self.array.length)

    def __del__(self) -> None:
        for structure in (self.schema, self.array):
            _released(structure)


class Table:
    """A stream read to its end: the types of its columns, and its chunks."""

    def __init__(self, source: Any, name: str = "the Arrow stream") -> None:
        self.field: Field
        self.chunks: list[HeldArray]
        if hasattr(source, "__arrow_c_stream__"):
            self._read_stream(source, name)
        elif isinstance(source, list):
            # Rooms that the library filled in, in order.
            self.field = Field(source[0].schema)
            self.chunks = [HeldArray(room.array) for room in source]
        else:
            schema, array = source.__arrow_c_array__()
            at = _capsule_pointer(schema, b"arrow_schema")
            self.field = Field.taken(Schema.from_address(at))
            self.chunks = [_moved(_capsule_pointer(array, b"arrow_array"))]
        self.is_table = self.field.format == "+s"
        self.length = sum(chunk.value.length for chunk in self.chunks)

    def _read_stream(self, source: Any, name: str) -> None:
        # Some accept no default.
        capsule = source.__arrow_c_stream__(None)
        stream = Stream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))
        if not stream.release:
            raise PlumbError(f"{name} has already been read to its end: make a new one", "closed")
        at = ctypes.addressof(stream)
        try:
            schema = Schema()
            self._check(stream, _GET(stream.get_schema)(at, ctypes.addressof(schema)), name)
            self.field = Field.taken(schema)
            self.chunks = []
            while True:
                array = Array()
                self._check(stream, _GET(stream.get_next)(at, ctypes.addressof(array)), name)
                if not array.release:
                    break
                self.chunks.append(HeldArray(array))
        finally:
            # Marked as released for the capsule's own destructor.
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
        raise PlumbError(f"{name} failed while being read: {detail}", "read_error")

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.field.children]

    def column(self, index: int) -> Column:
        """A column of a table."""
        from ._columns import Column, Part

        parts = []
        for chunk in self.chunks:
            parent = chunk.value
            child = parent.children[index].contents
            parts.append(Part(child, child.offset + parent.offset, parent.length, chunk))
        return Column(self.field.children[index], parts, self.length)

    def alone(self) -> Column:
        """The values of an array, which is not a table."""
        from ._columns import Column, Part

        parts = [
            Part(chunk.value, chunk.value.offset, chunk.value.length, chunk)
            for chunk in self.chunks
        ]
        return Column(self.field, parts, self.length)
