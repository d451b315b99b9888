"""The values beneath the masks of masked arrays."""

from __future__ import annotations

from typing import Any


def masked(values: Any, mask: Any, nodata: Any) -> Any:
    """A masked array with one value everywhere beneath its mask: `nodata` if the type has that
    value, otherwise an extreme of the type."""
    import numpy as np

    values, fill = filled(values, mask, nodata)
    out: Any = np.ma.MaskedArray(values, mask=mask, fill_value=fill)
    return out


def filled(values: Any, mask: Any, nodata: Any) -> tuple[Any, Any]:
    """The values with one value at the masked positions, and that value. It does not use `numpy.ma`,
    whose import would take longer than sampling 1,000 points."""
    fill = fill_value(values.dtype, nodata)
    if mask.any():
        values = values if values.flags.writeable else values.copy()
        values[mask] = fill
    return values, fill


def fill_value(dtype: Any, nodata: Any) -> Any:
    """The nodata value of a type: NaN for floats, NaT for times, the minimum of signed integers,
    the maximum of unsigned ones."""
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
