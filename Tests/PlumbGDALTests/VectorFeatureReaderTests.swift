import Foundation
import PlumbCore
import Testing

@testable import PlumbGDAL

@Suite struct VectorFeatureReaderTests {
  /// Features with these WKT geometries, read with OGR's CSV driver.
  private func read(_ shapes: [String]) throws -> [Feature] {
    let scratch = try VectorScratch()
    let text = "id,WKT\n" + shapes.enumerated().map { "\($0),\"\($1)\"\n" }.joined()
    let reader = try VectorFeatureReader(path: try scratch.write(text, "a.csv"))
    #expect(reader.hasGeometry)
    var features: [Feature] = []
    while let batch = try reader.next(limit: 2) {
      #expect(batch.count <= 2)
      features += batch
    }
    #expect(try reader.next(limit: 1) == nil)
    return features
  }

  private func vertices(_ geometry: Geometry?) -> [[Double]] {
    geometry?.vertices.xy.map { [$0.x, $0.y] } ?? []
  }

  @Test func kinds() throws {
    let features = try read([
      "POINT (1 2)", "POINT ZM (1 2 3 4)", "MULTIPOINT (1 2,3 4)", "LINESTRING (0 0,1 1)",
      "MULTILINESTRING ((0 0,1 1),(2 2,3 3,4 4))",
      "POLYGON ((0 0,9 0,9 9,0 9,0 0),(1 1,1 2,2 2,2 1,1 1))",
      "MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))", "POINT EMPTY", "POLYGON EMPTY",
      "GEOMETRYCOLLECTION EMPTY", "",
    ])
    let reference: SpatialReference? = nil
    #expect(features[0].geometry == .point(Point(x: 1, y: 2, spatialReference: reference)))
    #expect(features[1].geometry == .point(Point(x: 1, y: 2, z: 3, m: 4)))
    #expect(features[2].geometry == .multipoint(Multipoint(VertexList([[1, 2], [3, 4]]))))
    #expect(features[3].geometry == .polyline(Polyline(VertexList([[0, 0], [1, 1]]))))
    guard case .polyline(let lines)? = features[4].geometry,
      case .polygon(let holed)? = features[5].geometry,
      case .polygon(let parts)? = features[6].geometry
    else {
      Issue.record("lines and areas")
      return
    }
    #expect(lines.parts == [0..<2, 2..<5])
    #expect(holed.rings == [0..<5, 5..<10])
    #expect(holed.parts == [0..<2])
    #expect(parts.parts == [0..<1, 1..<2])
    #expect(features[7...].allSatisfy { $0.geometry == nil })
    #expect(features.map(\.attributes.first) == (0..<11).map { .text("\($0)") })
  }

  /// Rule: collections of one type are merged; mixed collections are an error that names the
  /// feature.
  @Test func collections() throws {
    let features = try read([
      "GEOMETRYCOLLECTION (POINT (1 2),MULTIPOINT (3 4,5 6),POINT EMPTY)",
      "GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (LINESTRING (0 0,1 1)))",
    ])
    #expect(vertices(features[0].geometry) == [[1, 2], [3, 4], [5, 6]])
    #expect(vertices(features[1].geometry) == [[0, 0], [1, 1]])
    let error = #expect(throws: GDALError.self) {
      try read(["POINT (1 2)", "GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))"])
    }
    #expect(error?.message.hasPrefix("feature 2: ") == true)
    #expect(error?.message.contains("points and lines") == true)
  }

  /// Rule: curves are replaced by nearby straight edges, and faces of surfaces by polygons.
  @Test func curvesAndSurfaces() throws {
    let features = try read([
      "CURVEPOLYGON (CIRCULARSTRING (1 0,0 1,-1 0,0 -1,1 0))",
      "COMPOUNDCURVE (CIRCULARSTRING (0 1,1 0,0 -1),(0 -1,-5 -1))",
      "TIN Z (((0 0 1,1 0 1,1 1 1,0 0 1)),((0 0 1,1 1 1,0 1 1,0 0 1)))",
      "POLYHEDRALSURFACE Z (((0 0 0,1 0 0,1 1 0,0 0 0)))", "TRIANGLE ((0 0,1 0,1 1,0 0))",
      "MULTISURFACE (CURVEPOLYGON (CIRCULARSTRING (1 0,0 1,-1 0,0 -1,1 0)))",
    ])
    for index in [0, 5] {
      guard case .polygon(let circle)? = features[index].geometry else {
        Issue.record("a circle")
        continue
      }
      #expect(circle.vertices.count > 40)
      for point in circle.vertices.xy {
        #expect(abs((point.x * point.x + point.y * point.y).squareRoot() - 1) < 1e-9)
      }
    }
    guard case .polyline(let line)? = features[1].geometry,
      case .polygon(let faces)? = features[2].geometry,
      case .polygon(let surface)? = features[3].geometry,
      case .polygon(let triangle)? = features[4].geometry
    else {
      Issue.record("a line and faces")
      return
    }
    #expect(line.vertices.count > 20)
    #expect(line.vertices.xy.last == [-5, -1])
    #expect(faces.parts.count == 2)
    #expect(faces.vertices.z == [Double](repeating: 1, count: 8))
    #expect(surface.parts.count == 1)
    #expect(triangle.vertices.count == 4)
  }

  /// Rule: types that may contain arcs are accepted if all their parts are straight; their vertices
  /// are unchanged.
  @Test func straightPartsOfCurvedKinds() throws {
    let features = try read([
      "MULTISURFACE (((10 0,14 0,14 4,10 4,10 0)))", "CURVEPOLYGON ((20 0,24 0,24 4,20 0))",
      "COMPOUNDCURVE ((30 0,31 1),(31 1,34 0))", "MULTICURVE ((40 0,41 1,42 0))",
      "CURVEPOLYGON (COMPOUNDCURVE ((50 0,54 0,54 4),(54 4,50 4,50 0)))",
      "GEOMETRYCOLLECTION (MULTISURFACE (((80 0,84 0,84 4,80 0))))",
      "MULTICURVE (COMPOUNDCURVE ((0 0,1 1),(1 1,2 0)),(5 5,6 6))",
    ])
    let expected: [[[Double]]] = [
      [[10, 0], [10, 4], [14, 4], [14, 0], [10, 0]], [[20, 0], [24, 4], [24, 0], [20, 0]],
      [[30, 0], [31, 1], [34, 0]], [[40, 0], [41, 1], [42, 0]],
      [[50, 0], [50, 4], [54, 4], [54, 0], [50, 0]], [[80, 0], [84, 4], [84, 0], [80, 0]],
      [[0, 0], [1, 1], [2, 0], [5, 5], [6, 6]],
    ]
    for (feature, points) in zip(features, expected) {
      #expect(vertices(feature.geometry) == points)
    }
  }

  @Test func areasComeBack() throws {
    let scratch = try VectorScratch()
    let hole = Polygon(
      VertexList([
        [0, 0], [0, 9], [9, 9], [9, 0], [0, 0], [1, 1], [2, 1], [2, 2], [1, 2], [1, 1],
      ]), ringEnds: [5, 10])
    let apart = Polygon(
      VertexList([[0, 0], [0, 1], [1, 1], [0, 0], [5, 5], [5, 6], [6, 6], [5, 5]]),
      ringEnds: [4, 8], partEnds: [1, 2])
    for (format, ending) in [("GPKG", "gpkg"), ("ESRI Shapefile", "shp"), ("FlatGeobuf", "fgb")] {
      let path = scratch.path("a." + ending)
      let writer = try VectorRowWriter(
        path: path, driver: try #require(.named(format)), layer: "a",
        fields: [VectorField(name: "n", kind: .integer32)], reference: "EPSG:32734", kind: .area)
      try writer.append(area: hole, values: [.integer(1)])
      try writer.append(area: apart, values: [.integer(2)])
      if ending != "fgb" {
        try writer.append(area: nil, values: [.integer(3)])
        try writer.append(area: .empty(), values: [.integer(4)])
      } else {
        #expect(throws: GDALError.self) { try writer.append(area: nil, values: [.integer(3)]) }
      }
      try writer.finish()
      let reader = try VectorFeatureReader(path: path)
      #expect(reader.spatialReference?.label == "EPSG:32734")
      var features: [Feature] = []
      while let batch = try reader.next(limit: 1) { features += batch }
      #expect(features.map(\.attributes) == (1...features.count).map { [.integer(Int64($0))] })
      #expect(features.count == (ending == "fgb" ? 2 : 4))
      for (feature, expected) in zip(features, [hole, apart]) {
        guard case .polygon(let polygon)? = feature.geometry else {
          Issue.record("\(format): an area")
          continue
        }
        #expect(polygon.partEnds == expected.partEnds && polygon.ringEnds == expected.ringEnds)
        #expect(
          Set(polygon.vertices.xy.map { [$0.x, $0.y] })
            == Set(expected.vertices.xy.map { [$0.x, $0.y] }))
      }
      #expect(features.dropFirst(2).allSatisfy { $0.geometry == nil })
    }
  }
}
