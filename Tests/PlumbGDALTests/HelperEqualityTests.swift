import CGDAL
import Foundation
import PlumbCore
import PlumbRaster
import Testing

@testable import PlumbGDAL

/// Rule: a helper process reads the same data as this process: fields and their declarations,
/// values and their types, nulls, dates, order, numbers, CRSs, shapes with heights.
@Suite struct HelperEqualityTests {
  private static let point =
    "<gml:Point srsName=\"EPSG:4326\"><gml:pos>-33.9 18.4</gml:pos></gml:Point>"

  /// A file of each format: its name and its text.
  static let texts: [(name: String, text: String)] = [
    (
      "a.kml",
      """
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark id="p"><name>A &amp; é</name>
      <TimeStamp><when>2026-05-01T10:00:00Z</when></TimeStamp>
      <Point><coordinates>18.4,-33.9,12</coordinates></Point></Placemark>
      <Placemark><name/><MultiGeometry><Point><coordinates>1,2</coordinates></Point>
      <LineString><coordinates>1,2 3,4</coordinates></LineString></MultiGeometry></Placemark>
      <Placemark><name>none</name></Placemark></Document></kml>
      """
    ),
    (
      "a.gml",
      """
      <f:FeatureCollection xmlns:f="http://f" xmlns:gml="http://www.opengis.net/gml/3.2">
      <f:member><f:road gml:id="r1"><f:lanes>2</f:lanes><f:width>2.5</f:width><f:name>One</f:name>
      <f:shape>\(point)</f:shape></f:road></f:member>
      <f:member><f:road gml:id="r2"><f:lanes>3</f:lanes><f:shape><gml:Polygon srsName="EPSG:4326">
      <gml:exterior><gml:LinearRing><gml:posList>0 0 0 1 1 1 0 0</gml:posList></gml:LinearRing>
      </gml:exterior></gml:Polygon></f:shape></f:road></f:member></f:FeatureCollection>
      """
    ),
    (
      "a.gpx",
      """
      <gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">
      <wpt lat="-33.9" lon="18.4"><ele>12.5</ele><time>2026-05-01T10:00:00Z</time><name>A</name></wpt>
      <wpt lat="-34" lon="18.5"><name>B</name></wpt></gpx>
      """
    ),
    (
      "a.dxf",
      """
      0\nSECTION\n2\nENTITIES\n0\nLINE\n8\nroads\n10\n1\n20\n2\n30\n3\n11\n4\n21\n5\n31\n6
      0\nPOINT\n8\nwells\n10\n7\n20\n8\n30\n9\n0\nENDSEC\n0\nEOF\n
      """
    ),
    (
      "a.mif",
      """
      Version 300
      Charset "WindowsLatin1"
      Delimiter ","
      CoordSys Earth Projection 1, 104
      Columns 4
        id Integer
        name Char(10)
        made Date
        size Decimal(8,2)
      Data

      Point 18.4 -33.9
      Line 1 2 3 4
      """
    ),
    ("a.mid", "1,\"One\",20260501,2.50\n2,\"\",,\n"),
    (
      "a.topojson",
      """
      {"type":"Topology","arcs":[[[0,0],[1,0],[1,1],[0,0]]],"objects":{"a":{"type":"GeometryCollection",
      "geometries":[{"type":"Polygon","arcs":[[0]],"properties":{"n":1,"t":"x","f":1.5,"z":null}}]}}}
      """
    ),
    (
      "a.gmt",
      "# @VGMT1.0 @GPOINT\n# @Jp\"+proj=longlat +datum=WGS84 +no_defs\"\n# @Nname|n\n# @Tstring|integer\n"
        + "# FEATURE_DATA\n>\n# @DOne|1\n18.4 -33.9\n>\n# @DTwo|2\n18.5 -34\n"
    ),
    (
      "a.xml",
      """
      <rss version="2.0" xmlns:georss="http://www.georss.org/georss"><channel><title>t</title><link>l</link>
      <description>d</description><item><title>A</title><georss:point>-33.9 18.4</georss:point></item>
      <item><title>B</title></item></channel></rss>
      """
    ),
    (
      "a.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{"b":true,"i":1,
      "r":1.5,"d":"2026-05-01","t":"2026-05-01T10:00:00+02:00","l":[1,2],"s":["a","b"],"o":{"x":1},"n":null,
      "big":9007199254740993},"geometry":{"type":"Point","coordinates":[18.4,-33.9,5]}},
      {"type":"Feature","properties":{},"geometry":null}]}
      """
    ),
    ("a.csv", "WKT,name\n\"POLYGON ((0 0,9 0,9 9,0 9,0 0),(1 1,1 2,2 2,2 1,1 1))\",One\n,Two\n"),
    (
      "a.osm",
      "<osm version=\"0.6\"><node id=\"5\" lat=\"-33.9\" lon=\"18.4\"><tag k=\"name\" v=\"A\"/></node>"
        + "</osm>"
    ),
  ]

  /// All layers of a file, read both ways.
  private func compare(_ path: String) throws {
    let access = GDALAccess.named(path)
    for layer in try SourceInspection.layerNames(of: path, access: access) {
      for window in [nil, Envelope(xMin: 0, yMin: -90, xMax: 90, yMax: 0)] {
        let local = LocalLayerCursor(
          try VectorLayer(path: path, layer: layer, keepsText: true, access: access))
        let other = try HelperLayerCursor(
          path: path, layer: layer, keepsText: true, access: access)
        #expect(local.facts == other.facts, "\(path) \(layer)")
        local.restart(in: window)
        other.restart(in: window)
        let reading = FeatureReading(limit: 2, skipsBadShapes: true)
        while true {
          let (first, second) = (try local.next(reading, nil), try other.next(reading, nil))
          #expect(first == second, "\(path) \(layer)")
          if first == nil || second == nil { break }
        }
        local.restart(in: nil)
        other.restart(in: nil)
        let (first, second) = (try local.nextPoints(reading), try other.nextPoints(reading))
        #expect(first.map(Self.text) == second.map(Self.text), "\(path) \(layer)")
      }
    }
  }

  private static func text(_ batch: VectorBatch) -> String {
    "\(batch.x) \(batch.y) \(batch.isBad) \(batch.faults) "
      + "\((0..<batch.count).map { Array(batch.values(at: $0)) })"
  }

  @Test func `features of a dozen formats`() throws {
    let scratch = try VectorScratch()
    for (name, text) in Self.texts { _ = try scratch.write(text, name) }
    let names = try scratch.names()
    for (name, _) in Self.texts where name != "a.mid" {
      let path = scratch.path(name)
      let listing = try #require(try VectorListing.of(path: path), "\(name)")
      #expect(!listing.layers.isEmpty, "\(name)")
      #expect(listing == VectorListing(opening: path, .named(path)), "\(name)")
      try compare(path)
      #expect(try SourceInspection.isVectorOnly(path, access: .named(path)), "\(name)")
      #expect(try scratch.names() == names, "\(name): a file was written next to it")
    }
  }

  @Test(arguments: ["ESRI Shapefile", "GPKG", "FlatGeobuf", "SQLite", "MapInfo File", "GML", "KML"])
  func `features written with types`(driver: String) throws {
    let scratch = try VectorScratch()
    let format = try #require(VectorDriver.named(driver))
    let path = scratch.path("t." + (format.extensions.first ?? "x"))
    let writer = try VectorRowWriter(
      path: path, driver: format, layer: "t",
      fields: [
        VectorField(name: "i", kind: .integer32), VectorField(name: "l", kind: .integer64),
        VectorField(name: "r", kind: .real), VectorField(name: "s", kind: .text),
        VectorField(name: "w", kind: .dateTime),
      ], reference: "EPSG:4326")
    try writer.append(
      point: (18.4, -33.9),
      values: [
        FieldValue.integer(1), .integer(1 << 40), .real(0.1), .text("é"),
        .text("2026-05-01T10:00:00Z"),
      ])
    try writer.append(point: (1, 2), values: [FieldValue](repeating: .null, count: 5))
    try writer.finish()
    try compare(path)
  }

  @Test(arguments: [
    ("PNG", "a.png", PixelType.uint8), ("AAIGrid", "a.asc", .int32), ("HFA", "a.img", .int16),
    ("netCDF", "a.nc", .float32), ("ENVI", "a.dat", .float64), ("GTiff", "a.tif", .uint16),
    ("GPKG", "a.gpkg", .uint8), ("VRT", "a.vrt", .uint8),
  ])
  func `cells of rasters`(driver: String, name: String, type: PixelType) throws {
    let scratch = try VectorScratch()
    let path = scratch.path(name)
    if driver == "VRT" || driver == "PNG" || driver == "AAIGrid" {
      _ = try scratch.write("1\n0\n0\n-1\n18\n-33\n", "a.wld")
      _ = try scratch.write("1\n0\n0\n-1\n18\n-33\n", "a.pgw")
    }
    if driver == "AAIGrid" {
      _ = try scratch.write(
        "ncols 3\nnrows 2\nxllcorner 18\nyllcorner -34\ncellsize 1\nNODATA_value -9\n1 2 -9\n4 5 6\n",
        name)
    } else if driver == "VRT" {
      _ = try scratch.write(
        """
        <VRTDataset rasterXSize="2" rasterYSize="2"><SRS>EPSG:4326</SRS>
        <GeoTransform>18,1,0,-33,0,-1</GeoTransform><VRTRasterBand dataType="Byte" band="1">
        <NoDataValue>3</NoDataValue><Scale>0.5</Scale><Offset>1</Offset><UnitType>m</UnitType>
        <Description>heights</Description></VRTRasterBand></VRTDataset>
        """, name)
    } else {
      try scratch.raster(name, driver, type)
    }
    let access = GDALAccess.named(path)
    let local = try GDALRasterSource(path: path, access: access)
    let other = try GDALRasterSource(path: path, access: access, level: nil, route: .helper)
    #expect(Self.bytes(local.profile) == Self.bytes(other.profile))
    #expect(Self.bytes(local.details) == Self.bytes(other.details))
    #expect(local.geolocationPoints == other.geolocationPoints && local.files == other.files)
    let (first, second) = (try local.makeReader(), try other.makeReader())
    #expect(first.blockRows == second.blockRows)
    #expect(first.readsWholeBlocks == second.readsWholeBlocks)
    for plane in 0..<local.profile.pixelPlanes * 2 {
      #expect(
        try cells(first, plane, local.profile) == cells(second, plane, local.profile), "\(plane)")
    }
  }

  private static func bytes(_ value: some Packed) -> [UInt8] {
    var packer = Packer()
    packer.put(value)
    return packer.bytes
  }

  private func cells(
    _ reader: any TileReader, _ plane: Int, _ profile: RasterProfile
  ) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: profile.tileByteCount(plane: plane))
    try bytes.withUnsafeMutableBytes { try reader.readTile(plane: plane, tile: 0, into: $0) }
    return bytes
  }

  @Test func `points of a raster with control points`() throws {
    let scratch = try VectorScratch()
    try scratch.raster("a.png", "PNG", .uint8)
    _ = try scratch.write(
      """
      <VRTDataset rasterXSize="3" rasterYSize="2"><GCPList Projection="EPSG:4326">
      <GCP Id="1" Pixel="0" Line="0" X="18" Y="-33"/><GCP Id="2" Pixel="3" Line="0" X="21" Y="-33"/>
      <GCP Id="3" Pixel="0" Line="2" X="18" Y="-35"/></GCPList><VRTRasterBand dataType="Byte" band="1">
      <SimpleSource><SourceFilename relativeToVRT="1">a.png</SourceFilename></SimpleSource>
      </VRTRasterBand></VRTDataset>
      """, "a.vrt")
    let path = scratch.path("a.vrt")
    let other = try GDALRasterSource(path: path, access: .named(path), level: nil, route: .helper)
    #expect(other.profile.mapping == .source)
    let reader = try other.makeReader()
    var (x, y) = ([19.5, 18.25], [-33.5, -34.75])
    try reader.mapToGrid(x: &x, y: &y, count: 2)
    #expect(zip(x, [1.5, 0.25]).allSatisfy { abs($0 - $1) < 1e-6 }, "\(x)")
    try reader.mapFromGrid(x: &x, y: &y, count: 2)
    #expect(zip(y, [-33.5, -34.75]).allSatisfy { abs($0 - $1) < 1e-6 }, "\(y)")
  }

  /// Rule: replies of a compromised helper are an error, regardless of their bytes.
  @Test func `invalid replies`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(Self.texts[0].text, "a.kml")
    let local = LocalLayerCursor(
      try VectorLayer(path: path, layer: nil, keepsText: true, access: .named(path)))
    let batch = try #require(
      try local.next(FeatureReading(limit: 9, skipsBadShapes: true), nil))
    var packer = Packer()
    batch.pack(into: &packer)
    let bytes = packer.bytes
    for count in stride(from: 0, to: bytes.count, by: 3) {
      var unpacker = Unpacker(Array(bytes[..<count]))
      #expect(throws: GDALError.self) {
        try FeatureBatch(from: &unpacker, nil, columnCount: local.facts.fields.count)
      }
    }
    for position in bytes.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var changed = bytes
        changed[position] = value
        var unpacker = Unpacker(changed)
        _ = try? FeatureBatch(from: &unpacker, nil, columnCount: local.facts.fields.count)
        var facts = Unpacker(changed)
        _ = try? LayerFacts(from: &facts)
        var profile = Unpacker(changed)
        _ = try? RasterProfile(from: &profile)
      }
    }
  }
}

extension VectorScratch {
  /// A raster of 3 x 2 cells in a driver's format.
  fileprivate func raster(_ name: String, _ driver: String, _ type: PixelType) throws {
    let first = path("first.tif")
    var writer = try RasterWriter(path: first, width: 3, height: 2, pixelType: type)
    try writer.setReference("EPSG:4326")
    try writer.setGeotransform([18, 1, 0, -33, 0, -1])
    try writer.setNodata(.double(3), band: 1)
    switch type.byteCount {
    case 1: try writer.write((1...6).map { UInt8($0) })
    case 2: try writer.write((1...6).map { UInt16($0) })
    case 4: try writer.write((1...6).map { Float($0) })
    default: try writer.write((1...6).map { Double($0) })
    }
    try writer.close()
    let source = try #require(GDALOpenEx(first, UInt32(GDAL_OF_RASTER), nil, nil, nil))
    defer { GDALClose(source) }
    let handle = try #require(GDALGetDriverByName(driver))
    GDALClose(try #require(GDALCreateCopy(handle, path(name), source, 0, nil, nil, nil)))
  }
}
