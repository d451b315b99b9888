"""Buffer list: each point has its own distance, and the areas are merged.

Clinics in and around Cape Town. The distance increases with the number of beds. Distances are
measured along the ellipsoid, so a kilometre has the same length everywhere.
"""

from _style import BLUE, GREEN, INK, PALE, begin, degrees, plt, save

begin()

import geopandas as gpd

import plumb_gis as plumb

clinics = gpd.read_file("rasters/clinics.geojson")
wards = gpd.read_file("rasters/wards.geojson")

reach = clinics["BEDS"] / 8
each = plumb.buffer(clinics, reach, unit="km", geodesic=True)
zone = plumb.buffer(clinics, reach, unit="km", geodesic=True, union=True)

figure, axes = plt.subplots(figsize=(8, 7))
wards.boundary.plot(ax=axes, color=PALE, linewidth=0.7)
zone.plot(ax=axes, color=GREEN, alpha=0.25)
each.boundary.plot(ax=axes, color=GREEN, linewidth=0.6)
zone.boundary.plot(ax=axes, color=GREEN, linewidth=1.8)
clinics.plot(ax=axes, color=BLUE, markersize=clinics["BEDS"] / 2, zorder=3, edgecolor="white")
for clinic in clinics.nlargest(4, "BEDS").itertuples():
    axes.annotate(
        clinic.NAME, (clinic.geometry.x, clinic.geometry.y), xytext=(6, 6),
        textcoords="offset points", color=INK, fontsize=8, zorder=4,
    )  # fmt: skip
degrees(axes, -33.8)
west, south, east, north = zone.total_bounds
axes.set_xlim(west - 0.05, east + 0.05)
axes.set_ylim(south - 0.05, north + 0.05)
square = zone.to_crs(32734).area.sum() / 1e6
axes.set_title(f"Within reach of {len(clinics)} clinics: {square:,.0f} km²")
print(f"{len(clinics)} clinics, {square:.0f} km² within their reach")
save(figure, "buffer_list")
