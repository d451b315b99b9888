"""What a `with` statement closes at its end, and how it goes to another process."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from ._error import PlumbTypeError

_Kind = TypeVar("_Kind", bound="Closing")


def refuse_pickling(thing: object) -> NoReturn:
    """Raises what every object raises that is open here alone.

    Raises:
        PlumbTypeError: always, with the code ``not_picklable``.
    """
    name = type(thing).__name__.lstrip("_")
    raise PlumbTypeError(
        f"a plumb.{name} cannot be pickled or copied: make it where it is needed, or convert what "
        "it holds first",
        "not_picklable",
    )


def opened_again(kind: type, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """An object of the arguments that a pickled one was opened with."""
    return kind(*positional, **named)


class Closing:
    """Something open, which `close` closes; so does the end of a ``with`` statement.

    A pickle or a copy of it opens it again, from the same arguments.
    """

    # Those that another process opens it with; None where none can.
    _arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None

    def close(self) -> None:
        """Closes it."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        if self._arguments is None:
            refuse_pickling(self)
        return (opened_again, (type(self), *self._arguments))

    def __enter__(self: _Kind) -> _Kind:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
