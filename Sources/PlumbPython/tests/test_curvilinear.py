"""Points on curvilinear grids belong to the cell with the nearest centre."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Command

netCDF4 = pytest.importorskip("netCDF4")
pyproj = pytest.importorskip("pyproj")


def turned(rows: int, columns: int, west: float, south: float, degrees: float) -> tuple[Any, Any]:
    """A grid of half degrees that is rotated relative to the meridians."""
    j, i = np.mgrid[0:rows, 0:columns] * 0.5
    angle = np.radians(degrees)
    return (west + (i * np.cos(angle) - j * np.sin(angle)) * 1.4,
            south + i * np.sin(angle) + j * np.cos(angle))


def polar(rows: int, columns: int) -> tuple[Any, Any]:
    j, i = np.mgrid[0:rows, 0:columns]
    return pyproj.Transformer.from_crs(3413, 4326, always_xy=True).transform(
        (i - columns / 2 + 0.3) * 1e5, (j - rows / 2 + 0.2) * 1e5)


def ocean(rows: int, columns: int) -> tuple[Any, Any]:
    """A grid around the world whose northern rows are bent, as in ocean models."""
    j, i = np.mgrid[0:rows, 0:columns]
    lon = i * 360 / columns
    return lon, -70 + 150 * j / rows + 5 * np.sin(np.radians(2 * lon)) * (j / rows) ** 2


GRIDS: dict[str, Any] = {
    "turned": lambda: turned(40, 50, 0, 30, 25),
    "periods": lambda: (turned(40, 50, -5, 30, 25)[0] % 360, turned(40, 50, -5, 30, 25)[1]),
    "antimeridian": lambda: (((turned(40, 50, 170, -60, 25)[0] + 180) % 360) - 180,
                             turned(40, 50, 170, -60, 25)[1]),
    "pole": lambda: polar(40, 50),
    "ocean": lambda: ocean(60, 90),
    "small": lambda: turned(2, 3, 10, 40, 70),
    "row": lambda: turned(1, 7, 10, 40, 30),
    "odd": lambda: turned(9, 17, 10, 40, 200),
}


def write(path: Path, lon: Any, lat: Any, values: Any, kind: str = "f8") -> None:
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip("yx", lon.shape):
            file.createDimension(name, size)
        for name, axis, unit in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            variable = file.createVariable(name, kind, ("y", "x"), fill_value=-999.0)
            variable.units = unit
            variable[:] = axis
        variable = file.createVariable("v", "f4", ("y", "x"))
        variable.coordinates = "lat lon"
        variable[:] = values


def vectors(lon: Any, lat: Any) -> Any:
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=-1)


def nearest(lon: Any, lat: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """The index of the nearest centre, and the distance in spacings of the centres."""
    centres = vectors(lon, lat)
    rows, columns = lon.shape
    found, distances = [], []
    for point in vectors(np.asarray(x), np.asarray(y)):
        square = ((centres - point) ** 2).sum(-1)
        index = int(np.nanargmin(square))
        row, column = divmod(index, columns)
        spacing = 0.0
        for step in ((0, 1), (1, 0)):
            near = [np.linalg.norm(centres[row + s * step[0], column + s * step[1]]
                                   - centres[row, column])
                    for s in (-1, 1)
                    if 0 <= row + s * step[0] < rows and 0 <= column + s * step[1] < columns]
            near = [length for length in near if length > 0]
            if near:
                spacing = max(spacing, min(near))
        found.append(index)
        distances.append(np.sqrt(square.ravel()[index]) / spacing if spacing else np.inf)
    return np.array(found), np.array(distances)


def answers(command: Command, path: Path, folder: Path, x: Any, y: Any, *more: str) -> pd.DataFrame:
    table = folder / "p.csv"
    pd.DataFrame({"lon": x, "lat": y}).to_csv(table, index=False)
    return pd.read_csv(io.StringIO(command(
        "identify", f"v={path}#v", "--points", str(table), "--status", *more)))


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("seed", range(3))
def test_nearest_centre(command: Command, tmp_path: Path, name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    lon, lat = GRIDS[name]()
    lon, lat = np.array(lon, float), np.array(lat, float)
    if seed == 2 and lon.size > 50:
        lat[random.uniform(0, 1, lat.shape) < 0.05] = np.nan
        lat[0, 0] = 40
    path = tmp_path / "a.nc"
    write(path, lon, np.where(np.isnan(lat), -999.0, lat), np.arange(lon.size).reshape(lon.shape))
    count = 600
    chosen = random.integers(0, lon.size, count)
    x = lon.ravel()[chosen] + random.normal(0, 0.6, count) + random.choice([0, 0, 360, -360], count)
    y = np.clip(np.nan_to_num(lat.ravel()[chosen], nan=40) + random.normal(0, 0.5, count), -90, 90)
    x[:4], y[:4] = [0, 10, 200, 77], [90, -90, 90, 89.9]
    result = answers(command, path, tmp_path, x, y)
    index, distance = nearest(lon, lat, x, y)
    # Points on the limit may be on either side of it.
    sure = np.abs(distance - 1.5) > 1e-6
    inside = result["v_status"] == "ok"
    assert (inside.to_numpy() == (distance <= 1.5))[sure].all()
    assert set(result["v_status"][~inside]) <= {"outside"}
    both = (inside & sure).to_numpy()
    assert (result["v"].to_numpy()[both] == index[both]).all()
    assert both.any()


def test_centres(command: Command, tmp_path: Path) -> None:
    """Each centre has the value of its cell, with every method of interpolation."""
    lon, lat = GRIDS["turned"]()
    path = tmp_path / "a.nc"
    values = np.arange(lon.size).reshape(lon.shape)
    write(path, lon, lat, values)
    for method in ("nearest", "bilinear"):
        result = answers(command, path, tmp_path, lon.ravel(), lat.ravel(), "-r", method)
        np.testing.assert_allclose(result["v"], values.ravel(), atol=1e-3)


def test_interpolation(command: Command, tmp_path: Path) -> None:
    """A function that is linear in the columns and rows is interpolated exactly between the centres."""
    path = tmp_path / "a.nc"
    lon, lat = turned(20, 20, 10, 5, 0)
    j, i = np.mgrid[0:20, 0:20]
    write(path, lon, lat, 3.0 * i + 2.0 * j)
    random = np.random.default_rng(1)
    column, row = random.uniform(1, 18, 200), random.uniform(1, 18, 200)
    result = answers(command, path, tmp_path, 10 + column * 0.7, 5 + row * 0.5, "-r", "bilinear")
    # The interpolation is on the sphere, which is not quite the plane of longitudes and latitudes.
    np.testing.assert_allclose(result["v"], 3 * column + 2 * row, atol=0.02)


def test_coordinates_without_values(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    lon, lat = turned(5, 5, 10, 5, 0)
    write(path, lon, np.full(lat.shape, -999.0), np.zeros(lon.shape))
    result = answers(command, path, tmp_path, [10.0], [5.0])
    assert result["v_status"].tolist() == ["transform_failed"]


@pytest.mark.parametrize("name", GRIDS)
def test_zarr_equals_netcdf(command: Command, tmp_path: Path, name: str) -> None:
    """The coordinates of an array of a Zarr store are those of the same array in a NetCDF file."""
    xr = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    random = np.random.default_rng(6)
    lon, lat = GRIDS[name]()
    lat = np.array(lat, float)
    if lon.size > 50:
        lat[random.uniform(0, 1, lat.shape) < 0.05] = np.nan
        lat[0, 0] = 40
    path = tmp_path / "a.nc"
    write(path, lon, np.where(np.isnan(lat), -999.0, lat), np.arange(lon.size).reshape(lon.shape))
    days = pd.date_range("2025-01-01", periods=3)
    with xr.open_dataset(path, mask_and_scale=False) as data:
        data.to_zarr(tmp_path / "a.zarr", zarr_format=2)
        series = data["v"].expand_dims(time=days).assign_coords(lat=data["lat"], lon=data["lon"])
        (series * xr.DataArray([1, 2, 3], dims="time").astype("f4")).to_dataset(name="v").to_zarr(
            tmp_path / "t.zarr", zarr_format=2)
    count = 300
    chosen = random.integers(0, lon.size, count)
    x = lon.ravel()[chosen] + random.normal(0, 0.6, count)
    y = np.clip(np.nan_to_num(lat.ravel()[chosen], nan=40) + random.normal(0, 0.5, count), -90, 90)
    for more in ([], ["-r", "bilinear"]):
        wanted = answers(command, path, tmp_path, x, y, *more)
        assert (wanted["v_status"] == "ok").any()
        pd.testing.assert_frame_equal(
            answers(command, tmp_path / "a.zarr", tmp_path, x, y, *more), wanted)
    series_of = answers(command, tmp_path / "t.zarr", tmp_path, x, y, "--series")
    nearest_values = answers(command, path, tmp_path, x, y)["v"].to_numpy()
    for factor, day in enumerate(days, 1):
        np.testing.assert_array_equal(series_of[f"v_{day:%Y-%m-%d}"], factor * nearest_values)
