"""Sampling of rasters with Spark: ``sample`` for PySpark's data frames.

Importing this module needs no PySpark; calling it does.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._error import PlumbError, PlumbTypeError, PlumbValueError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ._typing import Rasters
    from ._worker import Settings

# Spark has no unsigned integers: each is stored in the next wider type.
_TYPES = {
    "int8": "ByteType", "uint8": "ShortType", "int16": "ShortType", "uint16": "IntegerType",
    "int32": "IntegerType", "uint32": "LongType", "int64": "LongType", "float32": "FloatType",
    "float64": "DoubleType",
}  # fmt: skip
# The number of rows sampled together, regardless of the engine's batches.
_ROWS = 1 << 17
_BYTES = 64 << 20


def sample(
    dataframe: DataFrame, rasters: Rasters, *, x: str | None = None, y: str | None = None,
    crs: Any = None, geometry: str | None = None, bands: Sequence[int] | None = None,
    resampling: str = "nearest", scaled: bool = False, status: bool = False,
    cache: int | None = None, threads: int = 1, anywhere: bool = False, pixels: bool = False,
) -> DataFrame:  # fmt: skip
    """Samples rasters at the points of a data frame: adds one column per band.

    Each Python worker opens the rasters once and keeps them and a tile cache for all its tasks; it
    opens them again if a file was replaced or changed. Relative paths are relative to the driver.
    The rasters must be reachable under the same paths on the driver, which reads their types, and
    on every executor. Rows keep their partitions and their order within them.

    Args:
        dataframe: Points in columns ``x`` and ``y``, or as WKB in the column ``geometry``.
        rasters: As for `plumb.sample`.
        x: The column of eastings or longitudes. Default, as for the next: the usual names.
        y: The column of northings or latitudes.
        crs: The points' CRS.
        geometry: The column of points in WKB.
        bands: Bands, from 1. Default: all.
        resampling: The value at a point: that of its cell, or a double interpolated from 4 or 16
            cells. Default: nearest. One of ``nearest``, ``bilinear``, ``cubic``.
        scaled: Apply scale and offset; the values are then doubles.
        status: Add a column NAME_status. One for each raster.
        cache: The maximum number of bytes of decoded tiles per worker. Default: 512 MiB.
        threads: Threads of each worker; Spark already runs a worker on each core.
        anywhere: Allow files to refer to other folders and the network.
        pixels: Whether the points are columns and rows of the cells, counted from 0 at the outer
            corner of the first cell.
    """
    try:
        from pyspark.sql import types
    except ImportError:
        raise PlumbError(
            "plumb.spark needs PySpark: pip install 'pyspark>=4,<5' pyarrow pandas", "unsupported"
        ) from None
    from ._checks import flags, unique_names
    from ._crs import crs_text
    from ._points import chosen_columns, listed
    from ._worker import Settings

    if not hasattr(dataframe, "mapInArrow"):
        raise PlumbTypeError(
            f"dataframe is of type {type(dataframe).__name__}: give a PySpark DataFrame"
        )
    flags(status=status, pixels=pixels)
    names = dataframe.columns
    if geometry is None:
        found = chosen_columns(names, x, y, "the data frame", pixels)
        if found is None:
            raise PlumbValueError(
                f"the data frame has {listed(names)}, but no x and y: give them with x= and y=, or "
                "geometry=",
                "not_found",
            )
        x, y, degrees = found
        if crs is None and degrees:
            crs = "EPSG:4326"
    elif geometry not in names:
        raise PlumbValueError(
            f"geometry names the column {geometry}, and the table has {listed(names)}", "not_found"
        )
    settings = Settings(rasters, bands, resampling, scaled, cache, threads, anywhere, pixels)
    added = []
    with settings.open() as stack:
        dtypes = settings.dtypes = stack.dtypes
        for raster in stack._open().rasters:
            for at in raster["columns"]:
                name = stack.columns[at]
                kind = types.DecimalType(20, 0) if dtypes[name] == "uint64" else None
                if kind is None and dtypes[name] not in _TYPES:
                    raise PlumbValueError(
                        f"{name} is of type {dtypes[name]}, which Spark does not have",
                        "unsupported",
                    )
                added.append(
                    types.StructField(name, kind or getattr(types, _TYPES[dtypes[name]])())
                )
            if status:
                added.append(types.StructField(f"{raster['name']}_status", types.StringType()))
    cases = dataframe.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"

    def plain(name: str) -> str:
        return name if cases else name.lower()

    unique_names([plain(field.name) for field in added])
    taken = {plain(name) for name in names}
    for field in added:
        if plain(field.name) in taken:
            raise PlumbValueError(
                f"the data frame already has a column {field.name}: rename the raster, as in "
                "{'name': path}",
                "exists",
            )
    schema = types.StructType([*dataframe.schema.fields, *added])
    work = functools.partial(
        sampled_batches, settings, {"x": x, "y": y, "crs": crs_text(crs), "geometry": geometry},
        status, len(names),
    )  # fmt: skip
    return dataframe.mapInArrow(work, schema)


def sampled_batches(
    settings: Settings, points: dict[str, Any], status: bool, given: int,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Samples one partition's batches; runs in the workers."""
    from . import _worker

    stack = None
    for batch in _gathered(batches):
        if stack is None:
            stack = _worker.stack(settings)
        yield _as_spark(stack.sample(batch, status=status, **points), given)


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches, each of which reads every tile once."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield from _joined(held)
            held, rows, size = [], 0, 0
    if held:
        yield from _joined(held)


def _joined(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    import pyarrow as pa

    if len(batches) == 1:
        return batches
    joined: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    # Batches without rows are not part of a table.
    return joined or batches[:1]


def _as_spark(batch: pa.RecordBatch, given: int) -> pa.RecordBatch:
    import pyarrow as pa

    wider = {
        pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
    }  # fmt: skip
    arrays = list(batch.columns)
    for index in range(given, len(arrays)):
        kind = arrays[index].type
        if pa.types.is_dictionary(kind):
            arrays[index] = arrays[index].dictionary_decode()
        elif kind in wider:
            arrays[index] = arrays[index].cast(wider[kind])
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
