"""The exceptions."""

from __future__ import annotations


class PlumbError(Exception):
    """An error, with a one-line message and a hint.

    ``code`` is a stable word for programs: ``not_found``, ``bad_input``, ``bad_option``,
    ``cancelled``, ``closed``, ``forked`` and others. An argument of a wrong type raises a
    `PlumbTypeError`, which is also a `TypeError`, and a wrong value a `PlumbValueError`, which is
    also a `ValueError`; if GDAL, PROJ or GEOS is not installed, the first call that needs it raises
    a `PlumbImportError`, which is also an `ImportError`.
    """

    code: str

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[PlumbError], tuple[str, str]]:
        # Pickles the code too, for exceptions from worker processes.
        return (type(self), (str(self), self.code))


class PlumbImportError(PlumbError, ImportError):
    """A system library that the call needs is missing."""

    def __init__(self, message: str, code: str = "missing_library") -> None:
        super().__init__(message, code)


class PlumbTypeError(PlumbError, TypeError):
    """An argument has a wrong type."""

    def __init__(self, message: str, code: str = "bad_type") -> None:
        super().__init__(message, code)


class PlumbValueError(PlumbError, ValueError):
    """An argument has a wrong value."""

    def __init__(self, message: str, code: str = "bad_option") -> None:
        super().__init__(message, code)
