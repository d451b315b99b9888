"""Raster cell: the cell under a point, and its values."""

from _style import RED, begin, degrees, plt, save

begin()

import geopandas as gpd
import numpy as np
from matplotlib.patches import Polygon

import plumb_gis as plumb

AT = (18.86, -33.93)
NEAR = 0.016

# The cell, with its outline, as identify returns it.
cape = plumb.Map("rasters/cape.json")
cell = cape.identify(*AT, layer="evi")["evi"].elements[0]
outline = np.array(cell.geometry["coordinates"][0])
for name, value in cell.attributes.items():
    print(f"{name}: {value}")
print(f"row {cell.row}, column {cell.column}")

# The cells around it, from a dense grid of points.
x, y = np.meshgrid(
    np.linspace(AT[0] - NEAR, AT[0] + NEAR, 420), np.linspace(AT[1] - NEAR, AT[1] + NEAR, 420)
)
result = plumb.sample(
    "rasters/evi_cape_town.tif", x.ravel(), y.ravel(), crs="EPSG:4326", scaled=True
)
evi = result["evi_cape_town"].reshape(x.shape)

figure, axes = plt.subplots(figsize=(8, 6.4))
picture = axes.pcolormesh(x, y, evi, cmap="YlGn", shading="nearest", rasterized=True)
gpd.read_file("rasters/wards.geojson").boundary.plot(
    ax=axes, color="white", linewidth=0.8, alpha=0.8
)
axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor=RED, linewidth=2.2))
axes.plot(*AT, "o", color=RED, markersize=5, markeredgecolor="white")
text = "\n".join(
    [
        f"Pixel.Type  {cell.attributes['Pixel.Type']}",
        f"Band_0      {cell.attributes['Band_0']}",
        f"Scaled_0    {cell.attributes['Scaled_0']}",
        f"row, column {cell.row}, {cell.column}",
    ]
)
axes.annotate(
    text, outline[:4].mean(axis=0), xytext=(-175, 70), textcoords="offset points",
    family="monospace",
    fontsize=9, bbox={"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": RED},
    arrowprops={"arrowstyle": "-", "color": RED},
)  # fmt: skip
axes.set_xlim(AT[0] - NEAR, AT[0] + NEAR)
axes.set_ylim(AT[1] - NEAR, AT[1] + NEAR)
degrees(axes, AT[1])
axes.grid(False)
figure.colorbar(picture, ax=axes, label="enhanced vegetation index", shrink=0.85)
axes.set_title("The cell under a point")
save(figure, "raster_cell")
