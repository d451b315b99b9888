import PlumbCore
import Testing

@testable import PlumbExpressions

/// The geometry functions on shapes whose results were calculated by hand.
@Suite struct ArcadeGeometryFunctionTests {
  static func square(_ x: Double, _ y: Double, _ side: Double, wkid: Int? = 3857) -> ArcadeValue {
    let far = (x + side, y + side)
    let rings: ArcadeValue = [
      [
        [.number(x), .number(y)], [.number(x), .number(far.1)], [.number(far.0), .number(far.1)],
        [.number(far.0), .number(y)],
      ]
    ]
    return [
      "rings": rings, "spatialReference": wkid.map { ["wkid": .number(Double($0))] } ?? .null,
    ]
  }

  static func point(_ x: Double, _ y: Double, wkid: Double = 3857) -> ArcadeValue {
    ["x": .number(x), "y": .number(y), "spatialReference": ["wkid": .number(wkid)]]
  }

  static func line(_ points: [(Double, Double)], wkid: Double = 3857) -> ArcadeValue {
    let path = points.map { [.number($0.0), .number($0.1)] as ArcadeValue }
    return [
      "paths": .array(ArcadeArray([.array(ArcadeArray(path))])),
      "spatialReference": ["wkid": .number(wkid)],
    ]
  }

  private func made(_ definition: ArcadeValue) throws -> ArcadeValue {
    try arcade("Geometry", definition)
  }

  private func geometry(_ value: ArcadeValue) throws -> Geometry {
    guard case .geometry(let geometry) = value else {
      throw ArcadeFailure("no geometry but \(value.typeName)")
    }
    return geometry
  }

  private func number(_ name: String, _ values: ArcadeValue...) throws -> Double {
    guard case .number(let number) = try arcade(name, values, CallContext()) else {
      throw ArcadeFailure("no number")
    }
    return number
  }

  @Test("Dictionaries as in Esri's JSON become geometries of their kind")
  func makers() throws {
    let point = try geometry(
      arcade("Point", ["x": -118.15, "y": 33.8, "z": 5, "spatialReference": ["wkid": 4326]]))
    #expect(point == .point(Point(x: -118.15, y: 33.8, z: 5, spatialReference: .wgs84)))
    let web = try #require(
      geometry(made(Self.point(1, 2, wkid: 102_100))).spatialReference)
    #expect(web.definition == "EPSG:3857")
    let multipoint = try geometry(arcade("Multipoint", ["points": [[1, 2], [3, 4]]]))
    #expect(multipoint == .multipoint(Multipoint(VertexList([SIMD2(1, 2), SIMD2(3, 4)]))))
    let measured = try geometry(
      arcade(
        "Polyline",
        ["hasM": true, "paths": [[[0, 0, 7], [1, 1, 8]], [[2, 2, 9], [3, 3, 9]]]]))
    guard case .polyline(let line) = measured else { throw ArcadeFailure("no line") }
    #expect(line.parts.count == 2 && line.vertices.m == [7, 8, 9, 9] && line.vertices.z == nil)
    let extent = try geometry(
      arcade("Extent", ["xmin": 5, "ymin": 6, "xmax": 1, "ymax": 2, "spatialReference": .null]))
    #expect(extent == .envelope(Envelope(xMin: 1, yMin: 2, xMax: 5, yMax: 6)))
    #expect(
      try geometry(arcade("Extent", made(Self.line([(0, 0), (2, 3)]))))
        == .envelope(
          Envelope(xMin: 0, yMin: 0, xMax: 2, yMax: 3, spatialReference: web)))
    let ofPoints = try geometry(
      arcade("Polyline", ["paths": [[arcade("Point", Self.point(0, 0)), [1, 1]]]]))
    #expect(ofPoints.spatialReference == web && ofPoints.vertices.count == 2)
    #expect(try geometry(arcade("Point", ["x": .null])).isEmpty == true)
    #expect(same(try arcade("Polygon", .null), .null))
  }

  @Test("Counter-clockwise rings are holes of the clockwise ring around them")
  func rings() throws {
    func ring(_ low: Double, _ high: Double, clockwise: Bool) -> ArcadeValue {
      let points = [(low, low), (low, high), (high, high), (high, low), (low, low)]
      return .array(
        ArcadeArray(
          (clockwise ? points : points.reversed()).map { [.number($0.0), .number($0.1)] }))
    }
    // An island in the lake of an island, and a separate ring with the wrong orientation.
    let rings: ArcadeValue = [
      ring(40, 60, clockwise: true), ring(10, 90, clockwise: false), ring(0, 100, clockwise: true),
      ring(45, 55, clockwise: false), ring(200, 210, clockwise: false),
    ]
    guard case .polygon(let polygon) = try geometry(arcade("Polygon", ["rings": rings])) else {
      throw ArcadeFailure("no polygon")
    }
    #expect(polygon.parts.map(\.count) == [2, 2, 1])
    let area = try number("Area", .geometry(.polygon(polygon)))
    #expect(area == 400 - 100 + 10_000 - 6400 + 100)
    #expect(try arcade("RingIsClockwise", ring(0, 1, clockwise: true)).isTrue)
    #expect(try !arcade("RingIsClockwise", ring(0, 1, clockwise: false)).isTrue)
  }

  @Test("Planar measures are in the CRS's unit or the requested one")
  func measures() throws {
    let square = try made(Self.square(0, 0, 2000))
    let cases: [(ArcadeValue, Double)] = [
      (.null, 4_000_000), ("square-meters", 4_000_000), ("METERS", 4_000_000), (109_404, 4_000_000),
      ("square kilometres", 4), ("hectares", 400), ("ha", 400), (109_401, 400),
      ("acres", 4_000_000 / 4046.8564224), ("ft", 4_000_000 / 0.3048 / 0.3048),
      ("squareMiles", 4_000_000 / 1609.344 / 1609.344),
    ]
    for (unit, area) in cases {
      let found = try number("Area", square, unit)
      #expect(abs(found - area) <= area * 1e-14, "\(unit.asText)")
    }
    #expect(try number("Length", square, "kilometers") == 8)
    #expect(try number("Length", square, 9036) == 8)
    #expect(try number("Length", [arcade("Point", Self.point(0, 0)), [3, 4]]) == 5)
    #expect(try number("Area", [[0, 0], [0, 1], [1, 1], [1, 0]]) == 1)
    #expect(try number("Area", .null) == 0)
    #expect(try number("Length", made(Self.point(1, 1))) == 0)
    let feature = ArcadeFeature(
      fields: ArcadeFields([]), attributes: [], geometry: try geometry(square))
    #expect(try number("Area", .feature(feature), "km") == 4)
    #expect(
      try number("Distance", .feature(feature), made(Self.point(2003, 2004)), "feet")
        == 5 / 0.3048)
    #expect(same(try arcade("Distance", square, .null), .null))
    for (name, values) in [
      ("Area", [square, "parsecs"]), ("Length", [square, "acres"]), ("Area", [square, 1]),
      ("Area", [try made(Self.square(0, 0, 1, wkid: 4326)), "meters"]),
      ("Area", [try made(Self.square(0, 0, 1, wkid: nil)), "meters"]), ("Area", ["text"]),
    ] as [(String, [ArcadeValue])] {
      #expect(throws: ArcadeFailure.self) { try arcade(name, values, CallContext()) }
    }
  }

  @Test("Geodetic measures are the published ones of the ellipsoid")
  func geodetic() throws {
    // New York to London, of GeographicLib's documentation: 5551759.400318 m.
    let (a, b) = (
      try made(Self.point(-73.8, 40.6, wkid: 4326)), try made(Self.point(-0.5, 51.6, wkid: 4326))
    )
    #expect(abs(try number("DistanceGeodetic", a, b) - 5_551_759.400318) < 1e-5)
    #expect(abs(try number("DistanceGeodetic", a, b, "kilometers") - 5551.759400318) < 1e-8)
    let flight = try made(Self.line([(-73.8, 40.6), (-0.5, 51.6)], wkid: 4326))
    #expect(
      abs(try number("LengthGeodetic", flight, "nautical-miles") - 5_551_759.400318 / 1852) < 1e-8)
    // An octant of WGS 84, whose area is 510065621724088.44 m².
    let octant = try arcade(
      "Polygon",
      ["rings": [[[0, 0], [0, 90], [90, 0], [0, 0]]], "spatialReference": ["wkid": 4326]])
    let area = try number("AreaGeodetic", octant)
    #expect(abs(area - 510_065_621_724_088.44 / 8) < 1)
    #expect(abs(try number("AreaGeodetic", octant, "square-kilometers") - area / 1e6) < 1e-3)
    // A quarter of a meridian of WGS 84.
    let meridian = try made(Self.line([(10, 0), (10, 90)], wkid: 4326))
    #expect(abs(try number("LengthGeodetic", meridian) - 10_001_965.729312) < 1e-5)
    let densified = try geometry(arcade("DensifyGeodetic", meridian, 1000, "kilometers"))
    #expect(densified.vertices.count == 12)
    let circle = try arcade("BufferGeodetic", a, 10, "km")
    #expect(abs(try number("AreaGeodetic", circle) / (.pi * 1e8) - 1) < 0.005)
  }

  @Test("Angles run counter-clockwise from east, bearings clockwise from north")
  func directions() throws {
    let centre = try made(Self.point(10, 10))
    let ways: [((Double, Double), Double, Double)] = [
      ((11, 10), 0, 90), ((10, 11), 90, 0), ((9, 10), 180, 270), ((10, 9), 270, 180),
      ((9, 9), 225, 225), ((11, 11), 45, 45), ((10, 10), 0, 0),
    ]
    for (point, angle, bearing) in ways {
      let other = try made(Self.point(point.0, point.1))
      #expect(abs(try number("Angle", centre, other) - angle) < 1e-12)
      #expect(abs(try number("Bearing", centre, other) - bearing) < 1e-12)
    }
    let (east, north) = (try made(Self.point(12, 10)), try made(Self.point(10, 13)))
    #expect(try number("Angle", east, centre, north) == 90)
    #expect(try number("Angle", north, centre, east) == 270)
    #expect(try number("Bearing", north, centre, east) == 90)
    #expect(try number("Angle", centre, centre, east) == 0)
  }

  @Test("Relations, overlays and the rest on squares")
  func squares() throws {
    let (a, b) = (try made(Self.square(0, 0, 4)), try made(Self.square(2, 2, 4)))
    let (inner, apart) = (try made(Self.square(1, 1, 1)), try made(Self.square(9, 9, 1)))
    let beside = try made(Self.square(4, 0, 4))
    let way = try made(Self.line([(-1, 1), (5, 1)]))
    let truths: [(String, ArcadeValue, ArcadeValue, Bool)] = [
      ("Contains", a, inner, true), ("Contains", inner, a, false), ("Within", inner, a, true),
      ("Crosses", way, a, true), ("Crosses", a, b, false), ("Overlaps", a, b, true),
      ("Touches", a, beside, true), ("Touches", a, b, false), ("Intersects", a, b, true),
      ("Intersects", a, apart, false), ("Disjoint", a, apart, true), ("Equals", a, a, true),
      ("Equals", a, b, false), ("EnvelopeIntersects", a, b, true),
      ("EnvelopeIntersects", a, apart, false), ("Intersects", a, .null, false),
      ("Disjoint", .null, a, true),
    ]
    for (name, first, second, answer) in truths {
      let found = try arcade(name, first, second)
      #expect(same(found, .boolean(answer)), "\(name)")
    }
    #expect(try arcade("Relate", a, inner, "T*****FF*").isTrue)
    #expect(try number("Area", arcade("Intersection", a, b)) == 4)
    #expect(try number("Area", arcade("Union", [a, b])) == 28)
    #expect(try number("Area", arcade("Union", a, b, apart)) == 29)
    #expect(try number("Area", arcade("Difference", a, b)) == 12)
    #expect(try number("Area", arcade("SymmetricDifference", a, b)) == 24)
    #expect(same(try arcade("Intersection", a, apart), .null))
    let window: ArcadeValue = [
      "xmin": 0, "ymin": 0, "xmax": 2, "ymax": 1, "spatialReference": ["wkid": 3857],
    ]
    #expect(try number("Area", arcade("Clip", a, arcade("Extent", window))) == 2)
    #expect(try number("Area", arcade("ConvexHull", [a, b])) == 32)
    #expect(try geometry(arcade("Centroid", a)) == geometry(made(Self.point(2, 2))))
    #expect(try geometry(arcade("Densify", a, 1)).vertices.count == 17)
    #expect(try geometry(arcade("Densify", a, 100, "cm")).vertices.count == 17)
    #expect(
      try geometry(arcade("Generalize", arcade("Densify", a, 1), 0.1)).vertices.count == 5)
    #expect(try arcade("IsSimple", a).isTrue)
    let bow = try arcade("Polygon", ["rings": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]])
    #expect(try !arcade("IsSimple", bow).isTrue)
    #expect(try number("Area", arcade("Simplify", bow)) == 2)
    #expect(try number("Area", arcade("Buffer", a, -1)) == 4)
    let disc = try number("Area", arcade("Buffer", made(Self.point(0, 0)), 1, "miles"), "miles")
    #expect(abs(disc - .pi) < 0.002)
  }

  @Test("Nearest points, parts, rotations and new geometries of features")
  func points() throws {
    let a = try made(Self.square(0, 0, 4))
    guard
      case .dictionary(let outside) = try arcade("NearestCoordinate", a, made(Self.point(7, 8))),
      case .dictionary(let inside) = try arcade("NearestCoordinate", a, made(Self.point(1, 2))),
      case .dictionary(let vertex) = try arcade("NearestVertex", a, made(Self.point(3, 9)))
    else { throw ArcadeFailure("no dictionary") }
    #expect(outside["distance"]?.asNumber == 5 && inside["distance"]?.asNumber == 0)
    #expect(outside["coordinate"]?.isEqual(to: try made(Self.point(4, 4))) == true)
    #expect(inside["coordinate"]?.isEqual(to: try made(Self.point(1, 2))) == true)
    #expect(vertex["coordinate"]?.isEqual(to: try made(Self.point(4, 4))) == true)

    let both = try arcade("Union", a, made(Self.square(9, 9, 1)))
    guard case .array(let parts) = try arcade("MultiPartToSinglePart", both) else {
      throw ArcadeFailure("no array")
    }
    #expect(try parts.elements.map { try number("Area", $0) }.sorted() == [1, 16])

    let turned = try geometry(arcade("Rotate", made(Self.line([(0, 0), (2, 0)])), 90))
    #expect(turned.vertices.xy == [SIMD2(1, -1), SIMD2(1, 1)])
    let round = try geometry(arcade("Rotate", made(Self.point(2, 0)), 180, made(Self.point(0, 0))))
    #expect(round.vertices.xy == [SIMD2(-2, 0)])
    #expect(try (number("Area", arcade("Rotate", a, 33.3)) - 16).magnitude < 1e-12)
    let (half, root) = (0.5, 0.75.squareRoot())
    for (angle, x, y): (Double, Double, Double) in [
      (30, root, half), (60, half, root), (120, -half, root), (-30, root, -half),
      (-135, -half.squareRoot(), -half.squareRoot()), (390, root, half), (-750, root, -half),
    ] {
      let turned = try geometry(
        arcade("Rotate", made(Self.point(5, 1)), .number(angle), made(Self.point(3, 1))))
      let gap = turned.vertices.xy[0] - SIMD2(3 + 2 * x, 1 + 2 * y)
      #expect((gap * gap).sum() < 1e-24, "\(angle)")
    }

    let feature = ArcadeFeature(fields: ArcadeFields([]), attributes: [])
    #expect(same(try arcade("Geometry", .feature(feature)), .null))
    try arcade("SetGeometry", .feature(feature), a)
    #expect(feature.geometry == (try geometry(a)))
  }

  @Test("Bad dictionaries and numbers are failures, and no result grows without bound")
  func failures() throws {
    let a = try made(Self.square(0, 0, 4))
    let calls: [(String, [ArcadeValue])] = [
      ("Point", [["x": "abc", "y": 1] as ArcadeValue]), ("Point", [["x": 1] as ArcadeValue]),
      ("Point", [["x": .number(.infinity), "y": 1] as ArcadeValue]), ("Point", [a]),
      ("Point", [5]), ("Polygon", [["rings": [[[0, 0], [1]]]] as ArcadeValue]),
      ("Polygon", [["rings": 5] as ArcadeValue]),
      ("Polygon", [["rings": [[.null]]] as ArcadeValue]),
      ("Polyline", [["paths": [[[0, 0], [.number(.nan), 1]]]] as ArcadeValue]),
      ("Geometry", [["curvePaths": []] as ArcadeValue]), ("Geometry", [["a": 1] as ArcadeValue]),
      ("Point", [["x": 1, "y": 1, "spatialReference": ["wkid": 999_999]] as ArcadeValue]),
      ("Point", [["x": 1, "y": 1, "spatialReference": ["wkid": 0.5]] as ArcadeValue]),
      ("Densify", [a, 0]), ("Densify", [a, -1]), ("Densify", [a, .number(.nan)]),
      ("Densify", [a, 1e-9]), ("DensifyGeodetic", [a, 1e-300]),
      ("Buffer", [a, .number(.infinity)]),
      ("BufferGeodetic", [a, .number(.nan)]), ("Clip", [a, a]), ("Angle", [a, a]),
      ("Rotate", [a, .number(.infinity)]), ("Generalize", [a, -1]),
      ("Union", [a, try made(Self.point(0, 0))]), ("Relate", [a, a, "abc"]),
      ("SetGeometry", [a, a]), ("RingIsClockwise", [5]),
    ]
    for (name, values) in calls {
      #expect(throws: ArcadeFailure.self, "\(name)") { try arcade(name, values, CallContext()) }
    }
  }
}
