"""Tables of results that consist of objects: elements of maps and networks, and segments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._tabular import Tabular, needed, with_geometry

if TYPE_CHECKING:
    import geopandas as gpd

_LARGEST = 1 << 63


class Rows(Tabular):
    """A result with a row for each of its objects."""

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows as mappings of columns to values."""
        raise NotImplementedError

    def shapes(self) -> tuple[Sequence[dict[str, Any] | None], str | None]:
        """The geometry of each row in GeoJSON, and their CRS."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out

        rows = self.rows()
        names = dict.fromkeys(name for row in rows for name in row)
        columns = [_column(name, [row.get(name) for row in rows]) for name in names]
        return _arrow_out.stream_capsule(columns, len(rows))

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """The frame of `to_pandas` with the shapes."""
        shapely = needed("shapely.geometry", "to_geopandas")
        shapes, crs = self.shapes()
        found = [None if one is None else shapely.shape(one) for one in shapes]
        return with_geometry(self.to_pandas(), found, crs)


def _column(name: str, values: list[Any]) -> Any:
    """A column of booleans, integers, floats or text; other values as JSON."""
    import numpy as np

    from . import _arrow_out

    kinds = {type(value) for value in values if value is not None}
    mask = np.array([value is None for value in values], dtype=bool)
    if kinds == {bool}:
        return _arrow_out.Bits(name, np.array([bool(value) for value in values]), mask)
    if kinds and kinds <= {int, float}:
        is_whole = kinds == {int}
        plain = [0 if value is None else value for value in values]
        if not is_whole or all(-_LARGEST <= value < _LARGEST for value in plain):
            dtype = np.int64 if is_whole else np.float64
            return _arrow_out.Numbers(name, np.array(plain, dtype=dtype), mask)
    return _arrow_out.Texts(
        name,
        [one if one is None or isinstance(one, str) else json.dumps(one) for one in values],
    )
