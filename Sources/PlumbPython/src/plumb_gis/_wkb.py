"""Points and CRSs from many WKB or EWKB values at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._error import PlumbValueError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

_SRID_FLAG = 0x20000000


class Shapes:
    """WKB values: the bytes, and each value's start and size; missing values have size 0."""

    def __init__(self, data: Any, starts: Any, sizes: Any) -> None:
        self.data = data
        self.starts = starts
        self.sizes = sizes

    @staticmethod
    def of(values: Sequence[bytes | None]) -> Shapes:
        """Concatenates values."""
        import numpy as np

        sizes = np.fromiter((len(value or b"") for value in values), np.int64, len(values))
        starts = np.zeros(len(values), dtype=np.int64)
        np.cumsum(sizes[:-1], out=starts[1:])
        return Shapes(
            np.frombuffer(b"".join(value or b"" for value in values), np.uint8), starts, sizes
        )

    def heads(self, least: int) -> list[tuple[Any, str, Any]]:
        """The rows of values with at least `least` bytes, and their types, by byte order."""
        import numpy as np

        rows = np.flatnonzero(self.sizes >= least)
        out: list[tuple[Any, str, Any]] = []
        if rows.size == 0:
            return out
        orders = self.data[self.starts[rows]]
        for order, end in ((1, "<"), (0, ">")):
            those = rows[orders == order]
            if those.size:
                kind = _gather(self.data, self.starts[those] + 1, 4, end + "u4")
                out.append((those, end, kind))
        return out

    def points(self) -> tuple[Doubles, Doubles]:
        """The coordinates; NaN for missing values and for anything except a single point."""
        import numpy as np

        x = np.full(self.starts.size, np.nan)
        y = np.full(self.starts.size, np.nan)
        for rows, end, kind in self.heads(21):
            body = self.starts[rows] + 5 + 4 * ((kind & _SRID_FLAG) != 0)
            plain = (kind & 0x0FFFFFFF) % 1000 == 1
            plain &= body + 16 <= self.starts[rows] + self.sizes[rows]
            rows, body = rows[plain], body[plain]
            x[rows] = _gather(self.data, body, 8, end + "f8")
            y[rows] = _gather(self.data, body + 8, 8, end + "f8")
        return x, y

    def srids(self) -> dict[int, int]:
        """The SRIDs of the values, 0 for none, each with its first row."""
        import numpy as np

        out: dict[int, int] = {}
        for rows, end, kind in self.heads(9):
            named = (kind & _SRID_FLAG) != 0
            numbers = np.zeros(rows.size, dtype=np.int64)
            if named.any():
                numbers[named] = _gather(self.data, self.starts[rows[named]] + 5, 4, end + "i4")
            for number, first in zip(*np.unique(numbers, return_index=True)):
                row = int(rows[first])
                out[int(number)] = min(row, out.get(int(number), row))
        return out


def srid_crs(srids: dict[int, int], what: str) -> str | None:
    """The one CRS of the values; None if they have none.

    Raises:
        PlumbValueError: if there are several, or only some values have one.
    """
    if len(srids) > 1:
        (first, row), (other, second) = sorted(srids.items(), key=lambda pair: pair[1])[:2]
        words = [f"EPSG:{number}" if number else "none" for number in (first, other)]
        raise PlumbValueError(
            f"{what} has several CRSs: {words[0]} in row {row}, {words[1]} in row {second} "
            "(from 0); convert the shapes to one",
            "crs_mismatch",
        )
    number = next(iter(srids), 0)
    return f"EPSG:{number}" if number > 0 else None


def with_srid(values: Sequence[bytes | None], srid: int) -> list[bytes | None]:
    """Values in little-endian WKB with an SRID."""
    number = srid.to_bytes(4, "little", signed=True)
    out: list[bytes | None] = []
    for value in values:
        if value is not None:
            kind = int.from_bytes(value[1:5], "little") | _SRID_FLAG
            value = value[:1] + kind.to_bytes(4, "little") + number + value[5:]
        out.append(value)
    return out


def _gather(bytes_: Any, starts: Any, size: int, dtype: str) -> Any:
    import numpy as np

    native = np.dtype(dtype).newbyteorder("=")
    if starts.size == 0:
        return np.empty(0, dtype=native)
    step = int(starts[1] - starts[0]) if starts.size > 1 else size
    first, last = int(starts[0]), int(starts[-1])
    if (
        step >= size
        and last == first + step * (starts.size - 1)
        and (starts.size < 3 or bool((np.diff(starts) == step).all()))
    ):
        view = np.ndarray((starts.size,), dtype, bytes_, offset=first, strides=(step,))
        return view.astype(native)
    picked = bytes_[starts[:, None] + np.arange(size)]
    return np.ascontiguousarray(picked).view(dtype).ravel().astype(native)
