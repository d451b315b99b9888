"""Objects closed by a `with` statement, and their pickling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from ._error import PlumbTypeError

_Kind = TypeVar("_Kind", bound="Closing")


def refuse_pickling(thing: object) -> NoReturn:
    """Raises the error for objects that are open in this process only.

    Raises:
        PlumbTypeError: always, with the code ``not_picklable``.
    """
    name = type(thing).__name__.lstrip("_")
    raise PlumbTypeError(
        f"a plumb.{name} cannot be pickled or copied: make it where it is needed, or convert what "
        "it holds first",
        "not_picklable",
    )


def opened_again(
    kind: Callable[..., Any], positional: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Opens an object with the arguments of a pickled one."""
    return kind(*positional, **named)


class Closing:
    """An open object, closed by `close` or at the end of a ``with`` statement.

    A pickle or a copy opens it again with the same arguments.
    """

    # The arguments that open the object in another process; None if that is impossible.
    _arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None

    def close(self) -> None:
        """Closes the object."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        if self._arguments is None:
            refuse_pickling(self)
        return (opened_again, (type(self), *self._arguments))

    def __enter__(self: _Kind) -> _Kind:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
