"""Identify layers: the elements of each layer of a map at a point, from the top to the bottom."""

from _style import BLUE, INK, RED, WATER, begin, degrees, plt, save

begin()

import geopandas as gpd
from matplotlib.patches import Ellipse

import plumb_gis as plumb

AT = (18.86, -33.93)
cape = plumb.Map("rasters/cape.json")
held = cape.identify(*AT, tolerance="2km", max_results="all")

counts = [(layer.name, layer.element_count) for layer in held]
for name, count in counts:
    print(f"{name}: {count}")

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10.5, 5.4), gridspec_kw={"width_ratios": [1.5, 1], "wspace": 0.28}
)
gpd.read_file("rasters/wards.geojson").plot(
    ax=left, color="#f7f4ec", edgecolor="#cbbf9f", linewidth=0.7
)
gpd.read_file("rasters/rivers.geojson").plot(ax=left, color=WATER, linewidth=1.4)
gpd.read_file("rasters/dams.geojson").plot(ax=left, color=WATER)
for layer in held.walk():
    features = [one for one in layer.elements if one.type == "feature"]
    if features:
        frame = gpd.GeoDataFrame.from_features(features, crs=4326)
        areas = frame.geom_type.str.contains("Polygon")
        if areas.any():
            frame[areas].boundary.plot(ax=left, color=RED, linewidth=1.2, alpha=0.8)
        if not areas.all():
            frame[~areas].plot(ax=left, color=RED, markersize=34, linewidth=2, zorder=4)
places = gpd.read_file("rasters/places.geojson").cx[
    AT[0] - 0.1 : AT[0] + 0.1, AT[1] - 0.08 : AT[1] + 0.08
]
places.plot(ax=left, color=INK, markersize=8, zorder=5)
for place in places.itertuples():
    left.annotate(place.NAME, (place.geometry.x, place.geometry.y), xytext=(4, 4),
                  textcoords="offset points", fontsize=8)  # fmt: skip
left.add_patch(
    Ellipse(AT, 4 / 92.4, 4 / 111.2, fill=False, color=BLUE, linewidth=1.6, linestyle="--")
)
left.plot(*AT, "+", color=BLUE, markersize=12, markeredgewidth=2)
left.set_xlim(AT[0] - 0.09, AT[0] + 0.09)
left.set_ylim(AT[1] - 0.075, AT[1] + 0.075)
degrees(left, AT[1])
left.set_title("Within 2 km of a point")

names = [name for name, _ in counts][::-1]
values = [count for _, count in counts][::-1]
bars = right.barh(names, values, color=[BLUE] * len(names), height=0.62)
right.bar_label(bars, padding=4, color=INK)
right.set_xlim(0, max(values) * 1.15)
right.xaxis.get_major_locator().set_params(integer=True)
right.set_xlabel("elements, including sublayers")
right.grid(axis="y", visible=False)
for side in ("top", "right"):
    right.spines[side].set_visible(False)
right.set_title("Elements of each layer, top to bottom")
save(figure, "identify_layers")
