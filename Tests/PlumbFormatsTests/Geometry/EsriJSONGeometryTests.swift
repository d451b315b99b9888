import Foundation
import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// Esri's JSON as services write it.
@Suite struct EsriJSONGeometryTests {
  private func decode(_ text: String) throws -> Geometry? {
    try EsriJSONGeometry.decode(text, reference: resolved)
  }

  private func encode(_ geometry: Geometry, _ definition: String) throws -> String {
    var geometry = geometry
    geometry.spatialReference = reference(definition)
    return try EsriJSONGeometry.encode(geometry)
  }

  private let point = Geometry.point(Point(x: 1, y: 2))

  @Test func webMercatorIsWrittenAndReadAsEsriDoes() throws {
    #expect(
      try encode(point, "EPSG:3857")
        == #"{"x":1.0,"y":2.0,"spatialReference":{"wkid":102100,"latestWkid":3857}}"#)
    for code in [#""wkid":102100,"latestWkid":3857"#, #""wkid":102100"#, #""wkid":3857"#] {
      #expect(
        try decode("{\"x\":1,\"y\":2,\"spatialReference\":{\(code)}}")?.spatialReference?.definition
          == "EPSG:3857")
    }
  }

  @Test func codesAndWKTNameTheReference() throws {
    #expect(try encode(point, "ESRI:102003").hasSuffix(#""spatialReference":{"wkid":102003}}"#))
    #expect(try encode(point, "OGC:CRS84").hasSuffix(#""spatialReference":{"wkid":4326}}"#))
    let wkt = #"PROJCS["a",GEOGCS["b"]]"#
    let text = try encode(point, wkt)
    #expect(text.hasSuffix(#""spatialReference":{"wkt":"PROJCS[\"a\",GEOGCS[\"b\"]]"}}"#))
    #expect(try decode(text)?.spatialReference?.definition == wkt)
    #expect(try encode(point, "+proj=utm +zone=34 +south") == #"{"x":1.0,"y":2.0}"#)
    var local = point
    local.spatialReference = reference("+proj=utm +zone=34 +south")
    #expect(
      try EsriJSONGeometry.encode(local) { _ in "LOCAL_CS[]" }
        == #"{"x":1.0,"y":2.0,"spatialReference":{"wkt":"LOCAL_CS[]"}}"#)
    for none in ["{}", "null", #"{"wkid":0}"#, #"{"wkid":null}"#] {
      #expect(try decode("{\"x\":1,\"y\":2,\"spatialReference\":\(none)}")?.spatialReference == nil)
    }
    struct Unknown: Error {}
    #expect(throws: FormatError.self) {
      try EsriJSONGeometry.decode(#"{"x":1,"y":2,"spatialReference":{"wkid":9}}"#) { _ in
        throw Unknown()
      }
    }
  }

  @Test(arguments: [
    #"{"x":null}"#, #"{"x":"NaN","y":"NaN"}"#, #"{"x":null,"y":null,"spatialReference":null}"#,
    #"{"y":5,"x":null}"#,
  ])
  func anEmptyPointHasNullOrNaN(_ text: String) throws {
    #expect(bits(try decode(text)) == bits(.point(.empty())))
  }

  @Test func flagsSayWhatTheThirdNumberIs() throws {
    func vertices(_ text: String) throws -> VertexList? { try decode(text)?.vertices }
    let height = VertexList([[1, 2]], z: [3])
    let measure = VertexList([[1, 2]], m: [3])
    #expect(try vertices(#"{"points":[[1,2,3]]}"#) == height)
    #expect(try vertices(#"{"points":[[1,2,3]],"hasZ":true}"#) == height)
    #expect(try vertices(#"{"hasM":true,"points":[[1,2,3]]}"#) == measure)
    #expect(try vertices(#"{"points":[[1,2,3,4]]}"#) == VertexList([[1, 2]], z: [3], m: [4]))
    #expect(try vertices(#"{"points":[],"hasZ":true}"#) == VertexList([], z: []))
    let missing = try #require(
      try vertices(
        #"{"hasZ":true,"hasM":true,"points":[[1,2],[3,4,5],[6,7,8,null],[9,1,"NaN",2]]}"#))
    #expect(missing.z?.map(\.isNaN) == [true, false, false, true])
    #expect(missing.m?.map(\.isNaN) == [true, true, true, false])
    #expect(throws: FormatError.self) { try decode(#"{"hasZ":false,"points":[[1,2,3]]}"#) }
    #expect(throws: FormatError.self) { try decode(#"{"hasM":true,"points":[[1,2,3,4]]}"#) }
  }

  /// A counter-clockwise ring outside of all others is an exterior ring, and is reversed.
  @Test func ringsThatNothingContainsAreExterior() throws {
    let text = #"{"rings":[[[0,0],[1,0],[1,1],[0,0]],[[5,5],[5,6],[6,6],[5,5]]]}"#
    guard case .polygon(let polygon)? = try decode(text) else { throw FormatError("no polygon") }
    #expect(polygon.partEnds == [1, 2])
    #expect(polygon.vertices.xy[0..<4] == [[0, 0], [1, 1], [1, 0], [0, 0]])
    #expect(polygon.vertices.xy[4..<8] == [[5, 5], [5, 6], [6, 6], [5, 5]])
  }

  /// The hole touches its exterior ring at every vertex, or follows a part of it.
  @Test(arguments: [
    "[[0,2],[2,0],[4,2],[2,4],[0,2]]", "[[0,0],[4,0],[2,2],[0,0]]",
    "[[0,0],[4,0],[4,4],[0,4],[0,0]]",
    "[[0,0],[2,0],[0,2],[0,0]]",
  ])
  func aHoleThatTouchesIsStillAHole(_ hole: String) throws {
    let outer = "[[0,0],[0,4],[4,4],[4,0],[0,0]]"
    for rings in ["\(outer),\(hole)", "\(hole),\(outer)"] {
      guard case .polygon(let polygon)? = try decode("{\"rings\":[\(rings)]}") else {
        throw FormatError("no polygon")
      }
      #expect(polygon.partEnds == [2])
      #expect(polygon.vertices.xy.first == [0, 0])
      #expect(polygon.vertices.doubleArea(ofRing: polygon.rings[0]) == -32)
    }
    // Inside the bounding box of an L, but not inside the L.
    let corner = "[[0,0],[0,4],[1,4],[1,1],[4,1],[4,0],[0,0]],[[2,2],[3,2],[3,3],[2,2]]"
    guard case .polygon(let apart)? = try decode("{\"rings\":[\(corner)]}") else {
      throw FormatError("no polygon")
    }
    #expect(apart.partEnds == [1, 2])
  }

  @Test(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func theWalkingTourIsRead() throws {
    let path =
      try #require(TestPaths.data) + "/tracks/santa_barbara_botanic_garden_walking_tour.esri.json"
    let bytes = try #require(FileManager.default.contents(atPath: path))
    let tour = try bytes.withUnsafeBytes { try EsriJSONGeometry.decode($0, reference: resolved) }
    guard case .polyline(let line)? = tour else { throw FormatError("no line") }
    #expect(line.partEnds == [197])
    #expect(line.spatialReference?.definition == "EPSG:4326")
    #expect(line.vertices.xy[0] == [-119.709881177746, 34.4570041646846])
    #expect(line.vertices.xy.allSatisfy { abs($0.x + 119.709) < 0.01 && abs($0.y - 34.457) < 0.01 })
    let text = try EsriJSONGeometry.encode(tour)
    #expect(try decode(text) == tour)
  }

  @Test(arguments: [
    "", "{}", "[]", "1", "{", #"{"x":1}"#, #"{"x":1,"y":null}"#, #"{"x":"1","y":2}"#,
    #"{"x":true,"y":2}"#,
    #"{"x":1e999,"y":2}"#, #"{"x":1,"y":2} 3"#, #"{"points":{}}"#, #"{"points":[1,2]}"#,
    #"{"points":[[1]]}"#, #"{"points":[[1,2,3,4,5]]}"#, #"{"points":[[null,2]]}"#,
    #"{"points":[["NaN",2]]}"#, #"{"paths":[[1,2]]}"#, #"{"rings":[[[1,2],[3,4],[5,6]],7]}"#,
    #"{"paths":[],"rings":[]}"#, #"{"paths":[[[0,0],{"d":[[1,1],[2,0]]}]]}"#,
    #"{"xmin":1,"ymin":2,"xmax":3}"#, #"{"xmin":1,"ymin":2,"xmax":3,"ymax":4,"zmin":2,"zmax":1}"#,
    #"{"x":1,"y":2,"spatialReference":4326}"#, #"{"x":1,"y":2,"spatialReference":{"wkid":"a"}}"#,
    #"{"x":1,"y":2,"spatialReference":{"wkid":1.5}}"#, #"{"hasZ":1,"points":[]}"#,
    #"{"spatialReference":{"wkid":4326}}"#,
  ])
  func whatIsNoGeometryIsAnErrorWithItsPoint(_ text: String) {
    let error = #expect(throws: FormatError.self) { try decode(text) }
    #expect(error?.offset != nil)
  }
}
