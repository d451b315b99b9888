"""Lists, maps and structures in Parquet and Arrow become JSON text with pyarrow's values."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import EVI, ROOT, Command, run_command

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

# Each type with a function that makes a value.
LEAVES: dict[str, tuple[Any, Any]] = {
    "int": (pa.int64(), lambda r: r.choice([0, -1, 2**63 - 1, -(2**63), r.randrange(1000)])),
    "byte": (pa.int8(), lambda r: r.randrange(-128, 128)),
    "large": (pa.uint64(), lambda r: r.choice([0, 2**64 - 1])),
    "real": (pa.float64(), lambda r: r.choice([0.1, -1e300, r.random(), float("nan"), float("inf")])),
    "flag": (pa.bool_(), lambda r: r.random() < 0.5),
    "text": (pa.string(), lambda r: r.choice(["", "a", 'é"\\\n', "x" * r.randrange(60), "\u2028😀"])),
    "bytes": (pa.binary(), lambda r: r.randbytes(r.randrange(4))),
    "day": (pa.date32(), lambda r: dt.date(1900, 1, 1) + dt.timedelta(r.randrange(90_000))),
    "time": (pa.timestamp("us"), lambda r: dt.datetime(2026, 1, 1) + dt.timedelta(seconds=r.randrange(10**8))),
    "money": (pa.decimal128(10, 2), lambda r: decimal.Decimal(r.randrange(-10**6, 10**6)) / 100),
}


def value(type: Any, rng: random.Random, make: dict[Any, Any]) -> Any:
    """A random value of a type; one in six is null."""
    if rng.random() < 1 / 6:
        return None
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        return [value(type.value_type, rng, make) for _ in range(rng.choice([0, 1, 2, 5]))]
    if pa.types.is_fixed_size_list(type):
        return [value(type.value_type, rng, make) for _ in range(type.list_size)]
    if pa.types.is_map(type):
        keys = rng.sample(range(10), rng.randrange(4))
        if pa.types.is_string(type.key_type):
            return [(f'k"{key}', value(type.item_type, rng, make)) for key in keys]
        return [(key, value(type.item_type, rng, make)) for key in keys]
    if pa.types.is_struct(type):
        return {field.name: value(field.type, rng, make) for field in type}
    return make[type](rng)


def types() -> dict[str, Any]:
    """Columns of lists of each type, and nested ones."""
    columns = {f"list of {name}": pa.list_(type) for name, (type, _) in LEAVES.items()}
    pair = pa.struct([("n", pa.int64()), ("t", pa.string())])
    columns |= {
        "lists of lists": pa.list_(pa.list_(pa.int64())),
        "three levels": pa.list_(pa.list_(pa.list_(pa.string()))),
        "large": pa.large_list(pa.string()),
        "pairs": pa.list_(pair),
        "lists in pairs": pa.list_(pa.struct([("a", pa.list_(pa.int64())), ("b", pa.list_(pair)), ("c", pa.bool_())])),
        "map": pa.map_(pa.string(), pa.float64()),
        "map of numbers": pa.map_(pa.int64(), pa.string()),
        "map of lists": pa.map_(pa.string(), pa.list_(pa.map_(pa.int64(), pa.string()))),
        "lists of maps": pa.list_(pa.map_(pa.string(), pair)),
        "fixed": pa.list_(pa.float64(), 3),
        "fixed pairs": pa.list_(pair, 2),
        "structure": pa.struct([("tags", pa.list_(pa.string())), ("more", pa.struct([("m", pa.map_(pa.string(), pa.int64()))]))]),
    }
    return columns


def table(seed: int, count: int) -> Any:
    rng = random.Random(seed)
    make = {type: maker for type, maker in LEAVES.values()}
    columns = {"lon": pa.array([18.5] * count), "lat": pa.array([-33.9] * count)}
    for name, type in types().items():
        columns[name] = pa.array([value(type, rng, make) for _ in range(count)], type)
    return pa.table(columns)


def plain(item: Any, type: Any) -> Any:
    """A value of pyarrow as a value of JSON; maps are pairs."""
    if item is None:
        return None
    if pa.types.is_list(type) or pa.types.is_large_list(type) or pa.types.is_fixed_size_list(type):
        return [plain(each, type.value_type) for each in item]
    if pa.types.is_map(type):
        return {str(key): plain(each, type.item_type) for key, each in item}
    if pa.types.is_struct(type):
        return {field.name: plain(item[field.name], field.type) for field in type}
    if isinstance(item, float):
        return item if item == item and abs(item) != float("inf") else None
    if isinstance(item, bytes):
        return item.hex().upper()
    if isinstance(item, (dt.date, dt.datetime)):
        return item.isoformat()
    return item


def parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text, parse_float=decimal.Decimal)


def same(read: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(read, list) and len(read) == len(expected) and all(map(same, read, expected))
    if isinstance(expected, dict):
        return isinstance(read, dict) and list(read) == list(expected) and all(
            same(read[key], each) for key, each in expected.items())
    if isinstance(expected, float):
        return read is not None and float(read) == expected
    return type(read) is type(expected) and read == expected if isinstance(expected, bool) else read == expected


def check(command: Command, whole: Any, points: str, input: bytes | None = None) -> None:
    done = run_command(
        [command.path, "identify", EVI, "--points", points, "--of", "arrow"], cwd=ROOT,
        capture_output=True, input=input)
    assert done.returncode == 0, done.stderr.decode()
    result = pa.ipc.open_stream(io.BytesIO(done.stdout)).read_all()
    assert "lists or maps, which are read as JSON text" in done.stderr.decode()
    columns = dict(zip(whole.schema.names, whole.columns))
    structure = columns.pop("structure").combine_chunks()
    tags, more = structure.flatten()
    columns |= {"structure.tags": tags, "structure.more.m": more.flatten()[0]}
    for name, column in columns.items():
        if name in ("lon", "lat"):
            continue
        read = [parsed(text) for text in result[name].to_pylist()]
        expected = [plain(item, column.type) for item in column.to_pylist()]
        for row, (one, other) in enumerate(zip(read, expected, strict=True)):
            assert same(one, other), (name, row, one, other)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"use_dictionary": False, "data_page_version": "2.0"},
    {"data_page_size": 64, "compression": "zstd", "row_group_size": 37, "write_batch_size": 5},
    {"data_page_size": 100, "data_page_version": "2.0", "compression": "none", "write_batch_size": 3},
    {"use_compliant_nested_type": False},
]


@pytest.mark.parametrize("options", range(len(OPTIONS)))
@pytest.mark.parametrize("seed", range(3))
def test_parquet(command: Command, tmp_path: Path, seed: int, options: int) -> None:
    whole = table(seed, 200)
    path = tmp_path / "p.parquet"
    pq.write_table(whole, path, **OPTIONS[options])
    check(command, whole, str(path))


@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("seed", range(3))
def test_arrow(command: Command, seed: int, compression: str | None) -> None:
    whole = table(seed, 200)
    stream = io.BytesIO()
    # The rows of a batch may begin anywhere in the arrays.
    with pa.ipc.new_stream(stream, whole.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        for start in range(0, 200, 33):
            writer.write_table(whole.slice(start, 33))
    check(command, whole, "-", stream.getvalue())


def test_views_and_dictionaries_of_lists(command: Command) -> None:
    lists = [["a", None], [], None, ["b", "c"]]
    views = pa.array(lists, pa.list_view(pa.string()))
    large = pa.array(lists, pa.large_list_view(pa.string()))
    codes = pa.array([["a", "b"], None, ["b"], []], pa.list_(pa.dictionary(pa.int8(), pa.string())))
    whole = pa.table({"lon": [18.5] * 4, "lat": [-33.9] * 4, "v": views, "large": large, "codes": codes})
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, whole.schema) as writer:
        writer.write_table(whole)
    done = run_command(
        [command.path, "identify", EVI, "--points", "-", "--of", "arrow"], cwd=ROOT,
        capture_output=True, input=stream.getvalue())
    assert done.returncode == 0, done.stderr.decode()
    result = pa.ipc.open_stream(io.BytesIO(done.stdout)).read_all()
    for name in ["v", "large", "codes"]:
        assert [parsed(text) for text in result[name].to_pylist()] == whole[name].to_pylist()


def test_every_table_format_has_the_text(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"lon": [18.5], "tags": [["a", "b"]], "lat": [-33.9]}), path)
    csv = command("identify", EVI, "--points", str(path), "--of", "csv")
    assert '"[""a"",""b""]"' in csv
    line = json.loads(command("identify", EVI, "--points", str(path), "--of", "geojsonseq"))
    assert line["properties"]["tags"] == ["a", "b"]
    command("identify", EVI, "--points", str(path), "-o", str(tmp_path / "o.parquet"))
    assert pq.read_table(tmp_path / "o.parquet")["tags"].to_pylist() == ['["a","b"]']


def test_geometries_of_lists_are_refused(command: Command, tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    frame = geopandas.GeoDataFrame({"id": [1]}, geometry=[shapely.box(18, -34, 19, -33)], crs="EPSG:4326")
    path = tmp_path / "p.parquet"
    frame.to_parquet(path, geometry_encoding="geoarrow")
    done = run_command(
        [command.path, "buffer", str(path), "--distance", "1"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "has geometries in the encoding polygon" in done.stderr


def test_lists_are_not_coordinates(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"x": [[1.0]], "y": [[2.0]], "lon": [18.5], "lat": [-33.9]}), path)
    rows = command("identify", f"evi={EVI}", "--points", str(path), "--of", "csv").splitlines()
    assert rows[0] == "x,y,lon,lat,evi" and rows[1].startswith("[1.0],[2.0],18.5,-33.9,")
    done = run_command(
        [command.path, "identify", EVI, "--points", str(path), "--x", "x", "--y", "lat"], cwd=ROOT,
        capture_output=True, text=True)
    assert done.returncode == 1 and "column x has JSON or lists instead of numbers" in done.stderr


def test_large_lists_are_left_out(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    count, length = 30_000, 400
    values = pa.array([0], pa.int8()).take(pa.array([0] * (count * length), pa.int32()))
    lists = pa.FixedSizeListArray.from_arrays(values, length)
    pq.write_table(pa.table({"lon": [18.5] * count, "lat": [-33.9] * count, "v": lists}), path)
    done = run_command(
        [command.path, "identify", f"evi={EVI}", "--points", str(path), "--of", "csv"], cwd=ROOT,
        capture_output=True, text=True)
    assert done.returncode == 0 and "column v has lists of 12000000 values" in done.stderr
    assert done.stdout.splitlines()[0] == "lon,lat,evi" and done.stdout.count("\n") == count + 1
