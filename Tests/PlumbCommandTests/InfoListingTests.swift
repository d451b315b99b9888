import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The output of `info` other than a raster's bands.
struct InfoListingTests {
  /// Any large binary file contains lines that look like a receiver's sentences.
  @Test func `binary files are not recordings, and the only layer may be named`() throws {
    let fixture = try Fixture()
    var random = SeededGenerator(seed: 3)
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    for (name, start) in [
      ("a.dwg", "AC1032"), ("a.mdb", "\u{0}\u{1}\u{0}\u{0}Standard"), ("b", ""),
    ] {
      try fixture.write(name, bytes: Array(start.utf8) + Array("$A\n$GPXXX\n".utf8) + noise)
      let run = try plumb(["info", name], folder: fixture.folder.path)
      #expect(run.status != 0 && !run.output.contains("NMEA"), "\(run.output)")
    }
    try fixture.folder.write("p.q.csv", "lon,lat\n1,2\n")
    for layer in ["p.q", "p"] {
      let run = try plumb(
        ["buffer", "p.q.csv", "--layer", layer, "--distance", "1"], folder: fixture.folder.path)
      #expect(run.status == 0, "\(run.errors)")
    }
    try plumb(
      ["buffer", "p.q.csv", "--layer", "x", "--distance", "1"], folder: fixture.folder.path
    ).expectRefusal("p.q")
  }

  /// GDAL's driver STACIT reads such a collection as a raster, and its driver GeoJSON reads it as
  /// features.
  @Test func `an item collection of STAC with a raster is a raster`() throws {
    try fixture.grid("grid.tif")
    try fixture.folder.write(
      "items.json",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","stac_version":"1.0.0","id":"a",
      "stac_extensions":["https://stac-extensions.github.io/projection/v1.0.0/schema.json"],
      "properties":{"datetime":"2020-01-01T00:00:00Z","proj:epsg":4326},"links":[],"collection":"c",
      "geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,3],[0,3],[0,0]]]},
      "assets":{"a":{"href":"\(fixture.path("grid.tif"))","roles":["data"],"proj:epsg":4326,
      "type":"image/tiff; application=geotiff; profile=cloud-optimized",
      "proj:transform":[1,0,0,0,-1,3,0,0,1],"proj:shape":[3,4]}}}]}
      """)
    let run = try plumb(["info", fixture.path("items.json")])
    #expect(run.status == 0 && run.output.contains("driver: VRT"), "\(run)")
  }

  private let fixture = try! Fixture()

  @Test func `a file of features is listed, with the verbs that read it`() throws {
    try fixture.folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":1},"#
        + #""geometry":{"type":"Point","coordinates":[1,2]}}]}"#)
    try fixture.folder.write("p.csv", "x,y,name\n1,2,a\n")
    let run = try plumb(["info", fixture.path("p.geojson")])
    #expect(run.status == 0, "\(run)")
    #expect(run.lines.contains { $0.contains("geometry Point; features 1") }, "\(run)")
    #expect(run.output.contains("identify") && run.output.contains("buffer"))
    let json = try plumb(["info", fixture.path("p.csv"), "--format", "json"])
    let layers = try #require(try json.objects.first?["layers"] as? [[String: Any]])
    #expect(layers.first?["fields"] as? String == "x, y, name", "\(json)")
  }

  @Test func `rational polynomials and further images are listed`() throws {
    try fixture.raster("a.tif", .uint8, width: 2, bands: [[1, 2, 3, 4] as [UInt8]])
    let polynomials = (["LINE_OFF", "SAMP_OFF", "LAT_OFF", "LONG_OFF", "HEIGHT_OFF"])
      .map { "<MDI key=\"\($0)\">1</MDI>" }.joined()
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="2" rasterYSize="2"><Metadata domain="RPC">\(polynomials)</Metadata>
      <Metadata domain="SUBDATASETS"><MDI key="SUBDATASET_1_NAME">GTIFF_DIR:1:a.tif</MDI></Metadata>
      <VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename relativeToVRT="1">a.tif\
      </SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
      """)
    let run = try plumb(["info", fixture.path("v.vrt")])
    #expect(run.lines.contains("mapping: rational polynomials"), "\(run)")
    #expect(run.lines.contains("subdatasets: GTIFF_DIR:1:a.tif"), "\(run)")
    #expect(!run.output.contains("groundControlPoints"))
  }

  /// The text and the JSON of `info` for a file.
  private func info(_ name: String) throws -> (lines: [String], facts: [String: Any]) {
    let text = try plumb(["info", fixture.path(name)])
    #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
    let json = try plumb(["info", fixture.path(name), "--format", "json"])
    return (text.lines, try #require(try json.objects.first))
  }

  private static let point = #"{"type":"Point","coordinates":[1,2]}"#
  private static let line = #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#
  private static let lines = #"{"type":"MultiLineString","coordinates":[[[1,2],[3,4]]]}"#
  private static let area = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#

  @Test(arguments: [
    (
      [point],
      "identify --points, buffer, monitor --fences with --buffer, eval --feature, a layer of a web "
        + "map, points of a network document for trace"
    ),
    (
      // GeoJSON does not give a geometry type for these.
      [line, lines],
      "buffer, monitor --fences with --buffer, eval --feature, a layer of a web map, lines of a "
        + "network document for trace"
    ),
    ([area, "null"], "buffer, monitor --fences, eval --feature, a layer of a web map"),
    (
      [#"{"type":"GeometryCollection","geometries":[\#(area),\#(point)]}"#],
      "identify --points, buffer, monitor --fences, eval --feature, a layer of a web map, points of "
        + "a network document for trace"
    ),
  ])
  func `features are listed with the verbs for their kind`(shapes: [String], use: String) throws {
    let features = shapes.map { #"{"type":"Feature","properties":{"id":1},"geometry":\#($0)}"# }
    try fixture.features("f.geojson", features)
    let (lines, facts) = try info("f.geojson")
    #expect(lines.contains("use: " + use), "\(lines)")
    #expect(facts["use"] as? String == use)
  }

  @Test func `tables are listed with the verbs for their columns`() throws {
    for (text, use) in [
      (
        "id,lon,lat\n1,2,3\n",
        "identify --points, buffer, eval --feature, a layer of a web map, points of a network "
          + "document for trace"
      ),
      (
        "id,Time,x,y\n1,2026-01-01T00:00:00Z,2,3\n",
        "identify --points, buffer, monitor --feed, eval --feature, a layer of a web map, points of "
          + "a network document for trace"
      ),
      ("from,to\n1,2\n", "eval --feature, a table of a network document for trace"),
    ] {
      try fixture.folder.write("t.csv", text)
      #expect(try info("t.csv").lines.contains("use: " + use))
    }
  }

  /// Files whose rows are read as a stream are accepted only by verbs that read streams.
  @Test func `delimited text by its content and packed files are listed`() throws {
    let rows = "id,lon,lat\n1,2,3\n2,3,4\n"
    try fixture.folder.write("p.csv", rows)
    try fixture.folder.write("p.txt", rows)
    try fixture.folder.write("w.csv", "wkt\n\"POINT(1 2)\"\n")
    try fixture.features(
      "f.geojson", [#"{"type":"Feature","properties":{"a":1},"geometry":\#(Self.area)}"#])
    let packed = try shell("gzip -k p.csv f.geojson", folder: fixture.folder.path)
    #expect(packed.status == 0)
    for (name, driver, use, layer) in [
      ("p.txt", "CSV", "identify --points, buffer", "geometry Point; features 2"),
      ("p.csv.gz", "CSV", "identify --points, buffer", "geometry Point; features 2"),
      ("w.csv", "CSV", "identify --points, buffer", "geometry Point; features 1"),
      ("f.geojson.gz", "GeoJSON", "buffer", "geometry Polygon; features 1"),
    ] {
      let (lines, facts) = try info(name)
      #expect(lines.contains("driver: " + driver) && lines.contains("use: " + use), "\(lines)")
      #expect(lines.last?.contains(layer) == true, "\(lines)")
      #expect((facts["layers"] as? [[String: Any]])?.count == 1)
    }
    try fixture.folder.write("n.csv", "18.4,-33.9\n18.5,-33.8\n")
    #expect(try info("n.csv").lines.contains { $0.hasPrefix("use: identify --points, buffer") })
    try plumb(["info", fixture.path("absent.csv")]).expectRefusal("no such file")
    try fixture.folder.write("r.txt", "Nothing that\nhas points.\n")
    try plumb(["info", fixture.path("r.txt")]).expectRefusal("r.txt is not a raster")
  }

  @Test func `Esri feature sets and lines are listed`() throws {
    let set =
      #"{"features":[{"attributes":{"a":1},"geometry":{"x":18.4,"y":-33.9}}],"#
      + #""geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},"#
      + #""fields":[{"name":"a","type":"esriFieldTypeInteger"}]}"#
    try fixture.folder.write("s.json", set)
    let (lines, facts) = try info("s.json")
    #expect(lines.contains("driver: ESRIJSON"), "\(lines)")
    #expect(
      lines.contains(
        "use: identify --points, buffer, monitor --fences with --buffer, eval --feature"),
      "\(lines)")
    #expect(lines.last?.contains("features 1; crs EPSG:4326; fields a") == true, "\(lines)")
    #expect(facts["driver"] as? String == "ESRIJSON")
    let buffer = try plumb(
      ["buffer", fixture.path("s.json"), "--distance", "1", "--of", "csv", "-q"])
    #expect(buffer.status == 0 && buffer.lines.count == 2, "\(buffer)")
    try fixture.folder.write(
      "l.json", #"{"paths":[[[18,-34],[18.1,-34]]],"spatialReference":{"wkid":4326}}"#)
    #expect(
      try info("l.json").lines.dropFirst() == [
        "driver: ESRIJSON", "use: monitor --feed with --simulate", "layers: 1",
        "layer l: geometry Line String; features 1; crs EPSG:4326; fields ",
      ])
    try fixture.folder.write("g.geojson", Self.line)
    #expect(try info("g.geojson").lines.contains { $0.contains("monitor --feed with --simulate") })
    // A single point is not accepted by any verb.
    try fixture.folder.write("p.json", #"{"x":1,"y":2}"#)
    try plumb(["info", fixture.path("p.json")]).expectRefusal("p.json is not a map document")
  }

  @Test func `recordings of receivers are listed with their counts`() throws {
    let sentences = """
      $GPRMC,120000.00,A,3355.000,S,01825.000,E,10.0,90.0,010526,,,A
      $GPGSV,1,1,00
      $GPRMC,120001.00,A,3355.001,S,01825.000,E,10.0,90.0,010526,,,A
      $GPRMC,120002.00,V,,,,,,,010526,,,N

      """
    try fixture.folder.write("a.nmea", sentences)
    try fixture.folder.write("a.log", "noise before\r\n" + sentences)
    // Text before the first sentence is also reported.
    for (name, issues) in [("a.nmea", 1), ("a.log", 2)] {
      let (lines, facts) = try info(name)
      #expect(
        lines.dropFirst() == [
          "type: NMEA 0183 sentences", "use: monitor --feed, eval --location", "crs: EPSG:4326",
          "sentences: 4", "locations: 2", "issues: \(issues)", "start: 2026-05-01T12:00:00Z",
          "end: 2026-05-01T12:00:01Z",
        ], "\(lines)")
      #expect(facts["sentences"] as? Int == 4 && facts["locations"] as? Int == 2)
    }
    try fixture.folder.write(
      "g.json",
      """
      {"class":"VERSION","release":"3.22"}
      {"class":"TPV","device":"/dev/a","time":"2026-05-01T12:00:00.000Z","lat":-33.9,"lon":18.4}

      """)
    let (lines, facts) = try info("g.json")
    #expect(lines.contains("type: reports of gpsd") && lines.contains("reports: 2"), "\(lines)")
    #expect(facts["locations"] as? Int == 1 && facts["sentences"] == nil)
    // A file with only the extension of a recording is not a recording.
    try fixture.folder.write("b.nmea", "no sentence\nat all\n")
    #expect(try plumb(["info", fixture.path("b.nmea")]).status == 1)
  }

  @Test func `geolocation arrays are counted`() throws {
    try fixture.raster("a.tif", .uint8, width: 4, bands: [[UInt8](0..<8)])
    for (name, width, count) in [("x", 4, 8), ("y", 4, 8), ("l", 4, 4), ("m", 2, 2)] {
      let degrees = (0..<count).map { Double($0) }
      try fixture.raster(name + ".tif", .float64, width: width, bands: [degrees])
    }
    for (x, y, count) in [("x", "y", 8), ("l", "m", 8), ("x", "gone", nil)] {
      let entries = [
        ("X_DATASET", fixture.path(x + ".tif")), ("Y_DATASET", fixture.path(y + ".tif")),
        ("X_BAND", "1"), ("Y_BAND", "1"), ("PIXEL_OFFSET", "0"), ("LINE_OFFSET", "0"),
        ("PIXEL_STEP", "1"), ("LINE_STEP", "1"),
      ].map { "<MDI key=\"\($0)\">\($1)</MDI>" }.joined()
      try fixture.folder.write(
        "v.vrt",
        """
        <VRTDataset rasterXSize="4" rasterYSize="2"><Metadata domain="GEOLOCATION">\(entries)\
        </Metadata><VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename \
        relativeToVRT="1">a.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
        """)
      let (lines, facts) = try info("v.vrt")
      let mapping = lines.first { $0.hasPrefix("mapping: ") }
      let gone = "mapping: not georeferenced: its geolocation arrays cannot be opened"
      #expect(mapping == (count == nil ? gone : "mapping: geolocation arrays"), "\(lines)")
      #expect(facts["geolocationPoints"] as? Int == count)
      #expect(lines.contains { $0.hasPrefix("geolocationPoints") } == (count != nil))
    }
  }
}
