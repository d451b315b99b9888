"""Library memory that arrays and Arrow tables share."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from . import _native
from ._closing import refuse_pickling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Memory:
    """Library memory. NumPy arrays made of it keep this object alive."""

    def __init__(self, size: int) -> None:
        memory, start = ctypes.c_void_p(), ctypes.c_void_p()
        _native.call("plumb_memory_new", size, ctypes.byref(memory), ctypes.byref(start))
        self.holder: int = memory.value or 0
        self.address: int = start.value or 0
        self._release = _native.library().plumb_memory_release
        self.__array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (self.address, False), "version": 3,
        }  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        refuse_pickling(self)

    def __del__(self) -> None:
        holder, self.holder = getattr(self, "holder", 0), 0
        if holder:
            self._release(holder)


class HeldArray:
    """An Arrow array taken over from its producer."""

    def __init__(self, structure: Any) -> None:
        memory, at = ctypes.c_void_p(), ctypes.c_void_p()
        _native.call(
            "plumb_memory_of_array", ctypes.addressof(structure), ctypes.byref(memory),
            ctypes.byref(at),
        )  # fmt: skip
        self.holder: int = memory.value or 0
        self.value: Any = type(structure).from_address(at.value or 0)
        self._release = _native.library().plumb_memory_release

    def __reduce__(self) -> tuple[Any, ...]:
        refuse_pickling(self)

    def __del__(self) -> None:
        holder, self.holder = getattr(self, "holder", 0), 0
        if holder:
            self._release(holder)


class View:
    """Bytes at an address for NumPy; the array keeps their owner alive."""

    def __init__(self, address: int, dtype: str, count: int, holds: Any) -> None:
        self.holds = holds
        kind = dtype if dtype[0] in "<>|=" else ("|" if dtype[-1] == "1" else "<") + dtype
        self.__array_interface__ = {
            "shape": (count,), "typestr": kind, "data": (address, False), "version": 3,
        }  # fmt: skip


def shared(values: NDArray[np.generic]) -> tuple[int, Memory]:
    """The address of an array's bytes, and the library memory that contains them: its own if it was
    made of such memory, otherwise a copy."""
    at: Any = values
    while at is not None:
        if isinstance(at, Memory):
            return values.ctypes.data, at
        at = at.obj if isinstance(at, memoryview) else getattr(at, "base", None)
    memory = Memory(values.nbytes)
    ctypes.memmove(memory.address, values.ctypes.data, values.nbytes)
    return memory.address, memory


def room(size: int) -> tuple[Any, int]:
    """Uninitialized memory for results, and its address: NumPy's if NumPy is loaded, and the
    library's for large sizes."""
    import sys

    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "empty"):
        if size >= _LARGE:
            memory = Memory(size)
            return numpy.asarray(memory), memory.address
        array = numpy.empty(max(1, size), dtype=numpy.uint8)
        return array, array.ctypes.data
    buffer = (ctypes.c_uint8 * max(1, size))()
    return buffer, ctypes.addressof(buffer)


# Smaller arrays are copied for a table.
_LARGE = 1 << 20
