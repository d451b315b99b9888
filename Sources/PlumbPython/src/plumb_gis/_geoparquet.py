"""Areas in Arrow tables, with their GeoParquet metadata and columns of extents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._wkb import with_srid

if TYPE_CHECKING:
    import pyarrow as pa

    from ._shapes import ShapeInput

_SIDES = ("xmin", "ymin", "xmax", "ymax")
# The geometry types of areas, by WKB number.
_TYPES = {3: "Polygon", 6: "MultiPolygon"}


def arrow_answer(taken: ShapeInput, table: Any, values: Any, mask: Any, union: bool) -> Any:
    """The input table with areas instead of shapes."""
    import pyarrow

    given = taken.source
    if taken.module == "polars":
        given = given.to_arrow()
    elif not isinstance(given, pyarrow.Table):
        given = pyarrow.table(given)
    geo = _metadata(given)
    name = given.schema.names[taken.at]
    parts = [None if null else value for value, null in zip(values.tolist(), mask.tolist())]
    bounds = None
    if "xmin" in table.names:
        bounds = {side: table.column(table.names.index(side)).decoded()[0] for side in _SIDES}
    if taken.srid is not None:
        written = with_srid(parts, taken.srid)
    else:
        written = parts
    field = given.schema.field(taken.at)
    areas, kind = _column(pyarrow, written, field)
    plain = pyarrow.field(name, kind, metadata=field.metadata)
    metadata = dict(given.schema.metadata or {})
    if union:
        given = pyarrow.Table.from_arrays([areas], schema=pyarrow.schema([plain]))
        metadata.pop(b"pandas", None)
    else:
        given = given.set_column(taken.at, plain, areas)
    if geo is not None:
        about = geo["columns"].get(name)
        if about is not None:
            if bounds is not None and not union:
                given = _covering(pyarrow, given, about, bounds, mask)
            _describe(about, parts, bounds, mask)
        if union:
            _reduce(geo, name)
        metadata[b"geo"] = json.dumps(geo).encode()
    given = given.replace_schema_metadata(metadata or None)
    return _kind(taken, given)


def _metadata(given: pa.Table) -> dict[str, Any] | None:
    try:
        geo = json.loads((given.schema.metadata or {}).get(b"geo", b"null"))
    except ValueError:
        return None
    if isinstance(geo, dict) and isinstance(geo.get("columns"), dict):
        return geo
    return None


def _column(pyarrow: Any, parts: list[bytes | None], field: Any) -> tuple[Any, Any]:
    """The areas in the type of the column of shapes."""
    kind = field.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        storage = pyarrow.array(parts, type=kind.storage_type)
        return pyarrow.ExtensionArray.from_storage(kind, storage), kind
    return pyarrow.array(parts, type=kind), kind


def _describe(about: dict[str, Any], parts: list[bytes | None], bounds: Any, mask: Any) -> None:
    """Updates a column's metadata for its areas."""
    import numpy as np

    about["encoding"] = "WKB"
    numbers = {int.from_bytes(part[1:5], "little") for part in parts if part is not None}
    about["geometry_types"] = [_TYPES[number] for number in sorted(numbers) if number in _TYPES]
    # The ring orientation depends on GEOS.
    about.pop("orientation", None)
    about.pop("bbox", None)
    if bounds is not None and not mask.all():
        there = ~mask
        about["bbox"] = [
            float((np.min if side.endswith("min") else np.max)(bounds[side][there]))
            for side in _SIDES
        ]


def _covering(
    pyarrow: Any, given: pa.Table, about: dict[str, Any], bounds: Any, mask: Any
) -> pa.Table:
    """The table with the extents of the areas in its columns of extents."""
    covering = about.get("covering")
    box = covering.get("bbox") if isinstance(covering, dict) else None
    if not isinstance(box, dict):
        return given
    columns = {path[0] for path in box.values() if isinstance(path, list) and path}
    if len(columns) != 1 or not columns <= set(given.schema.names):
        about.pop("covering")
        return given
    name = columns.pop()
    at = given.schema.names.index(name)
    field = given.schema.field(at)
    sides = {path[-1]: side for side, path in box.items() if side in _SIDES}
    if not pyarrow.types.is_struct(field.type):
        about.pop("covering")
        return given
    members, children = [], []
    for index in range(field.type.num_fields):
        child = field.type.field(index)
        side = sides.get(child.name)
        if side is None:
            # A height or a measure, which areas do not have.
            members.append(pyarrow.nulls(len(mask), child.type))
        else:
            members.append(pyarrow.array(_rounded(bounds[side], side, child.type), child.type))
        children.append(child.with_nullable(True) if side is None else child)
    column = pyarrow.StructArray.from_arrays(members, fields=children, mask=pyarrow.array(mask))
    about["covering"]["bbox"] = {side: path for side, path in box.items() if side in _SIDES}
    return given.set_column(at, pyarrow.field(name, column.type, metadata=field.metadata), column)


def _rounded(values: Any, side: str, kind: Any) -> Any:
    """Extents converted to a type, rounded outwards if it is narrower."""
    import numpy as np

    if kind.bit_width == 64:
        return values
    narrow = values.astype(np.float32 if kind.bit_width == 32 else np.float16)
    if side.endswith("min"):
        return np.where(narrow > values, np.nextafter(narrow, narrow.dtype.type(-np.inf)), narrow)
    return np.where(narrow < values, np.nextafter(narrow, narrow.dtype.type(np.inf)), narrow)


def _reduce(geo: dict[str, Any], name: str) -> None:
    """Limits the metadata to a single column."""
    geo["columns"] = {key: about for key, about in geo["columns"].items() if key == name}
    geo["primary_column"] = name
    for about in geo["columns"].values():
        about.pop("covering", None)


def _kind(taken: ShapeInput, given: pa.Table) -> Any:
    """The table converted to the type of the input."""
    if taken.module == "polars":
        import polars

        return polars.DataFrame(given)
    return given
