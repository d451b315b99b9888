"""What stands beneath the masks of masked arrays."""

from __future__ import annotations

from typing import Any


def masked(values: Any, mask: Any, nodata: Any) -> Any:
    """A masked array that has one value wherever nothing is, also beneath its mask: `nodata`
    where the type has that value, else an extreme of the type."""
    import numpy as np

    fill = fill_value(values.dtype, nodata)
    if mask.any():
        values = values if values.flags.writeable else values.copy()
        values[mask] = fill
    out: Any = np.ma.MaskedArray(values, mask=mask, fill_value=fill)
    return out


def fill_value(dtype: Any, nodata: Any) -> Any:
    """The value for nothing in a type: not a number for floats and not a time for times, the least
    of whole numbers with a sign, the greatest of those without one."""
    import numpy as np

    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        number = nodata
        if isinstance(number, str):
            number = None
        if number is not None and number == int(number) and limits.min <= number <= limits.max:
            return dtype.type(int(number))
        return dtype.type(limits.max if dtype.kind == "u" else limits.min)
    if dtype.kind in "fc":
        return dtype.type(np.nan if nodata is None else float(nodata))
    if dtype.kind == "M":
        return np.datetime64("NaT")
    return False if dtype.kind == "b" else None
