import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// GeoJSON and well-known text as other programs write them.
@Suite struct TextGeometryTests {
  private func wkt(_ text: String) throws -> String { bits(try WKTGeometry.decode(text)) }
  private func json(_ text: String) throws -> String { bits(try GeoJSONGeometry.decode(text)) }

  private let line = Geometry.polyline(Polyline(VertexList([[1, 2], [3, 4]])))
  private let points = Geometry.multipoint(Multipoint(VertexList([[1, 2], [3, 4]])))

  // MARK: Well-known text

  @Test(arguments: [
    "LINESTRING(1 2,3 4)", "linestring ( 1 2 , 3 4 )", "\n LineString\t(+1 2.,3e0 40E-1)\r\n",
    "GEOMETRYCOLLECTION (LINESTRING (1 2, 3 4))",
    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION EMPTY,LINESTRING EMPTY,LINESTRING (1 2, 3 4))",
  ])
  func spellingsOfALine(_ text: String) throws { #expect(try wkt(text) == bits(line)) }

  @Test(arguments: [
    "MULTIPOINT (1 2, 3 4)", "MULTIPOINT ((1 2), (3 4))", "MULTIPOINT ((1 2), EMPTY, 3 4)",
    "GEOMETRYCOLLECTION (POINT (1 2), POINT (3 4))",
    "GEOMETRYCOLLECTION (MULTIPOINT (1 2), POINT EMPTY, POINT (3 4))",
  ])
  func spellingsOfPoints(_ text: String) throws { #expect(try wkt(text) == bits(points)) }

  /// Rule: types that may contain arcs are accepted if all their parts are straight.
  @Test(arguments: [
    ("COMPOUNDCURVE((1 2,3 4))", "LINESTRING(1 2,3 4)"),
    ("COMPOUNDCURVE ((30 0,31 1),LINESTRING (31 1,34 0))", "LINESTRING(30 0,31 1,34 0)"),
    ("COMPOUNDCURVE EMPTY", "LINESTRING EMPTY"),
    ("COMPOUNDCURVE ((1 2),(1 2,3 4))", "LINESTRING(1 2,3 4)"),
    (
      "MULTICURVE ((40 0,41 1),COMPOUNDCURVE ((1 1,2 2),(2 2,3 3)))",
      "MULTILINESTRING((40 0,41 1),(1 1,2 2,3 3))"
    ),
    ("MULTISURFACE(((10 0,14 0,14 4,10 0)))", "MULTIPOLYGON(((10 0,14 0,14 4,10 0)))"),
    ("CURVEPOLYGON((20 0,24 0,24 4,20 0))", "POLYGON((20 0,24 0,24 4,20 0))"),
    (
      "CURVEPOLYGON Z (COMPOUNDCURVE Z ((50 0 1,54 0 2,54 4 3),(54 4 3,50 0 1)))",
      "POLYGON Z ((50 0 1,54 0 2,54 4 3,50 0 1))"
    ),
    (
      "MULTISURFACE(CURVEPOLYGON(COMPOUNDCURVE((0 0,9 0),(9 0,9 9,0 0)),(1 1,2 1,2 2,1 1)),EMPTY,"
        + "POLYGON((70 0,71 0,71 1,70 0)))",
      "MULTIPOLYGON(((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1)),EMPTY,((70 0,71 0,71 1,70 0)))"
    ),
    (
      "GEOMETRYCOLLECTION(MULTISURFACE(((8 0,9 0,9 4,8 0))))",
      "GEOMETRYCOLLECTION(POLYGON((8 0,9 0,9 4,8 0)))"
    ),
  ])
  func straightPartsOfCurvedKinds(_ text: String, _ plain: String) throws {
    #expect(try wkt(text) == wkt(plain))
  }

  @Test(arguments: [
    ("CIRCULARSTRING (0 0,1 1,2 0)", "CIRCULARSTRING is not supported"),
    ("CURVEPOLYGON (CIRCULARSTRING (0 0,2 2,0 0))", "CIRCULARSTRING is not supported"),
    ("COMPOUNDCURVE ((0 0,1 1),CIRCULARSTRING (1 1,2 2,3 1))", "CIRCULARSTRING is not supported"),
    ("COMPOUNDCURVE ((0 0,1 1),(2 2,3 3))", "do not meet"),
    ("MULTISURFACE (POINT (1 2))", "POINT cannot be part"),
    ("MULTICURVE (POLYGON ((0 0,1 0,1 1,0 0)))", "POLYGON cannot be part"),
    ("COMPOUNDCURVE (COMPOUNDCURVE ((0 0,1 1)))", "COMPOUNDCURVE cannot be part"),
    ("MULTISURFACE (((0 0,1 0,1 1,0 0))", "ends too early"),
  ])
  func arcsAreNamed(_ text: String, _ words: String) throws {
    let error = #expect(throws: FormatError.self) { try WKTGeometry.decode(text) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  /// Straight parts of curved types as WKB, as PostGIS writes them.
  @Test func straightPartsOfCurvedKindsInBinary() throws {
    func head(_ type: UInt32, _ count: UInt32) -> [UInt8] {
      [1] + withUnsafeBytes(of: type.littleEndian, Array.init)
        + withUnsafeBytes(of: count.littleEndian, Array.init)
    }
    func number(_ value: Double) -> [UInt8] {
      withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init)
    }
    func line(_ points: [[Double]], type: UInt32 = 2) -> [UInt8] {
      head(type, UInt32(points.count)) + points.flatMap { $0.flatMap(number) }
    }
    let ring: [[Double]] = [[0, 0], [4, 0], [4, 4], [0, 0]]
    let area = [UInt8](head(3, 1)) + Array(line(ring)[5...])
    let compound = head(9, 2) + line([[0, 0], [4, 0]]) + line([[4, 0], [4, 4], [0, 0]])
    func decoded(_ bytes: [UInt8]) throws -> String { bits(try WKBGeometry.decode(bytes)) }
    #expect(try decoded(compound) == wkt("LINESTRING (0 0,4 0,4 4,0 0)"))
    #expect(try decoded(head(10, 1) + compound) == wkt("POLYGON ((0 0,4 0,4 4,0 0))"))
    #expect(try decoded(head(10, 1) + line(ring)) == wkt("POLYGON ((0 0,4 0,4 4,0 0))"))
    #expect(
      try decoded(head(12, 2) + area + head(10, 1) + line(ring))
        == wkt("MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((0 0,4 0,4 4,0 0)))"))
    #expect(
      try decoded(head(11, 2) + line(ring) + compound)
        == wkt("MULTILINESTRING ((0 0,4 0,4 4,0 0),(0 0,4 0,4 4,0 0))"))
    let arc = line([[0, 0], [1, 1], [2, 0]], type: 8)
    for bytes in [arc, head(9, 1) + arc, head(10, 1) + arc, head(11, 1) + arc] {
      let error = #expect(throws: FormatError.self) { try WKBGeometry.decode(bytes) }
      #expect(error?.message.contains("CIRCULARSTRING") == true)
    }
    for bytes in [
      head(12, 1) + line(ring), head(9, 1) + compound,
      head(9, 2) + line([[0, 0]]) + line([[1, 1]]),
      head(12, 1_000_000) + area, head(10, 2) + line(ring),
    ] {
      #expect(throws: FormatError.self) { try WKBGeometry.decode(bytes) }
    }
  }

  @Test func heightsAndMeasures() throws {
    let both = bits(.point(Point(x: 1, y: 2, z: 3, m: 4)))
    for text in ["POINT ZM (1 2 3 4)", "POINTZM(1 2 3 4)", "POINT(1 2 3 4)", "point zm(1 2 3 4)"] {
      #expect(try wkt(text) == both)
    }
    for text in ["POINT Z (1 2 3)", "POINTZ (1 2 3)", "POINT (1 2 3)"] {
      #expect(try wkt(text) == bits(.point(Point(x: 1, y: 2, z: 3))))
    }
    for text in ["POINT M (1 2 3)", "POINTM (1 2 3)"] {
      #expect(try wkt(text) == bits(.point(Point(x: 1, y: 2, m: 3))))
    }
    #expect(
      try wkt("LINESTRING M (1 2 nan, 3 4 5)")
        == bits(.polyline(Polyline(VertexList([[1, 2], [3, 4]], m: [.nan, 5])))))
    // A member without heights among members with heights.
    #expect(
      try wkt("GEOMETRYCOLLECTION (POINT (1 2), POINT Z (3 4 5))")
        == bits(.multipoint(Multipoint(VertexList([[1, 2], [3, 4]], z: [.nan, 5])))))
  }

  @Test func theCodeBeforeTheText() throws {
    let decoded = try WKTGeometry.decode("srid=32734; POINT (1 2)", resolving: resolved)
    #expect(decoded?.spatialReference?.definition == "EPSG:32734")
    #expect(try WKTGeometry.decode("SRID=4326;POINT (1 2)")?.spatialReference == .wgs84)
    #expect(
      try WKTGeometry.decode("SRID=0;POINT (1 2)", reference: .wgs84)?.spatialReference == .wgs84)
    let text = try WKTGeometry.encode(try #require(decoded), withReference: true)
    #expect(text == "SRID=32734;POINT (1.0 2.0)")
    #expect(throws: FormatError.self) { try WKTGeometry.decode("SRID=32734;POINT (1 2)") }
  }

  @Test func writtenText() throws {
    let square = VertexList([[0, 0], [0, 1], [1, 1], [0, 0]], m: [1, .nan, 3, 4])
    #expect(
      try WKTGeometry.encode(.polygon(Polygon(square)))
        == "POLYGON M ((0.0 0.0 4.0,1.0 1.0 3.0,0.0 1.0 NaN,0.0 0.0 1.0))")
    #expect(try WKTGeometry.encode(.point(.empty())) == "POINT EMPTY")
    #expect(try WKTGeometry.encode(.polygon(.empty())) == "POLYGON EMPTY")
    #expect(try WKTGeometry.encode(.envelope(.empty())) == "POLYGON EMPTY")
    #expect(
      try WKTGeometry.encode(
        .polyline(Polyline(VertexList([[1, 2], [3, 4]]), partEnds: [0, 2])))
        == "MULTILINESTRING (EMPTY,(1.0 2.0,3.0 4.0))")
  }

  @Test func anEmptyCollectionIsNoGeometry() throws {
    #expect(try WKTGeometry.decode("GEOMETRYCOLLECTION EMPTY") == nil)
    #expect(try GeoJSONGeometry.decode(#"{"type":"GeometryCollection","geometries":[]}"#) == nil)
    #expect(try GeoJSONGeometry.decode(" null ") == nil)
    #expect(try EsriJSONGeometry.decode("null", reference: resolved) == nil)
  }

  @Test(arguments: [
    ("", 0), ("POINT", 5), ("POINT (", 7), ("POINT (1", 8), ("POINT (1 2", 10),
    ("POINT (1 2) x", 12),
    ("POINT (1 2))", 11), ("POINT ()", 7), ("POINT (1)", 8), ("POINT (nan 2)", 7),
    ("POINT (1 inf)", 9),
    ("POINT Z (1 2 inf)", 13), ("POINT (1e999 2)", 7), ("POINT Z (1 2)", 9),
    ("POINT M (1 2 3 4)", 9),
    ("POINT (1 2 3 4 5)", 15), ("LINESTRING (1 2, 3 4 5)", 17), ("LINESTRING (1 2,)", 16),
    ("POLYGON (1 2, 3 4)", 9), ("MULTIPOLYGON (((1 2)))x", 22), ("POINT EMPT", 6),
    ("CIRCLE (1 2)", 0),
    ("SRID=x;POINT (1 2)", 0), ("SRID=99999999999;POINT (1 2)", 0), ("SRID=1 POINT (1 2)", 7),
    ("CIRCULARSTRING (0 0, 1 1, 2 0)", 0), ("POINT (0x10 2)", 7), ("POINT (1,2)", 8),
    ("GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))", 33),
  ])
  func brokenWKTIsAnErrorWithItsPoint(_ text: String, _ offset: Int) {
    let error = #expect(throws: FormatError.self) { try WKTGeometry.decode(text) }
    #expect(error?.offset == offset, "\(text): \(error?.description ?? "")")
  }

  // MARK: GeoJSON

  @Test func membersInAnyOrderAndForeignOnes() throws {
    #expect(
      try json(
        #"{"coordinates":[[1,2],[3,4]],"bbox":[1,2,3,4],"x":{"type":1},"type":"LineString"}"#)
        == bits(line))
    #expect(
      try json(
        #"{"geometries":[{"type":"Point","coordinates":[1,2]},{"geometries":[{"type":"MultiPoint","#
          + #""coordinates":[[3,4]]}],"type":"GeometryCollection"}],"type":"GeometryCollection"}"#)
        == bits(points))
    #expect(
      try json(#"{"type":"MultiPoint","coordinates":[[1,2],[3,4,5,6,7]]}"#)
        == bits(.multipoint(Multipoint(VertexList([[1, 2], [3, 4]], z: [.nan, 5])))))
    // An open exterior ring is closed and made clockwise.
    #expect(
      try json(#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#)
        == bits(.polygon(Polygon(VertexList([[0, 0], [1, 1], [1, 0], [0, 0]])))))
    let other = try GeoJSONGeometry.decode(
      #"{"type":"Point","coordinates":[1,2]}"#, reference: reference("EPSG:3857"))
    #expect(other?.spatialReference?.definition == "EPSG:3857")
  }

  @Test(arguments: [
    "", "{}", "[]", "nul", "null 1", "{\"type\":\"Point\"}", #"{"type":1,"coordinates":[1,2]}"#,
    #"{"coordinates":[1,2]}"#, #"{"type":"point","coordinates":[1,2]}"#,
    #"{"type":"Point","coordinates":null}"#, #"{"type":"Point","coordinates":[1]}"#,
    #"{"type":"Point","coordinates":[1,"2"]}"#, #"{"type":"Point","coordinates":[[1,2]]}"#,
    #"{"type":"Point","coordinates":[1,1e999]}"#, #"{"type":"Point","coordinates":[1,2]}}"#,
    #"{"type":"Point","coordinates":[1,NaN]}"#, #"{"type":"MultiPoint","coordinates":[[]]}"#,
    #"{"type":"LineString","coordinates":[1,2]}"#, #"{"type":"Polygon","coordinates":[[1,2]]}"#,
    #"{"type":"GeometryCollection","coordinates":[]}"#,
    #"{"type":"GeometryCollection","geometries":[null]}"#, #"{"type":"Feature","geometry":null}"#,
    #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},"#
      + #"{"type":"LineString","coordinates":[[1,2],[3,4]]}]}"#,
  ])
  func brokenGeoJSONIsAnErrorWithItsPoint(_ text: String) {
    let error = #expect(throws: FormatError.self) { try GeoJSONGeometry.decode(text) }
    #expect(error?.offset != nil)
    if text.contains("LineString"), text.contains("Collection") {
      #expect(error?.message.contains("points and lines") == true)
    }
  }
}
