"""Rasters sampled by Spark: ``sample`` for PySpark's data frames.

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

# Spark has no numbers without a sign: each goes into the next wider type.
_TYPES = {
    "int8": "ByteType", "uint8": "ShortType", "int16": "ShortType", "uint16": "IntegerType",
    "int32": "IntegerType", "uint32": "LongType", "int64": "LongType", "float32": "FloatType",
    "float64": "DoubleType",
}  # fmt: skip
# What is asked together, whatever the engine's batches have.
_ROWS = 1 << 17
_BYTES = 64 << 20


def sample(
    dataframe: DataFrame, rasters: Rasters, *, x: str | None = None, y: str | None = None,
    crs: Any = None, geometry: str | None = None, bands: Sequence[int] | None = None,
    resampling: str = "nearest", scaled: bool = False, status: bool = False,
    cache: int | None = None, threads: int = 1, anywhere: bool = False, pixels: bool = False,
) -> DataFrame:  # fmt: skip
    """What rasters hold at a data frame's points: its columns, then one a band.

    Each Python worker opens the rasters once and keeps them, and one cache of tiles, for all its
    tasks; it opens them again when a file was replaced or changed. Relative paths are those of the
    driver. The rasters have to be reachable under the same paths on the driver, which looks at
    their types, and on every executor. Rows keep their partitions and their order within them.

    Args:
        dataframe: Points in columns ``x`` and ``y``, or as WKB in the column ``geometry``.
        rasters: As for `plumb.sample`.
        x: The column of eastings or longitudes. Default, as for the next: the usual names.
        y: The column of northings or latitudes.
        crs: The points' reference.
        geometry: The column of points in WKB.
        bands: The bands, from 1. Default: all.
        resampling: ``nearest``, ``bilinear`` or ``cubic``.
        scaled: Apply scale and offset.
        status: Add a column ``NAME_status`` for each raster.
        cache: Bytes of decoded tiles that each worker keeps at most. Default: 512 MiB.
        threads: Threads of each worker; Spark runs a worker on each core already.
        anywhere: Let files lead to other folders and the network.
        pixels: Take x for columns and y for rows of the rasters' cells, counted from 0.
    """
    try:
        from pyspark.sql import types
    except ImportError:
        raise PlumbError(
            "plumb.spark needs PySpark: pip install 'plumb-gis[spark]'", "unsupported"
        ) from None
    from ._checks import flags, unique_names
    from ._points import chosen_columns, crs_text, listed
    from ._worker import Settings

    if not hasattr(dataframe, "mapInArrow"):
        raise PlumbTypeError(
            f"dataframe is of type {type(dataframe).__name__}: give a DataFrame of PySpark's"
        )
    flags(status=status, pixels=pixels)
    names = dataframe.columns
    if geometry is None:
        found = chosen_columns(names, x, y, "the data frame", pixels)
        if found is None:
            raise PlumbValueError(
                f"the data frame has no x and y, but {listed(names)}: name them with x= and y=, or "
                "geometry=",
                "not_found",
            )
        x, y, degrees = found
        if crs is None and degrees:
            crs = "EPSG:4326"
    elif geometry not in names:
        raise PlumbValueError(
            f"geometry names the column {geometry}, and there are {listed(names)}", "not_found"
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
                f"the data frame has a column {field.name} already: call the raster otherwise, as "
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
    """One partition's batches, each with its answers: what a worker runs."""
    from . import _worker

    stack = None
    for batch in _gathered(batches):
        if stack is None:
            stack = _worker.stack(settings)
        yield _as_spark(stack.sample(batch, status=status, **points), given)


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches: each asks every tile that its points lie on once."""
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
    # Batches without rows are none of a table's.
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
