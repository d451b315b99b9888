"""Geotriggers: who comes within ten metres of a sight, and in which section they are."""

from _style import BLUE, GOLD, GREEN, RED, begin, degrees, plt, save

begin()

import geopandas as gpd
import pandas as pd
from matplotlib.dates import DateFormatter

import plumb_gis as plumb

walk = pd.read_csv("rasters/walk.csv")
sections = gpd.read_file("rasters/garden_sections.geojson")
sights = gpd.read_file("rasters/garden_sights.geojson")

near = plumb.events(walk, sights, buffer=10, name="sights")
inside = plumb.events(walk, sections, name="sections")
print(near["type"].value_counts().to_dict(), inside["type"].value_counts().to_dict())

# For live data, it is an iterator.
locations = walk.to_dict("records")
first = next(plumb.monitor(locations, sights, buffer=10))
print(first.time.time(), first.entity, first.type, first.fence)

figure, (garden, hours) = plt.subplots(
    1, 2, figsize=(11.5, 5.6), gridspec_kw={"width_ratios": [1.15, 1], "wspace": 0.42}
)
sections.plot(ax=garden, color="#eaf3e6", edgecolor=GREEN, linewidth=1)
for section in sections.itertuples():
    at = section.geometry.representative_point()
    garden.annotate(section.name, (at.x, at.y), ha="center", fontsize=7.5, color="#3f6b43")
plumb.buffer(sights, 10, geodesic=True).plot(ax=garden, color=GOLD, alpha=0.45, edgecolor=GOLD)
colours = dict(zip(walk["id"].unique(), (BLUE, RED)))
for who, steps in walk.groupby("id"):
    garden.plot(steps["x"], steps["y"], color=colours[who], linewidth=1.3, label=who, alpha=0.9)
came = near[near["type"] == "entered"]
garden.scatter(came["x"], came["y"], color=[colours[who] for who in came["entity"]], s=34, zorder=5,
               edgecolor="white", label="_")  # fmt: skip
degrees(garden, -33.99)
garden.legend(loc="center", title="walkers")
garden.set_anchor("N")
garden.ticklabel_format(useOffset=False)
garden.tick_params(axis="x", rotation=30)
garden.set_title("Two walkers, and ten metres around the sights")

order = list(dict.fromkeys(near.sort_values("time")["fence"]))[::-1]
for who, seen in near.groupby("entity"):
    for fence, pair in seen.groupby("fence"):
        since = None
        for event in pair.sort_values("time").itertuples():
            row = order.index(fence) + (0.17 if colours[who] == BLUE else -0.17)
            if event.type == "entered":
                since = event.time
            elif since is not None:
                seconds = (event.time - since).total_seconds()
                hours.barh(row, pd.Timedelta(seconds=max(seconds, 6)), left=since, height=0.3,
                           color=colours[who])  # fmt: skip
                since = None
hours.set_yticks(range(len(order)), order)
hours.xaxis.set_major_formatter(DateFormatter("%H:%M"))
hours.grid(axis="y", visible=False)
hours.set_title("When each was near which sight")
for side in ("top", "right"):
    hours.spines[side].set_visible(False)
save(figure, "geotriggers")
