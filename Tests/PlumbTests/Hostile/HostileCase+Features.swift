extension HostileCase {
  private static func union(_ source: String, relative: Int = 0, more: String = "") -> String {
    "<OGRVRTDataSource><OGRVRTLayer name='s'><SrcDataSource relativeToVRT='\(relative)'>\(source)"
      + "</SrcDataSource>\(more)</OGRVRTLayer></OGRVRTDataSource>"
  }

  private static func virtual(_ name: String, _ text: String, with: [String: String] = [:]) -> Self
  {
    .file("OGR VRT: " + name, .features, "v.vrt", text, with: with)
  }

  static let virtualFeatures: [HostileCase] = [
    virtual("relative", union("{UP}/s.geojson", relative: 1)),
    virtual("absolute", union("{OUT}/s.geojson")),
    virtual("of the working folder", union("../outside/s.geojson")),
    virtual("an address", union("{URL}/s.geojson")),
    virtual("/vsicurl/", union("/vsicurl/{URL}/s.geojson")),
    virtual("a database", union("PG:host=127.0.0.1 port={PORT}")),
    virtual("a service", union("WFS:{URL}/")),
    virtual("inline", union("{\"type\":\"FeatureCollection\",\"features\":[]}")),
    virtual(
      "SQL",
      union("t.geojson", relative: 1, more: "<SrcSQL>SELECT * FROM '{OUT}/s.geojson'.s</SrcSQL>"),
      with: ["t.geojson": "=t.geojson"]),
    virtual(
      "SQL of SQLite",
      union(
        "t.geojson", relative: 1,
        more:
          "<SrcSQL dialect='SQLITE'>SELECT ogr_datasource_load_layers('{OUT}/s.geojson')</SrcSQL>"),
      with: ["t.geojson": "=t.geojson"]),
    virtual(
      "options of a driver",
      union("t.geojson", relative: 1, more: "<OpenOptions><OOI key='x'>y</OOI></OpenOptions>"),
      with: ["t.geojson": "=t.geojson"]),
    virtual(
      "a reference in a file",
      union("t.geojson", relative: 1, more: "<LayerSRS>{URL}/srs</LayerSRS>"),
      with: ["t.geojson": "=t.geojson"]),
    virtual(
      "united",
      "<OGRVRTDataSource><OGRVRTUnionLayer name='s'>"
        + "<OGRVRTLayer name='s'><SrcDataSource>{OUT}/s.geojson</SrcDataSource></OGRVRTLayer>"
        + "</OGRVRTUnionLayer></OGRVRTDataSource>"),
    virtual(
      "projected",
      "<OGRVRTDataSource><OGRVRTWarpedLayer>"
        + "<OGRVRTLayer name='s'><SrcDataSource>{OUT}/s.geojson</SrcDataSource></OGRVRTLayer>"
        + "<TargetSRS>EPSG:3857</TargetSRS></OGRVRTWarpedLayer></OGRVRTDataSource>"),
    virtual(
      "a chain", union("w.vrt", relative: 1), with: ["w.vrt": union("{UP}/s.geojson", relative: 1)]),
    virtual("a link", union("s.geojson", relative: 1), with: ["s.geojson": "->{UP}/s.geojson"]),
    virtual("itself", union("v.vrt", relative: 1)),
    virtual(
      "an external entity", "<!DOCTYPE o [<!ENTITY x SYSTEM '{OUT}/secret.txt'>]>" + union("&x;")),
    virtual("a bomb", bomb(union("&e9;"))),
    .file("an OGR VRT by another name", .features, "v.geojson", union("{OUT}/s.geojson")),
    .file(
      "a raster VRT for features", .features, "r.vrt",
      "<VRTDataset rasterXSize='1' rasterYSize='1'><VRTRasterBand dataType='Byte' band='1'/></VRTDataset>"
    ),
  ]

  private static func geoJSON(crs: String) -> String {
    "{\"type\":\"FeatureCollection\",\"crs\":\(crs),\"features\":[{\"type\":\"Feature\",\"properties\":{\"n\":1},"
      + "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}}]}"
  }

  private static let gpx =
    "<gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1'><wpt lat='1' lon='1'><name>&x;</name>"
    + "</wpt></gpx>"
  private static let kml = "<kml xmlns='http://www.opengis.net/kml/2.2'><Document><name>d</name>"
  private static let square =
    "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 2,0 2,2 0,2 0,0</coordinates>"
    + "</LinearRing></outerBoundaryIs></Polygon>"

  private static func text(
    _ name: String, _ file: String, _ text: String, with: [String: String] = [:],
    _ outcome: Outcome = .harmless
  ) -> Self {
    .file("features: " + name, .features, file, text, with: with, outcome)
  }

  private static func external(_ scheme: String) -> String {
    "<?xml version='1.0'?><!DOCTYPE g [<!ENTITY x SYSTEM '\(scheme)'>]>"
  }

  /// Features whose files refer to other files, or whose format differs from the name.
  static let features: [HostileCase] = [
    text(
      "a reference by link", "t.geojson",
      geoJSON(
        crs: #"{"type":"link","properties":{"href":"{URL}/crs","type":"proj4"}}"#)),
    text(
      "a reference by url", "t.geojson",
      geoJSON(crs: #"{"type":"url","properties":{"url":"{URL}/crs"}}"#)),
    text(
      "a reference by a link to a file", "t.geojson",
      geoJSON(
        crs: #"{"type":"link","properties":{"href":"file://{OUT}/secret.txt","type":"esriwkt"}}"#)),
    text(
      "a reference by an address for a name", "t.geojson",
      geoJSON(
        crs: #"{"type":"name","properties":{"name":"{URL}/crs"}}"#)),
    text(
      "a reference by a file for a name", "t.geojson",
      geoJSON(
        crs: #"{"type":"name","properties":{"name":"+init={OUT}/secret:1"}}"#)),
    text(
      "grids of a reference on a network", "t.geojson",
      geoJSON(
        crs:
          #"{"type":"name","properties":{"name":"+proj=longlat +nadgrids={URL}/g.tif +type=crs"}}"#)
    ),
    text(
      "a reference by OGC link", "t.json",
      #"{"type":"FeatureCollection","coordRefSys":"{URL}/crs","features":[]}"#),
    text(
      "EsriJSON with a reference in a file", "t.json",
      #"{"geometryType":"esriGeometryPoint","spatialReference":{"wkt":"+init={OUT}/secret:1"},"fields":[],"#
        + #""features":[{"attributes":{},"geometry":{"x":1,"y":1}}]}"#),
    text(
      "links and more pages", "t.geojson",
      #"{"type":"FeatureCollection","links":[{"rel":"next","href":"{URL}/2"}],"exceededTransferLimit":true,"features":[]}"#
    ),
    text(
      "a topology with links", "t.json",
      #"{"type":"Topology","url":"{URL}","transform":{"scale":[1,1],"translate":[0,0]},"objects":{"a":{"type":"GeometryCollection","geometries":[]}},"arcs":[]}"#
    ),
    text("GPX with an external entity", "t.gpx", external("{OUT}/secret.txt") + gpx),
    text("GPX with an entity of an address", "t.gpx", external("{URL}/e") + gpx),
    text("GPX with a definition outside", "t.gpx", "<!DOCTYPE gpx SYSTEM '{URL}/d.dtd'>" + gpx),
    text("a GPX bomb", "t.gpx", bomb(gpx.replacing("&x;", with: "&e9;"))),
    text(
      "KML with an external entity", "t.kml",
      external("{OUT}/secret.txt") + kml
        + "<Placemark><name>&x;</name>\(square)</Placemark></Document></kml>"),
    text(
      "a KML bomb", "t.kml",
      bomb(kml + "<Placemark><name>&e9;</name>\(square)</Placemark></Document></kml>")),
    text(
      "a KML network link", "t.kml",
      kml + "<NetworkLink><Link><href>{URL}/o.kml</href></Link></NetworkLink>"
        + "<Placemark><name>a</name>\(square)</Placemark></Document></kml>"),
    text(
      "a KML link to a file", "t.kml",
      kml + "<NetworkLink><Link><href>{UP}/s.kml</href></Link></NetworkLink>"
        + "<Placemark><name>a</name>\(square)</Placemark></Document></kml>"),
    text(
      "KML styles elsewhere", "t.kml",
      kml + "<Style id='a'><IconStyle><Icon><href>{URL}/i.png</href></Icon></IconStyle></Style>"
        + "<Placemark><name>a</name><styleUrl>{URL}/s.kml#a</styleUrl>\(square)</Placemark></Document></kml>"
    ),
    text(
      "a KML schema elsewhere", "t.kml",
      kml + "<Placemark><ExtendedData><SchemaData schemaUrl='{URL}/s#a'/></ExtendedData>"
        + "\(square)</Placemark></Document></kml>"),
    text(
      "a KML model", "t.kml",
      kml
        + "<Placemark><Model><Link><href>{OUT}/secret.txt</href></Link></Model></Placemark></Document></kml>"
    ),
    text(
      "GeoRSS with links", "t.xml",
      external("{OUT}/secret.txt")
        + "<rss version='2.0' xmlns:georss='http://www.georss.org/georss'>"
        + "<channel><link>{URL}</link><item><title>&x;</title><link>{URL}/i</link><georss:point>1 1</georss:point></item></channel></rss>"
    ),
    text(
      "GML with an external entity", "t.gml",
      external("{OUT}/secret.txt")
        + "<gml:FeatureCollection xmlns:gml='http://www.opengis.net/gml'><gml:name>&x;</gml:name></gml:FeatureCollection>",
      .refused),
    text(
      "GML with a schema elsewhere", "t.gml",
      "<gml:FeatureCollection xmlns:gml='http://www.opengis.net/gml' "
        + "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='x {URL}/s.xsd'/>",
      .refused),
    text(
      "GML with links to others", "t.gml",
      "<gml:FeatureCollection xmlns:gml='http://www.opengis.net/gml' "
        + "xmlns:xlink='http://www.w3.org/1999/xlink'><gml:featureMember xlink:href='{URL}/f'/></gml:FeatureCollection>",
      with: ["t.gfs": "->{UP}/secret.txt", "t.xsd": "->{UP}/secret.txt"], .refused),
    text(
      "GML by another name", "t.json",
      "<gml:FeatureCollection xmlns:gml='http://www.opengis.net/gml'/>", .refused),
    text(
      "a service of features", "t.xml", "<OGRWFSDataSource><URL>{URL}/</URL></OGRWFSDataSource>",
      .refused),
    text(
      "capabilities of a service", "t.xml",
      "<wfs:WFS_Capabilities xmlns:wfs='x'><x href='{URL}/'/></wfs:WFS_Capabilities>", .refused),
    text(
      "OSM with an external entity", "t.osm",
      external("{OUT}/secret.txt")
        + "<osm version='0.6'><node id='1' lat='1' lon='1'><tag k='n' v='&x;'/></node></osm>"),
    text(
      "JML with an external entity", "t.jml",
      external("{OUT}/secret.txt")
        + "<JCSDataFile xmlns:gml='http://www.opengis.net/gml'><JCSGMLInputTemplate><CollectionElement>featureCollection</CollectionElement>"
        + "<FeatureElement>feature</FeatureElement><GeometryElement>geometry</GeometryElement></JCSGMLInputTemplate>&x;</JCSDataFile>"
    ),
    text(
      "CSV with types that are a link", "t.csv", "WKT,n\n\"POINT(1 1)\",1\n",
      with: ["t.csvt": "->{UP}/secret.txt"], .refused),
    text(
      "CSV with a reference that is a link", "t.csv", "WKT,n\n\"POINT(1 1)\",1\n",
      with: ["t.prj": "->{UP}/secret.txt"], .refused),
    text("a CSV of one enormous line", "t.csv", String(repeating: "x", count: 4 << 20)),
    text(
      "DXF with a block elsewhere", "t.dxf",
      "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n0\n1\n{OUT}/s.dxf\n2\nX\n0\nENDBLK\n0\nENDSEC\n0\nEOF\n"),
    text(
      "a reference in another file", "t.gmt",
      "# @VGMT1.0 @GPOINT\n# @Jp\"+init={OUT}/secret:1\"\n# FEATURE_DATA\n1 1\n", .refused),
    text(
      "a folder of features with a link", "", "",
      with: ["t.csv": "WKT,n\n\"POINT(1 1)\",1\n", "s.csv": "->{UP}/s.csv"], .refused),
    text(
      "deep arrays", "t.geojson",
      "{\"type\":\"FeatureCollection\",\"features\":"
        + String(repeating: "[", count: 200_000)),
    text(
      "deep objects", "t.geojson",
      "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":"
        + String(repeating: "{\"a\":", count: 200_000)),
    text(
      "deep geometries", "t.geojson",
      "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":"
        + String(repeating: "{\"type\":\"GeometryCollection\",\"geometries\":[", count: 50_000)),
    text(
      "huge numbers", "t.geojson",
      geoJSON(crs: "null").replacing("[2,0],[2,2]", with: "[1e999,-1e999],[1e308,NaN]")
        .replacing("\"n\":1", with: "\"n\":\(String(repeating: "9", count: 5000))")),
    text(
      "bytes that are not UTF-8", "t.geojson",
      geoJSON(crs: "null").replacing("\"n\":1", with: "\"n\u{0}\u{FFFF}\":\"\u{202E}\u{1B}[2J\"")),
    text("deep XML", "t.kml", String(repeating: "<Folder>", count: 100_000)),
    text(
      "deep XML in GPX", "t.gpx",
      "<gpx version='1.1'>" + String(repeating: "<extensions>", count: 100_000)),
    text(
      "a Shapefile's table that is a link", "t.shp", "", with: ["t.dbf": "->{UP}/o.raw"], .refused),
  ]

  /// Layers that would wait forever if they were opened.
  static let streams: [HostileCase] = [
    .file("a named pipe as features", .features, "p.geojson", "|"),
    .file("a named pipe as a raster", .raster, "p.tif", "|"),
    .file(
      "a named pipe as a sublayer's source", .service, "s.json",
      #"{"layers":[{"id":0,"name":"x","source":"p.geojson"}]}"#, with: ["p.geojson": "|"]),
    .file(
      "a named pipe next to a raster", .raster, "m.tif", "=m.tif", with: ["m.tif.aux.xml": "|"]),
    .file(
      "a named pipe as a VRT's source", .raster, "v.vrt",
      "<VRTDataset rasterXSize='2' rasterYSize='2'><VRTRasterBand dataType='Byte' band='1'><SimpleSource>"
        + "<SourceFilename relativeToVRT='1'>p.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>",
      with: ["p.tif": "|"]),
    .file(
      "a named pipe in a folder of tiles", .raster, "m.tif", "=m.tif", with: ["n.tif": "|"],
      .harmless),
  ]
}
