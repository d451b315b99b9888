"""Rasters at points: the command's results, in the shape of the input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import COVER, DEM, EVI, NDVI, STACK, Command, around, as_csv, same_column

import plumb_gis as plumb


def arguments(stack: dict[str, str]) -> list[str]:
    return [f"{name}={path}" for name, path in stack.items()]


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_command(command: Command, seed: int) -> None:
    x, y = around(3000, seed)
    seen = command.rows(
        "identify", *arguments(STACK), "--points", "-", "--status", "--provenance",
        input=as_csv(x, y),
    )  # fmt: skip
    result = plumb.sample(STACK, x, y, crs="EPSG:4326", provenance=True)
    assert result.columns == list(STACK)
    for name in STACK:
        column = result[name]
        same_column([row[name] for row in seen], column.data, column.mask)
        assert result.status(name).tolist() == [row[f"{name}_status"] for row in seen]
        cells = result.cells(name)
        for part in ("row", "column"):
            expected = [int(row[f"{name}_{part}"] or -1) for row in seen]
            assert cells[part].tolist() == expected


@pytest.mark.parametrize("how", ["scaled", "bilinear", "cubic"])
def test_settings_equal_the_command(command: Command, how: str) -> None:
    x, y = around(1500, 11)
    flags = ["--scaled"] if how == "scaled" else ["-r", how]
    seen = command.rows("identify", *arguments(STACK), "--points", "-", *flags, input=as_csv(x, y))
    settings = {"scaled": True} if how == "scaled" else {"resampling": how}
    result = plumb.sample(STACK, x, y, crs="EPSG:4326", **settings)
    for name in STACK:
        column = result[name]
        same_column([row[name] for row in seen], column.data, column.mask)


def test_pixels_are_columns_and_rows() -> None:
    raster = plumb.Raster(EVI)
    left, across, _, top, _, down = raster.geotransform
    columns, rows = np.array([0, 599.5, 300]), np.array([0, 599.5, 200])
    expected = raster.sample(left + (columns + 0.25) * across, top + (rows + 0.25) * down)
    for result in (
        raster.sample(columns, rows, pixels=True),
        plumb.sample(EVI, columns, rows, pixels=True),
        plumb.Stack(EVI, pixels=True).sample(columns, rows),
    ):
        assert result["evi_cape_town"].tolist() == expected["evi_cape_town"].tolist()
    with pytest.raises(plumb.PlumbError, match="columns and rows have no CRS"):
        plumb.sample(EVI, columns, rows, crs=4326, pixels=True)


@pytest.mark.parametrize("names", [("column", "row"), ("Col", "ROW"), ("pixel", "line")])
def test_tables_of_pixels(names: tuple[str, str]) -> None:
    cells = {names[0]: [0, 599.5], names[1]: [0.0, 200.0], "lon": [0.0, 0.0], "lat": [0.0, 0.0]}
    expected = plumb.sample(EVI, *list(cells.values())[:2], pixels=True)["evi_cape_town"].tolist()
    frame = plumb.sample(EVI, pd.DataFrame(cells), pixels=True)
    assert [None if pd.isna(one) else one for one in frame["evi_cape_town"]] == expected
    table = plumb.sample(EVI, pa.table(cells), pixels=True)
    assert table["evi_cape_town"].to_pylist() == expected
    with pytest.raises(plumb.PlumbError, match="no known column of points"):
        plumb.sample(EVI, pd.DataFrame({"lon": [0.0], "lat": [0.0]}), pixels=True)


def test_types_are_those_of_the_rasters() -> None:
    result = plumb.sample(STACK, [18.6], [-34.1], crs="EPSG:4326")
    assert [result[name].dtype.name for name in STACK] == ["int16", "int16", "uint8", "float32"]
    assert (
        plumb.Raster(EVI).sample(18.6, -34.1, crs=4326, scaled=True)["evi_cape_town"].dtype
        == "float64"
    )


def test_statuses_have_words_and_codes() -> None:
    result = plumb.sample(EVI, [18.45, 18.65, 2.35, np.nan], [-34.05, -34.25, 48.86, 0], crs=4326)
    assert result.status("evi_cape_town").tolist() == ["ok", "nodata", "outside", "bad_point"]
    codes = result.status("evi_cape_town", codes=True)
    assert codes.tolist() == [0, 1, 3, 6] and codes.dtype == np.uint8
    assert result["evi_cape_town"].tolist() == [3941, None, None, None]


def test_words_of_statuses_are_the_librarys() -> None:
    from plumb_gis._native import library
    from plumb_gis._result import STATUSES

    names = [library().plumb_status_name(code).decode() for code in range(len(STATUSES) + 1)]
    assert names == [*STATUSES, ""]


def test_numbers_alone() -> None:
    result = plumb.sample(DEM, 18.6, -34.1)
    assert len(result) == 1 and result["dem"].tolist() == [29]
    assert "29" in result._repr_html_() and "ok" in result._repr_html_()


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(">f8"),
        lambda a: np.repeat(a, 3)[::3],
        lambda a: a[::-1].copy()[::-1],
        lambda a: np.ma.MaskedArray(a),
        lambda a: a.tolist(),
        lambda a: tuple(a.tolist()),
        lambda a: a.reshape(-1, 1)[:, 0],
        lambda a: np.frombuffer(a.tobytes()),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64),
    ],
)
def test_layouts_of_arrays(change: object) -> None:
    x, y = np.array([18.6, 18.45, 18.4]), np.array([-34.1, -34.05, -33.9])
    expected = plumb.sample(DEM, x, y)["dem"]
    assert np.array_equal(plumb.sample(DEM, change(x), change(y))["dem"], expected)  # type: ignore


def test_masked_and_missing_are_bad_points() -> None:
    pd = pytest.importorskip("pandas")
    x = np.ma.MaskedArray([18.6, 18.45], mask=[False, True])
    assert plumb.sample(DEM, x, [-34.1, -34.05]).status("dem").tolist() == ["ok", "bad_point"]
    x = pd.Series([18.6, None], dtype="Float64")
    assert plumb.sample(DEM, x, [-34.1, -34.05]).status("dem").tolist() == ["ok", "bad_point"]
    assert plumb.sample(DEM, [18.6, None], [-34.1, 1]).status("dem").tolist() == ["ok", "bad_point"]


def test_whole_numbers_are_points() -> None:
    for kind in ("i1", "i4", "u2", "i8", "f4"):
        assert plumb.sample(DEM, np.array([19], kind), np.array([-33], "i8"))["dem"].size == 1


def test_read_only_and_empty() -> None:
    x, y = np.array([18.6]), np.array([-34.1])
    x.flags.writeable = y.flags.writeable = False
    assert plumb.sample(DEM, x, y)["dem"].tolist() == [29]
    result = plumb.sample(DEM, [], [])
    assert len(result) == 0 and result["dem"].dtype == np.int16
    assert plumb.sample(DEM, np.empty(0), np.empty(0)).to_pandas().shape == (0, 1)


def test_stack_is_kept_open() -> None:
    with plumb.Stack(STACK) as stack:
        assert stack.names == stack.columns == list(STACK)
        first = stack.sample(18.6, -34.1, crs=4326)
        again = plumb.sample(stack, 18.6, -34.1, crs=4326)
        assert first["evi"].tolist() == again["evi"].tolist() == [1478]
    with pytest.raises(plumb.PlumbError) as caught:
        stack.sample(18.6, -34.1)
    assert caught.value.code == "closed_handle"


def test_named_and_listed_rasters() -> None:
    result = plumb.sample([f"evi={EVI}", plumb.Raster(DEM), "rasters/dem/S35E0*.tif"], 18.6, -34.1,
                          crs=4326)  # fmt: skip
    assert result.columns[:2] == ["evi", "dem"]
    assert result["dem"].tolist() == [29]


def test_raster_says_what_info_says(command: Command) -> None:
    for path in (EVI, DEM, COVER, NDVI):
        assert plumb.Raster(path).info == command.json("info", path, "--of", "json")
    raster = plumb.Raster(EVI)
    assert (raster.width, raster.height, raster.driver) == (600, 600, "GTiff")
    assert raster.bands[0].scale == 0.0001 and raster.bands[0].unit == "EVI"
    assert "nodata -3000" in raster._repr_html_()


def test_threads_agree() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with plumb.Stack(STACK, cache=1 << 20) as stack:
        jobs = [around(2000, seed) for seed in range(16)]
        alone = [stack.sample(x, y, crs=4326) for x, y in jobs]
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda job: stack.sample(*job, crs=4326), jobs))
    for one, other in zip(alone, together):
        for name in STACK:
            codes = one.status(name, codes=True)
            assert np.array_equal(codes, other.status(name, codes=True))
            ok = codes == 0
            assert np.array_equal(one.values(name)[ok], other.values(name)[ok])


def test_large_answers_stay_when_others_follow() -> None:
    """Their memory is reused only when it is no longer referenced."""
    x, y = np.linspace(18.1, 18.9, 1_200_000), np.linspace(-34.9, -34.1, 1_200_000)
    held = plumb.sample(DEM, x, y)
    name = held.columns[0]
    values = held[name].data
    before = values.copy()
    del held
    for _ in range(4):
        plumb.sample(DEM, x[::-1].copy(), y[::-1].copy())
    assert np.array_equal(values, before) and len(np.unique(before)) > 10
