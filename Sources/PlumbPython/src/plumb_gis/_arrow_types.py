"""The structures of the Arrow C data interface, and the types of columns."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import Any

from ._error import PlumbTypeError

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

RELEASE = ctypes.CFUNCTYPE(None, _P)
GET = ctypes.CFUNCTYPE(ctypes.c_int, _P, _P)
ERROR = ctypes.CFUNCTYPE(_P, _P)


def capsule_pointer(capsule: object, name: bytes) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = _P
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    try:
        pointer: int = get(capsule, name)
    except ValueError:
        kind = "stream" if name == b"arrow_array_stream" else "array"
        raise PlumbTypeError(
            f"the argument is not an Arrow {kind}: its capsule is of a different kind"
        ) from None
    return pointer


# Imports.


def released(structure: Any) -> None:
    if structure.release:
        RELEASE(structure.release)(ctypes.addressof(structure))


class Field:
    """One column's type, as given by its producer."""

    def __init__(self, schema: Any) -> None:
        self.name = (schema.name or b"").decode("utf-8", "replace")
        self.format = (schema.format or b"").decode("ascii", "replace")
        self.flags: int = schema.flags
        #: The pairs of keys and values, in the encoding of the interface.
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
            released(schema)

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
            released(structure)
