"""What a `with` statement closes at its end."""

from __future__ import annotations

from typing import TypeVar

_Kind = TypeVar("_Kind", bound="Closing")


class Closing:
    """Something open, which `close` lets go of; so does the end of a ``with`` statement."""

    def close(self) -> None:
        """Lets go of it."""
        raise NotImplementedError

    def __enter__(self: _Kind) -> _Kind:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
