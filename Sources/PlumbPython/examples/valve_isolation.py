"""Valve isolation: the valves that cut off a customer's meter, and the customers without gas."""

from _style import GREEN, INK, RED, begin, degrees, plt, save

begin()

import geopandas as gpd

import plumb_gis as plumb

gas = plumb.Network("rasters/gas.json")
found = gas.isolate("M0054:Load", filter_category="Isolating", include_isolated=True)
print(found)
for valve in found.valves:
    print(f"  {valve.id}: {valve.why}")
without = sum(one["count"] for one in found.lost if one["assetGroupName"] == "Meter")
print(f"{without} meters are without gas")

pipes = gpd.read_file("rasters/gas_pipes.geojson")
shapes = found.to_geopandas()
lost = shapes[shapes["role"] == "isolated"]
lines = lost[lost.geom_type.str.contains("Line")]
meters = lost[lost["assetGroupName"] == "Meter"].drop_duplicates("globalId")
close = shapes[shapes["role"] == "isolating"]
bound = shapes[shapes["role"] == "boundingOnly"]
start = meters[meters["globalId"] == "M0054"]

figure, axes = plt.subplots(figsize=(8, 7))
pipes.plot(ax=axes, color="#b9c3cb", linewidth=0.9)
lines.plot(ax=axes, color=RED, linewidth=2.2, alpha=0.75, label="without gas")
meters.plot(ax=axes, color="white", edgecolor=RED, markersize=22, zorder=3, label="meters")
start.plot(ax=axes, color=RED, marker="*", markersize=190, zorder=5, edgecolor="white",
           label="M0054, to be cut off")  # fmt: skip
close.plot(ax=axes, color=INK, marker="X", markersize=110, zorder=6, edgecolor="white",
           label="close")  # fmt: skip
if len(bound):
    bound.plot(ax=axes, color=GREEN, marker="D", markersize=42, zorder=5, edgecolor="white",
               label="at the border, leave open")  # fmt: skip
names = close.drop_duplicates("globalId")
for valve in names.itertuples():
    axes.annotate(
        valve.globalId, (valve.geometry.x, valve.geometry.y), xytext=(8, -4),
        textcoords="offset points", fontsize=9, fontweight="bold", zorder=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )  # fmt: skip
west, south, east, north = shapes.total_bounds
axes.set_xlim(west - 0.002, east + 0.002)
axes.set_ylim(south - 0.0015, north + 0.0015)
degrees(axes, -33.99)
axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0)
axes.set_title(
    f"Close {', '.join(valve.id for valve in found.valves)}: {without} meters without gas"
)
save(figure, "valve_isolation")
