"""Draws the sample map with python3-mapnik, with the symbols of cape.json.

Run by Debian's Python. Mapnik does not shade elevations: it only colours them. There is neither a
legend nor a scale bar.

Arguments: the folder of the sample, the path of the picture, the four numbers
of the extent in EPSG:3857.
"""

import sys

import mapnik

folder, target, *extent = sys.argv[1:]

LINE = '<LineSymbolizer stroke="{}" stroke-width="{}"/>'
DOT = ('<MarkersSymbolizer marker-type="ellipse" width="{0}" height="{0}" '
       'fill="{1}" stroke="black" stroke-width="0.7" allow-overlap="true" '
       'ignore-placement="true"/>')
ELEVATIONS = ((0, "#3c7d44"), (400, "#c8c080"), (1000, "#8c5a30"),
              (2000, "#ffffff"))
EVI = ((-2000, "#8c510a"), (2000, "#f6e8c3"), (8000, "#01665e"))


def raster(name, file, opacity=1.0, stops=None, reference="epsg:4326"):
    band = '<Parameter name="band">1</Parameter>' if stops else ""
    colours = "".join(f'<stop value="{value}" color="{colour}"/>'
                      for value, colour in stops or ())
    if stops:
        colours = ('<RasterColorizer default-mode="linear">'
                   f"{colours}</RasterColorizer>")
    rule = (f'<RasterSymbolizer opacity="{opacity}">{colours}'
            "</RasterSymbolizer>")
    return layer(name, [("", rule)], f"""
      <Parameter name="type">gdal</Parameter>{band}
      <Parameter name="file">{folder}/{file}</Parameter>""",
                 reference=reference)


def features(name, rules, opacity=1.0):
    return layer(name, rules, f"""
      <Parameter name="type">geojson</Parameter>
      <Parameter name="file">{folder}/{name}.geojson</Parameter>""", opacity)


def layer(name, rules, source, opacity=1.0, reference="epsg:4326"):
    drawn = "".join(
        f"<Rule>{f'<Filter>{test}</Filter>' if test else ''}{symbols}</Rule>"
        for test, symbols in rules)
    whole = f' opacity="{opacity}"' if opacity < 1 else ""
    return f"""
    <Style name="{name}" filter-mode="first"{whole}>{drawn}</Style>
    <Layer name="{name}" srs="{reference}"><StyleName>{name}</StyleName>
     <Datasource>{source}</Datasource></Layer>"""


SINUSOIDAL = "+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m"
UTM = "epsg:32734"
RIVER = "#2166ac"
LAYERS = [
    *(raster(f"dem{tile}", f"dem/{tile}.tif", 1, ELEVATIONS)
      for tile in ("S34E018", "S34E019", "S35E018", "S35E019")),
    raster("evi", "evi_cape_town.tif", 0.7, EVI, SINUSOIDAL),
    raster("land_cover", "land_cover_cape_town.tif", 0.7,
           reference=UTM),
    raster("cover", "land_cover_cape_town.tif", reference=UTM),
    features("dams", [("[KIND] = 'dam'", '<PolygonSymbolizer fill="#5d9bd0"/>'
                       + LINE.format("#2166ac", 1))]),
    features("wards", [("", '<PolygonSymbolizer fill="#dccde6" '
                        'fill-opacity="0.47"/>'
                        + LINE.format("#7a4b8c", 0.9))], 0.5),
    features("rivers", [
        ("[ORDER] &lt;= 1", LINE.format(RIVER, 1.3)),
        ("[ORDER] &lt;= 2", LINE.format(RIVER, 2)),
        ("[ORDER] &lt;= 3", LINE.format(RIVER, 3.3)),
        ("", LINE.format(RIVER, 4.7))]),
    features("places", [
        ("[KIND] = 'city'", DOT.format(16, "#222222")),
        ("[KIND] = 'town'", DOT.format(12, "white")),
        ("[KIND] = 'suburb'", DOT.format(8, "white")),
        ("", DOT.format(7, "white"))]),
]

drawing = mapnik.Map(1200, 800)
mapnik.load_map_from_string(
    drawing, '<Map srs="epsg:3857" background-color="white">'
    + "".join(LAYERS) + "</Map>")
drawing.zoom_to_box(mapnik.Box2d(*map(float, extent)))
mapnik.render_to_file(drawing, target, "png")
