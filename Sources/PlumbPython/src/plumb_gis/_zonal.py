"""Statistics of the cells of rasters under areas."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._checks import flags
from ._error import PlumbTypeError, PlumbValueError
from ._points import listed
from ._sampler import patterns_of, settings_of, sources_of
from ._shapes import ShapeInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    import geopandas as gpd
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from . import _typing as T
    from ._typing import Dates, Progress, Rasters

_LISTS = ("values", "coverages", "frac")


@overload
def zonal(
    areas: gpd.GeoDataFrame,
    rasters: Rasters,
    stat: str | Sequence[str] | None = None,
    *,
    by: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Summarised],
) -> gpd.GeoDataFrame: ...
@overload
def zonal(
    areas: T.Table,
    rasters: Rasters,
    stat: str | Sequence[str] | None = None,
    *,
    by: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Summarised],
) -> T.Table: ...
@overload
def zonal(
    areas: pa.RecordBatchReader,
    rasters: Rasters,
    stat: str | Sequence[str] | None = None,
    *,
    by: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Summarised],
) -> pa.Table: ...
@overload
def zonal(
    areas: gpd.GeoSeries | Sequence[T.Shape] | T.Shape | NDArray[Any],
    rasters: Rasters,
    stat: str | Sequence[str] | None = None,
    **settings: Unpack[T.Summarised],
) -> pd.DataFrame: ...
def zonal(
    areas: Any, rasters: Any, stat: Any = None, *, bands: Any = None, by: str | None = None,
    radius: str | None = None, cells: str | None = None, coverage_threshold: float | None = None,
    coverage: Any = None, weights: Any = None, approximate: bool = False, scaled: bool = False,
    classes: bool = False, wide: bool = False, long: bool = False, crs: Any = None,
    geometry: str | None = None, strict: bool = False, cache: int | None = None,
    threads: int | None = None, dates: Dates = None, group: str | None = None, start: Any = None,
    end: Any = None, progress: Progress = None,
) -> Any:  # fmt: skip
    """Computes statistics of the cells of rasters under areas.

    Each cell is weighted by the exact fraction of it that the area covers.

    Args:
        areas: A GeoDataFrame, a GeoSeries, shapely geometries or a single one, a pyarrow or polars
            table, or a RecordBatchReader with a WKB column. Polygons, lines (cells count by the
            length of the line in them) and points (each counts as its cell).
        rasters: A path, a Raster, a list of them, or a dictionary from names to them.
        stat: Names of statistics, as a list or separated by commas: ``count``, ``sum``, ``mean``,
            ``min``, ``max``, ``range``, ``median``, ``quantile:0.9``, ``stdev``, ``variance``,
            ``cv``, ``variety``, ``majority``, ``minority``, ``area`` (m² on the ellipsoid),
            ``coverage``, ``values``, ``coverages``, ``frac``, ``min_center``, ``max_center``,
            ``weighted_mean``, ``weighted_sum``, ``weighted_stdev``; also ``std``, ``unique``,
            ``mode`` and ``percentile_90``. Default: count, mean, min and max.
        bands: Bands, from 1. Default: all.
        by: The name of a column; areas with equal values are joined into one area, in
            which each cell counts once.
        radius: The radius on the ground of the discs around points, for example 50m or 2km. The
            areas are then points.
        cells: The cells that count: each by its covered fraction (exact), those whose centre is in
            the area (center), or all that the area touches (all-touched). Default: exact. One of
            ``exact``, ``center``, ``all-touched``.
        coverage_threshold: Ignore cells with a smaller covered fraction.
        coverage: A file of the covered cells: written by the first run, and read by later runs with
            the same areas, grid and rule for cells.
        weights: The weights of the cells: a raster, or area for their areas on the ground. Used by
            weighted_mean, weighted_sum and weighted_stdev.
        approximate: Do not use a temporary file for quantiles of areas with millions of different
            values. The column NAME_rank_error has their error.
        scaled: Apply scale and offset to the values.
        classes: Write one row per area and class of cells, with its count, area in m² and share.
        wide: With classes, write one column per class instead of one row.
        long: Write one row per area, raster, band and statistic.
        crs: The CRS of the areas. Default: that of the frame; a different one is an error.
        geometry: The name of the column of areas.
        strict: Fail on uncertain transformations, and if an area has to be repaired or cannot be
            used.
        cache: Memory for decoded tiles. Default: 512 MB. In bytes.
        threads: The number of threads. Default: one per processor.
        dates: The dates of the rasters' files, as for `plumb.sample`. Each date has its own columns,
            ``NAME_DATE_STAT``, or with ``long`` its own rows with the column ``date``.
        group: The files of one date: those of equal time, or those of one day in UTC. Default:
            time; day for STAC items, and if files cover different areas. One of ``time``, ``day``.
        start: The first date that is read.
        end: The last date that is read, inclusive.
        progress: True for a bar, or a function that is called with the completed share.

    Returns:
        The input with columns ``NAME_STAT``, ``NAME_status`` and ``NAME_valid_fraction``, or
        ``NAME_BAND_STAT`` for several bands. With ``classes`` and ``long``, rows are repeated. With
        ``by``, one row per group with the column of the groups. Shapes without a table return a
        pandas DataFrame.

    >>> import geopandas, plumb_gis as plumb
    >>> wards = geopandas.read_file("rasters/wards.geojson")
    >>> table = plumb.zonal(wards, {"evi": "rasters/evi_cape_town.tif"}, ["mean", "quantile:0.9"])
    >>> print(table.loc[0, "NAME"], f"{table.loc[0, 'evi_mean']:.1f}", table.loc[0, "evi_status"])
    City Bowl 1964.1 partial
    """
    flags(approximate=approximate, scaled=scaled, classes=classes, wide=wide, long=long, strict=strict)
    sources = sources_of(rasters, scaled)
    opening = settings_of(bands, "nearest", scaled, False, cache, threads, None, False)
    names = _names_of(stat)
    if weights is not None and weights != "area":
        of_one = sources_of(weights)
        if len(of_one) != 1:
            raise PlumbValueError("weights is more than one raster: give one")
        weights = os.fspath(of_one[0].path)
    if coverage_threshold is not None and not isinstance(coverage_threshold, (int, float)):
        raise PlumbTypeError(f"coverage_threshold is {coverage_threshold!r}: give a number")
    from ._dated import text_of

    taken = ShapeInput(areas, crs, geometry)
    groups = _groups(taken, by) if by is not None else None
    options = _native.options(
        crs=taken.crs, stat=",".join(names) if names else None, bands=opening["bands"],
        radius=radius, cells=cells, coverage_threshold=coverage_threshold,
        coverage=_path_of(coverage), weights=weights,
        approximate=approximate or None, scaled=scaled or None, classes=classes or None,
        wide=wide or None, long=long or None,
        strict=strict or None, cache=cache, threads=threads, dates=patterns_of(dates), group=group,
        start=text_of(start, "start"), end=text_of(end, "end"),
        names=[source.name or "" for source in sources],
    )  # fmt: skip
    paths = [os.fsencode(source.path) for source in sources]
    array = (ctypes.c_char_p * len(paths))(*paths)
    from . import _arrow

    room = _arrow.Room()
    polling = _native.Polling(progress, "zonal")
    _native.call(
        "plumb_zonal", ctypes.byref(taken.shapes),
        groups.codes.ctypes.data if groups is not None else None, array, len(paths), options,
        *_native.polled(polling), *room.addresses, polling=polling,
    )  # fmt: skip
    _native.warn()
    return _joined(taken, _arrow.Table([room]), groups)


def _path_of(coverage: Any) -> str | None:
    if coverage is None:
        return None
    try:
        return os.fsdecode(coverage)
    except TypeError:
        raise PlumbTypeError(f"coverage is {coverage!r}: give a path") from None


def _names_of(stat: Any) -> list[str]:
    if stat is None:
        return []
    if isinstance(stat, str):
        return stat.split(",")
    if not isinstance(stat, Iterable) or isinstance(stat, bytes):
        raise PlumbTypeError(f"stat is {stat!r}: give names of statistics")
    names = list(stat)
    for name in names:
        if not isinstance(name, str):
            raise PlumbTypeError(f"stat contains {name!r}: give names of statistics")
    return names


class _Groups:
    """The number of each area's group, and the value of each group."""

    def __init__(self, name: str, values: Any) -> None:
        import numpy as np

        self.name = name
        numbers: dict[Any, int] = {}
        codes = []
        self.rows: list[int] = []
        for row, value in enumerate(values):
            # Missing values are one group.
            try:
                key = None if value is None or value != value else value
                number = numbers.setdefault(key, len(numbers))
            except TypeError:
                raise PlumbTypeError(
                    f"the column {name} has values that cannot be compared"
                ) from None
            if number == len(self.rows):
                self.rows.append(row)
            codes.append(number)
        self.codes = np.asarray(codes, dtype=np.int64)


def _groups(taken: ShapeInput, by: Any) -> _Groups:
    if not isinstance(by, str):
        raise PlumbTypeError("by is not text: name a column")
    if taken.kind == "frame":
        names = [str(one) for one in taken.source.columns]
        if names.count(by) == 1:
            column = taken.source.iloc[:, names.index(by)]
            pairs = zip(column.tolist(), column.isna().tolist())
            return _Groups(by, [None if null else value for value, null in pairs])
    elif taken.kind == "arrow":
        names = taken.table.names
        if names.count(by) == 1:
            values, mask = taken.table.column(names.index(by)).decoded()
            pairs = zip(values.tolist(), mask.tolist())
            return _Groups(by, [None if null else value for value, null in pairs])
    else:
        raise PlumbTypeError("by names a column, and the shapes have none: give a frame")
    raise PlumbValueError(f"by names the column {by}, and the areas have {listed(names)}")


def _columns(table: Any) -> dict[str, tuple[Any, Any]]:
    """The columns of the statistics, with their nulls."""
    columns = {}
    for index, name in enumerate(table.names):
        if index > 0:
            columns[name] = table.column(index).decoded()
    return columns


def _joined(taken: ShapeInput, table: Any, groups: _Groups | None) -> Any:
    """The input with the columns of the statistics."""
    rows, _ = table.column(0).decoded()
    columns = _columns(table)
    if groups is not None:
        rows = [groups.rows[number] for number in rows.tolist()]
    if taken.kind == "arrow":
        return _arrow_joined(taken, rows, columns, groups)
    import pandas as pd

    made = {name: _series(name, values, mask) for name, (values, mask) in columns.items()}
    if taken.kind != "frame":
        index = taken.index if taken.kind == "series" else None
        frame = pd.DataFrame(made)
        if index is not None:
            frame.index = index.take(list(rows))
        elif len(rows) != taken.count or list(rows) != list(range(taken.count)):
            frame.insert(0, "row", list(rows))
        return frame
    source = taken.source
    if groups is not None:
        source = source.iloc[:, [[str(one) for one in source.columns].index(groups.name)]]
    given = source.iloc[list(rows)]
    repeated = [name for name in made if name in [str(one) for one in given.columns]]
    if repeated:
        raise PlumbValueError(
            f"the frame has a column {repeated[0]} already: rename the raster or the column"
        )
    frame = given.copy()
    for name, values in made.items():
        frame[name] = values
    if groups is not None:
        return pd.DataFrame(frame).reset_index(drop=True)
    return frame


def _series(name: str, values: Any, mask: Any) -> Any:
    """A column of a frame: lists for JSON, and NaN or missing values for nulls."""
    import numpy as np
    import pandas as pd

    if name.rpartition("_")[2] in _LISTS:
        out = np.empty(len(values), dtype=object)
        for index, (text, null) in enumerate(zip(values.tolist(), mask.tolist())):
            out[index] = None if null else np.array(json.loads(text), dtype=float)
        return out
    if not mask.any():
        return values
    if values.dtype.kind == "i":
        return pd.arrays.IntegerArray(np.where(mask, 0, values), mask.copy())
    if values.dtype.kind == "f":
        return np.where(mask, np.nan, values)
    out = values.copy()
    out[mask] = None
    return out


def _arrow_joined(
    taken: ShapeInput, rows: Any, columns: dict[str, tuple[Any, Any]], groups: _Groups | None
) -> Any:
    import pyarrow

    from ._geoparquet import _kind

    given = taken.source
    if taken.module == "polars":
        given = given.to_arrow()
    elif not isinstance(given, pyarrow.Table):
        given = pyarrow.table(given)
    if groups is not None:
        given = given.select([groups.name])
    given = given.take(pyarrow.array(list(rows), type=pyarrow.int64()))
    for name, (values, mask) in columns.items():
        if name in given.schema.names:
            raise PlumbValueError(
                f"the table has a column {name} already: rename the raster or the column"
            )
        if name.rpartition("_")[2] in _LISTS:
            items = [
                None if null else json.loads(text)
                for text, null in zip(values.tolist(), mask.tolist())
            ]
            made = pyarrow.array(items, type=pyarrow.list_(pyarrow.float64()))
        else:
            made = pyarrow.array(values, mask=mask)
        given = given.append_column(name, made)
    return _kind(taken, given)
