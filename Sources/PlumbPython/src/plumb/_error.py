"""The one family of exceptions."""

from __future__ import annotations


class PlumbError(Exception):
    """What went wrong, in one line that says what to do.

    ``code`` is a word for programs that does not change: ``not_found``, ``bad_input``,
    ``bad_option``, ``cancelled``, ``closed``, ``forked`` and others. An argument of a wrong type is
    a `PlumbTypeError`, which is a `TypeError` too, and one of a wrong value a `PlumbValueError`,
    which is a `ValueError` too; where GDAL, PROJ or GEOS is not installed, the first call that
    needs it raises a `PlumbImportError`, which is an `ImportError` too.
    """

    code: str

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[PlumbError], tuple[str, str]]:
        # An exception crosses from a worker process with its code.
        return (type(self), (str(self), self.code))


class PlumbImportError(PlumbError, ImportError):
    """A library of the system is missing that the call needs."""

    def __init__(self, message: str, code: str = "missing_library") -> None:
        super().__init__(message, code)


class PlumbTypeError(PlumbError, TypeError):
    """An argument is of a type that cannot be used."""

    def __init__(self, message: str, code: str = "bad_type") -> None:
        super().__init__(message, code)


class PlumbValueError(PlumbError, ValueError):
    """An argument has a value that cannot be used."""

    def __init__(self, message: str, code: str = "bad_option") -> None:
        super().__init__(message, code)
