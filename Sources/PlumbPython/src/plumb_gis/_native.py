"""The shared library next to this module, its functions and its errors.

ctypes releases the interpreter lock during each call. The library calls Python code only through
a call's poll function, on the calling thread, and never while GDAL reports an error.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from ._closing import refuse_pickling
from ._crs import crs_text
from ._error import PlumbError, PlumbImportError, PlumbValueError

_INTERFACE = 1
_INSTALL = "apt-get install -y --no-install-recommends libgdal32 libtiff6"
_P = ctypes.c_void_p
_INT64 = ctypes.c_int64


class ColumnOut(ctypes.Structure):
    """``plumb_column``."""

    _fields_ = [("values", _P), ("statuses", _P)]


class CellsOut(ctypes.Structure):
    """``plumb_cells``."""

    _fields_ = [("file", _P), ("column", _P), ("row", _P)]


class Shapes(ctypes.Structure):
    """``plumb_shapes``."""

    _fields_ = [("bytes", _P), ("offsets", _P), ("valid", _P), ("count", _INT64)]


class Fences(ctypes.Structure):
    """``plumb_fences``."""

    _fields_ = [
        ("shapes", Shapes),
        ("crs", ctypes.c_char_p),
        ("attributes", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
    ]


class Locations(ctypes.Structure):
    """``plumb_locations``."""

    _fields_ = [
        ("count", _INT64),
        ("x", _P),
        ("y", _P),
        ("time", _P),
        ("entity", _P),
        ("name_bytes", _P),
        ("name_offsets", _P),
        ("name_count", _INT64),
        ("horizontal_accuracy", _P),
        ("vertical_accuracy", _P),
        ("speed", _P),
        ("course", _P),
        ("attributes", ctypes.c_char_p),
    ]


# The context of a call's poll is a generator, and the function that the library calls is the
# generators' `send` method. Python runs signal handlers when Python code is entered, here within
# the generator's `try`. Their exceptions are therefore caught, and not lost between C and Python.
_POLL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_double)
_poll = _POLL(GeneratorType.send)

_TEXT = ctypes.c_char_p
_OUT = ctypes.POINTER(_P)
_TAIL: list[Any] = [_POLL, ctypes.py_object]
_PROTOTYPES: dict[str, list[Any]] = {
    "plumb_take_warnings": [_OUT],
    "plumb_crs_describe": [_TEXT, _OUT],
    "plumb_crs_same": [_TEXT, _TEXT, ctypes.POINTER(ctypes.c_int)],
    "plumb_info": [_TEXT, _TEXT, *_TAIL, _OUT],
    "plumb_sampler_open": [ctypes.POINTER(_TEXT), _INT64, _TEXT, *_TAIL, _OUT],
    "plumb_sampler_describe": [_P, _OUT],
    "plumb_sample": [
        _P, _P, _P, _INT64, _TEXT, ctypes.POINTER(ColumnOut), _INT64, ctypes.POINTER(CellsOut),
        *_TAIL,
    ],
    "plumb_sample_dates": [
        _P, _P, _P, _P, _INT64, _TEXT, _TEXT, *_TAIL, _P, _P,
    ],
    "plumb_sampler_close": [_P],
    "plumb_map_open": [_TEXT, _TEXT, *_TAIL, _OUT],
    "plumb_map_describe": [_P, _OUT],
    "plumb_map_identify": [_P, ctypes.c_double, ctypes.c_double, _TEXT, _TEXT, *_TAIL, _OUT],
    "plumb_map_identify_batch": [_P, _P, _P, _INT64, _TEXT, _TEXT, *_TAIL, _P, _P],
    "plumb_map_close": [_P],
    "plumb_buffer": [ctypes.POINTER(Shapes), _P, _INT64, _TEXT, *_TAIL, _P, _P],
    "plumb_zonal": [
        ctypes.POINTER(Shapes), _P, ctypes.POINTER(_TEXT), _INT64, _TEXT, *_TAIL, _P, _P,
    ],
    "plumb_network_open": [_TEXT, _TEXT, *_TAIL, _OUT],
    "plumb_network_describe": [_P, _OUT],
    "plumb_network_trace": [_P, _TEXT, *_TAIL, _OUT, ctypes.POINTER(ctypes.c_int)],
    "plumb_network_close": [_P],
    "plumb_monitor_open": [ctypes.POINTER(Fences), _TEXT, *_TAIL, _OUT],
    "plumb_monitor_push": [_P, ctypes.POINTER(Locations), *_TAIL, _OUT, _P, _P],
    "plumb_monitor_follow": [_P, _TEXT, _TEXT, *_TAIL],
    "plumb_monitor_next": [_P, *_TAIL, ctypes.POINTER(ctypes.c_int), _OUT, _P, _P],
    "plumb_monitor_close": [_P],
    "plumb_memory_new": [_INT64, _OUT, _OUT],
    "plumb_memory_of_array": [_P, _OUT, _OUT],
    "plumb_array_make": [_P, _INT64, _INT64, _INT64, _P, _INT64, _P, _INT64, _P, _P, _INT64],
    "plumb_schema_make": [_P, _TEXT, _TEXT, _TEXT, _INT64, _INT64, _P, _INT64, _P],
    "plumb_stream_make": [_P, _P, _INT64, _OUT],
}  # fmt: skip

_library: ctypes.CDLL | None = None
_entries: dict[str, Any] = {}


def library() -> ctypes.CDLL:
    """The library, loaded on first use."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def _load() -> ctypes.CDLL:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libplumb.so")
    try:
        loaded = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    except OSError as error:
        raise _missing(path, str(error)) from None
    if loaded.plumb_interface() != _INTERFACE:
        raise ImportError(
            f"{path} has interface {loaded.plumb_interface()}, but the module needs "
            f"{_INTERFACE}: reinstall plumb-gis"
        )
    for name in ("plumb_version", "plumb_error_code", "plumb_error_message", "plumb_status_name"):
        getattr(loaded, name).restype = ctypes.c_char_p
    loaded.plumb_status_name.argtypes = [ctypes.c_uint8]
    for name in ("plumb_free", "plumb_memory_release"):
        getattr(loaded, name).argtypes = [_P]
        getattr(loaded, name).restype = None
    return loaded


def _missing(path: str, reason: str) -> ImportError:
    if not os.path.exists(path):
        return ImportError(
            f"{path} was not found: install a wheel with pip install ./plumb_gis-VERSION-….whl, "
            "or run pip install ./Sources/PlumbPython in a clone of Plumb"
        )
    return ImportError(
        f"libplumb.so cannot be loaded ({reason}): install what it needs, on Debian 12: {_INSTALL}"
    )


Progress = Callable[[float], object]

# The error codes of wrong argument values.
_VALUES = {
    "ambiguous", "bad_argument", "bad_condition", "bad_expression", "bad_option", "bad_point",
    "bad_query", "no_popups", "no_reference",
}  # fmt: skip


class Polling:
    """The poll of a call: handles signals and reports progress."""

    def __init__(self, progress: bool | Progress | None = None, label: str = "") -> None:
        self.error: BaseException | None = None
        self.bar: Any = None
        self.report: Progress | None = None
        if progress is not None and progress is not False:
            if progress is True:
                from ._progress import Bar

                self.bar = Bar(label)
                self.report = self.bar.update
            elif callable(progress):
                self.report = progress
            else:
                from ._error import PlumbTypeError

                raise PlumbTypeError("progress is not callable: give True, False or a function")
        self.generator = self._answers()
        next(self.generator)

    def _answers(self) -> Generator[int, float, None]:
        answer = 0
        while True:
            try:
                fraction = yield answer
                if self.report is not None and fraction >= 0 and not answer:
                    self.report(fraction)
            except GeneratorExit:
                raise
            except BaseException as error:
                self.error = error
                answer = 1

    def end(self, done: bool) -> None:
        """Raises an exception that occurred during the call; otherwise reports completion."""
        try:
            if self.error is not None:
                error, self.error = self.error, None
                raise error
            if done and self.report is not None:
                self.report(1.0)
        finally:
            self.report = None
            if self.bar is not None:
                self.bar.close()


def call(name: str, *arguments: Any, polling: Polling | None = None) -> None:
    """Calls a function without a poll, or one whose arguments contain the poll of `polling`."""
    entry = _entries.get(name)
    if entry is None:
        entry = getattr(library(), name)
        entry.argtypes = _PROTOTYPES[name]
        _entries[name] = entry
    status = entry(*arguments)
    failure: PlumbError | None = None
    if status != 0:
        # Read immediately: the thread's next call clears it.
        loaded = library()
        message = loaded.plumb_error_message().decode("utf-8", "replace")
        code = loaded.plumb_error_code().decode()
        if code == "missing_library":
            failure = PlumbImportError(f"{message}; on Debian 12: {_INSTALL}")
        else:
            failure = (PlumbValueError if code in _VALUES else PlumbError)(message, code)
    if polling is not None:
        polling.end(failure is None)
    if failure is not None:
        raise failure


def polled(polling: Polling) -> tuple[Any, Any]:
    """The two arguments of a call's poll."""
    return _poll, polling.generator


def text_call(name: str, *arguments: Any, polling: Polling | None = None) -> str:
    """Calls a function whose last argument receives text."""
    out = _P()
    try:
        call(name, *arguments, ctypes.byref(out), polling=polling)
        return taken(out)
    finally:
        freed(out)


def taken(out: Any) -> str:
    """The text returned by a call."""
    return ctypes.string_at(out.value).decode("utf-8", "replace") if out.value else ""


def freed(out: Any) -> None:
    """Frees a string, once."""
    if out.value:
        library().plumb_free(out)
        out.value = None


def warn(depth: int = 3) -> None:
    """Emits the warnings of the thread's last call."""
    out = _P()
    loaded = library()
    if loaded.plumb_take_warnings(ctypes.byref(out)) != 0:
        return
    text = ctypes.string_at(out.value) if out.value else b"[]"
    loaded.plumb_free(out)
    if len(text) > 2:
        import warnings

        from ._warning import PlumbWarning

        for message in json.loads(text):
            warnings.warn(message, PlumbWarning, stacklevel=depth + 1)


def options(**members: Any) -> bytes | None:
    """Options as JSON; None is omitted."""
    given = {name: value for name, value in members.items() if value is not None}
    if not given:
        return None
    try:
        return json.dumps(given, allow_nan=False, default=_plain).encode()
    except ValueError:
        from ._error import PlumbValueError

        odd = [name for name, value in given.items() if value != value or value in _INFINITE]
        raise PlumbValueError(f"{', '.join(odd) or 'a setting'} is not a finite number") from None


_INFINITE = (float("inf"), -float("inf"))


def _plain(value: Any) -> Any:
    """A NumPy number as a Python number."""
    if hasattr(value, "item"):
        return value.item()
    from ._error import PlumbTypeError

    raise PlumbTypeError(f"a setting is of type {type(value).__name__}: give text or a number")


class Handle:
    """An open library object, closed with this object at the latest."""

    def __init__(self, pointer: int, close: str, what: str) -> None:
        self._pointer: int | None = pointer
        self._close = close
        self._what = what
        self._process = os.getpid()

    @property
    def pointer(self) -> int:
        pointer = self._pointer
        if pointer is None:
            raise PlumbError(f"{self._what} is closed: open it again", "closed_handle")
        return pointer

    @property
    def is_open(self) -> bool:
        return self._pointer is not None

    def close(self) -> None:
        pointer, self._pointer = self._pointer, None
        # A forked process has the handle's number, but no thread that could close the object.
        if pointer is not None and _library is not None and os.getpid() == self._process:
            getattr(_library, self._close)(pointer)

    def __reduce__(self) -> tuple[Any, ...]:
        refuse_pickling(self)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            # This may run at interpreter exit, when modules are already unloaded.
            pass


def opened(name: str, close: str, what: str, *arguments: Any, polling: Polling) -> Handle:
    """Calls a function that opens an object."""
    out = _P()
    try:
        call(name, *arguments, ctypes.byref(out), polling=polling)
    except BaseException:
        if out.value:
            getattr(library(), close)(out.value)
        raise
    if out.value is None:
        raise PlumbError(f"{what} could not be opened", "failed")
    return Handle(out.value, close, what)


def same_crs(first: str, second: str) -> bool:
    """Whether two CRSs are equal."""
    if first == second:
        return True
    out = ctypes.c_int()
    call("plumb_crs_same", first.encode(), second.encode(), ctypes.byref(out))
    return out.value == 1


def crs_label(crs: str) -> str:
    """A short name of a CRS."""
    try:
        label = json.loads(text_call("plumb_crs_describe", crs.encode()))["label"]
        return str(label)
    except PlumbError:
        return crs if len(crs) < 40 else crs[:37] + "..."


def agreed_crs(explicit: Any, said: Any, what: str) -> str | None:
    """The points' CRS: crs= and the table's must be equal."""
    first = crs_text(explicit)
    second = crs_text(said)
    if first is None or second is None:
        return first if second is None else second
    if not same_crs(first, second):
        raise PlumbValueError(
            f"crs is {crs_label(first)}, and {what} is in {crs_label(second)}: omit crs=, or "
            "convert the points first",
            "crs_mismatch",
        )
    return first
