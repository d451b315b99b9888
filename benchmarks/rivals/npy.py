"""Arrays of numbers as `.npy` files, without numpy."""

import ast
import struct
from array import array
from collections.abc import Iterable
from pathlib import Path

CODES = {"|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<f4": "f",
         "<i8": "q", "<f8": "d"}
MAGIC = b"\x93NUMPY\x01\x00"


def read(path: Path) -> array:
    """All numbers, in the file's order."""
    data = path.read_bytes()
    if data[:6] != MAGIC[:6]:
        raise ValueError(f"{path} is not an .npy file")
    form, at = ("<H", 10) if data[6] == 1 else ("<I", 12)
    size = struct.unpack_from(form, data, 8)[0]
    header = ast.literal_eval(data[at:at + size].decode())
    return array(CODES[header["descr"]], data[at + size:])


def write(path: Path, values: Iterable[float]) -> None:
    """Numbers of eight bytes: integers if all of them are integers, otherwise floats."""
    values = list(values)
    code, kind = ("q", "<i8") if all(
        isinstance(value, int) for value in values) else ("d", "<f8")
    header = repr({"descr": kind, "fortran_order": False,
                   "shape": (len(values),)})
    header += " " * (-(len(MAGIC) + 3 + len(header)) % 64) + "\n"
    path.write_bytes(MAGIC + struct.pack("<H", len(header)) + header.encode()
                     + array(code, values).tobytes())
