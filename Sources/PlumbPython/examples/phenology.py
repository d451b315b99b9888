"""Phenology: the start, the peak and the end of the season of 1,000 fields in one year."""

from _style import BLUE, GOLD, GREEN, INK, RED, begin, plt, save

begin()

import tempfile
from datetime import date, timedelta
from pathlib import Path

import geopandas as gpd
import numpy as np
import rasterio
from rasterio.features import rasterize
from shapely import Polygon

import plumb_gis as plumb

YEAR = 2025
DATES = [date(YEAR, 1, 1) + timedelta(days) for days in range(0, 365, 8)]
DAY = np.array([(one - date(YEAR, 1, 1)).days + 1 for one in DATES])
CELL, WIDTH, HEIGHT = 20, 600, 400
TRANSFORM = rasterio.Affine(CELL, 0, 300_000, 0, -CELL, 6_240_000)
# The days of the year on which each crop grows and is harvested, its highest NDVI, and its colour.
CROPS = {
    "rapeseed": (75, 185, 0.80, GOLD), "wheat": (100, 200, 0.85, GREEN),
    "sugar beet": (150, 290, 0.82, RED), "maize": (165, 260, 0.78, BLUE),
}  # fmt: skip
random = np.random.default_rng(12)


def make_fields(across: int, down: int) -> gpd.GeoDataFrame:
    """Returns a grid of fields whose corners are moved at random."""
    x, y = np.meshgrid(np.linspace(0, 1, across + 1), np.linspace(0, 1, down + 1))
    x, y = (x * WIDTH * CELL + 300_000, 6_240_000 - y * HEIGHT * CELL)
    x[:, 1:-1] += random.uniform(-60, 60, x[:, 1:-1].shape)
    y[1:-1, :] += random.uniform(-60, 60, y[1:-1, :].shape)
    corner = np.stack([x, y], axis=-1)
    shapes = [
        Polygon([corner[i, j], corner[i, j + 1], corner[i + 1, j + 1], corner[i + 1, j]])
        for i in range(down) for j in range(across)
    ]  # fmt: skip
    crop = random.choice(list(CROPS), len(shapes), p=[0.2, 0.35, 0.15, 0.3])
    return gpd.GeoDataFrame(
        {"field": np.arange(1, len(shapes) + 1), "crop": crop}, geometry=shapes, crs="EPSG:32734"
    )


def write(path: Path, grid: np.ndarray, scale: float = 1) -> None:
    with rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype=grid.dtype,
        crs="EPSG:32734", transform=TRANSFORM, compress="deflate",
    ) as file:  # fmt: skip
        file.write(grid, 1)
        file.scales = (scale,)


def write_images(folder: Path, fields: gpd.GeoDataFrame) -> np.ndarray:
    """Writes NDVI and a quality layer, whose lowest bit marks clouds, for each date. Returns the
    true start of the season of each field."""
    start, end, peak, _ = zip(*(CROPS[crop] for crop in fields["crop"]))
    start = np.array(start) + random.normal(0, 8, len(fields))
    end = np.array(end) + random.normal(0, 6, len(fields))
    high = np.array(peak) + random.normal(0, 0.03, len(fields))
    owner = rasterize(
        zip(fields.geometry, range(len(fields))), (HEIGHT, WIDTH), transform=TRANSFORM, fill=0
    )
    row, column = np.mgrid[:HEIGHT, :WIDTH]
    for one, day in zip(DATES, DAY):
        rise = 1 / (1 + np.exp(-(day - start) / 7))
        fall = 1 / (1 + np.exp((day - end) / 6))
        ndvi = (0.18 + (high - 0.18) * rise * fall)[owner]
        ndvi = ndvi + random.normal(0, 0.015, ndvi.shape)
        cloud = np.zeros(ndvi.shape, dtype=bool)
        for _ in range(random.poisson(9)):
            r, c = random.uniform(0, HEIGHT), random.uniform(0, WIDTH)
            tall, wide = random.uniform(20, 110, 2)
            cloud |= ((row - r) / tall) ** 2 + ((column - c) / wide) ** 2 < 1
        ndvi[cloud] = random.uniform(-0.05, 0.15, cloud.sum())
        write(folder / f"ndvi_{one:%Y%j}.tif", np.round(ndvi * 10_000).astype("int16"), 1e-4)
        write(folder / f"qa_{one:%Y%j}.tif", cloud.astype("uint8"))
    return start


def season(values: np.ndarray) -> tuple[float, float, float]:
    """The days on which a series rises through half of its amplitude, is highest, and falls through
    half of it. Between valid dates it is linear."""
    known = np.isfinite(values)
    days = np.arange(DAY[0], DAY[-1] + 1)
    curve = np.interp(days, DAY[known], values[known])
    curve = np.convolve(np.pad(curve, 8, mode="edge"), np.full(17, 1 / 17), mode="valid")
    top = int(curve.argmax())
    half = (curve.max() + np.quantile(curve, 0.1)) / 2
    below = curve < half
    rise = np.flatnonzero(below[:top])[-1] + 1 if below[:top].any() else 0
    fall = top + below[top:].argmax() if below[top:].any() else len(days) - 1
    return days[rise], days[top], days[fall]


fields = make_fields(40, 25)
with tempfile.TemporaryDirectory() as folder:
    truth = write_images(Path(folder), fields)
    stacks = {"ndvi": f"{folder}/ndvi_*.tif", "qa": f"{folder}/qa_*.tif"}
    centres = fields.set_geometry(fields.representative_point())
    # All dates at the centre of each field, except those with a cloud in the quality layer.
    table = plumb.series(
        stacks, centres, dates="*_%Y%j", valid="(qa & 1) = 0", scaled=True, long=True
    )
    # All dates of one field, including those with clouds.
    shown = 500
    unmasked = plumb.series(
        stacks["ndvi"], centres.iloc[[shown]], dates="*_%Y%j", scaled=True, long=True
    )
ndvi = table[table["stack"] == "ndvi"].pivot(index="field", columns="date", values="value")
ndvi = ndvi.to_numpy(dtype=float)
fields[["start", "peak", "end"]] = np.array([season(values) for values in ndvi])
clouds = np.isnan(ndvi).mean()
print(f"{len(ndvi)} fields, {len(DATES)} dates, {clouds:.0%} of the values under clouds")
seasons = fields.groupby("crop")[["start", "peak", "end"]].median().astype(int)
seasons.insert(0, "fields", fields.groupby("crop").size())
print(seasons.loc[list(CROPS)].to_string())
print(f"median error of the start: {np.median(np.abs(fields['start'] - truth)):.1f} days")

figure = plt.figure(figsize=(12, 7.6))
grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1], hspace=0.32, wspace=0.12)

# One line for each field, by crop and by the start of the season.
axes = figure.add_subplot(grid[:, 0])
rank = {crop: number for number, crop in enumerate(CROPS)}
order = np.lexsort([fields["start"], fields["crop"].map(rank)])
axes.set_facecolor("#c3cbd2")
edges = np.append(DAY - 4, DAY[-1] + 4)
picture = axes.pcolormesh(
    edges, np.arange(len(fields) + 1), ndvi[order], cmap="YlGn", vmin=0.1, vmax=0.85,
    rasterized=True,
)  # fmt: skip
line = np.arange(len(fields)) + 0.5
axes.plot(fields["start"].iloc[order], line, ".", color=INK, markersize=1.6)
axes.plot(fields["end"].iloc[order], line, ".", color=RED, markersize=1.6)
borders = np.cumsum([0, *(np.sum(fields["crop"] == crop) for crop in CROPS)])
axes.hlines(borders[1:-1], *edges[[0, -1]], color="white", linewidth=1.5)
axes.set_yticks((borders[1:] + borders[:-1]) / 2, list(CROPS), rotation=90, va="center")
axes.tick_params(axis="y", length=0)
axes.set_ylim(len(fields), 0)
axes.grid(False)
axes.set_xlabel("day of the year")
axes.set_title(f"NDVI of {len(fields):,} fields in {YEAR}; grey: cloud")
axes.plot([], [], "o", color=INK, markersize=4, label="start of the season")
axes.plot([], [], "o", color=RED, markersize=4, label="end")
axes.legend(loc="lower right", bbox_to_anchor=(1, -0.13), ncols=2, borderaxespad=0)
figure.colorbar(picture, ax=axes, shrink=0.5, pad=0.03, aspect=30, label="NDVI")

axes = figure.add_subplot(grid[0, 1])
for crop, (*_, colour) in CROPS.items():
    low, middle, high = np.nanquantile(ndvi[fields["crop"] == crop], [0.1, 0.5, 0.9], axis=0)
    axes.fill_between(DAY, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(DAY, middle, color=colour, linewidth=1.8, label=crop)
axes.set_ylim(0, 1)
axes.legend(loc="upper left", fontsize=8)
axes.set_ylabel("NDVI")
axes.set_title("Medians of the crops, and the middle 80 %")

axes = figure.add_subplot(grid[1, 1])
every = unmasked["value"].to_numpy(dtype=float)
valid = np.isfinite(ndvi[shown])
one = fields.iloc[shown]
colour = CROPS[one["crop"]][3]
axes.plot(DAY[valid], ndvi[shown][valid], "o-", color=colour, markersize=4, linewidth=1.4,
          label="valid")  # fmt: skip
axes.plot(DAY[~valid], every[~valid], "o", color=colour, fillstyle="none", markersize=4,
          label="cloud")  # fmt: skip
for day, word in ((one["start"], "start"), (one["peak"], "peak"), (one["end"], "end")):
    axes.axvline(day, color=INK, linewidth=0.9, linestyle="--")
    side, shift = ("right", -3) if word == "start" else ("left", 3)
    axes.annotate(f"{word} {day:.0f}", (day, 0.98), xytext=(shift, 0), ha=side, va="top",
                  textcoords="offset points", fontsize=8)  # fmt: skip
axes.set_ylim(-0.1, 1)
axes.legend(loc="center left", fontsize=8)
axes.set_xlabel("day of the year")
axes.set_ylabel("NDVI")
axes.set_title(f"Field {one['field']}, {one['crop']}")
save(figure, "phenology")
