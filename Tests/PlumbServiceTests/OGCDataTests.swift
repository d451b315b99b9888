import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// OGC API EDR: compares values of rasters at points, within radii, in areas and along lines with
/// the cells of the rasters.
@Suite struct OGCDataTests {
  private let evi = "/collections/cape.evi"
  private static let register = "http://www.opengis.net/def/crs/EPSG/0/"

  /// The library's description of a raster.
  private struct Known {
    var identifier: RasterIdentifier
    var transform: GridTransform
    var grid: TileGrid
    var reference: SpatialReference

    init(_ name: String) throws {
      let raster = try Raster.open(TestPaths.rasters + "/" + name)
      let profile = raster.members[0].profile
      guard case .affine(let transform) = profile.mapping else { throw CancellationError() }
      self.transform = transform
      grid = profile.grid
      identifier = try RasterIdentifier([raster], reference: .wgs84)
      reference = try SpatialReference(profile.reference ?? "")
    }
  }

  private static let evi = Result { try Known("evi_cape_town.tif") }

  private struct Sample: Equatable {
    var x, y: Double
    var value: Double?

    /// Foundation's reader of JSON sometimes gets the last digit wrong.
    static func == (a: Sample, b: Sample) -> Bool {
      abs(a.x - b.x) < 1e-11 && abs(a.y - b.y) < 1e-11 && a.value == b.value
    }
  }

  /// Points and values of a coverage, whose structure is checked.
  private func samples(_ coverage: [String: Any], _ name: String = "Band_0") throws -> [Sample] {
    #expect(coverage["type"] as? String == "Coverage")
    let domain = try coverage.object("domain")
    let axes = try domain.object("axes")
    let points: [[Double]]
    if domain["domainType"] as? String == "Point" {
      points = [
        try ["x", "y"].map { try #require((axes.object($0)["values"] as? [Double])?.first) }
      ]
    } else {
      #expect(domain["domainType"] as? String == "MultiPoint")
      let axis = try axes.object("composite")
      #expect(axis["coordinates"] as? [String] == ["x", "y"])
      points = try #require(axis["values"] as? [[Double]])
    }
    let range = try coverage.object("ranges").object(name)
    let values = try #require(range["values"] as? [Any])
    #expect(values.count == points.count)
    if let shape = range["shape"] as? [Int] { #expect(shape == [points.count]) }
    return zip(points, values).map { Sample(x: $0[0], y: $0[1], value: $1 as? Double) }
  }

  private func expected(_ points: [SIMD2<Double>]) throws -> [Sample] {
    let answer = try Self.evi.get().identifier.sample(x: points.map(\.x), y: points.map(\.y))[0]
    return points.enumerated().map { index, point in
      Sample(x: point.x, y: point.y, value: answer.columns[0][index]?.real)
    }
  }

  /// Points around the raster, some of them outside.
  private func points(_ count: Int, seed: UInt64) throws -> [SIMD2<Double>] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      SIMD2(
        Double.random(in: 18.2...19.3, using: &random),
        Double.random(in: -34.5 ... -33.4, using: &random))
    }
  }

  private func text(_ points: [SIMD2<Double>], isTurned: Bool = false) -> String {
    points.map { isTurned ? "\($0.y) \($0.x)" : "\($0.x) \($0.y)" }.joined(separator: ",")
  }

  // MARK: Position

  @Test func positionsAreTheRasters() throws {
    let service = try TestService.sample.get()
    let points = try points(500, seed: 7)
    let known = try expected(points)
    #expect(known.contains { $0.value != nil } && known.contains { $0.value == nil })
    let coverage = try service.ogcJSON(
      evi + "/position", ["coords": "MULTIPOINT(\(text(points)))"])
    #expect(try samples(coverage) == known)
    let turned = service.ogc(
      evi + "/position",
      [
        "coords": "MULTIPOINT(\(text(points, isTurned: true)))", "crs": Self.register + "4326",
        "parameter_names": "Band_0",
      ])
    #expect(turned.header("Content-Crs") == "<\(Self.register)4326>")
    let turnedObject = try TestService.object(turned)
    #expect(try samples(turnedObject) == known)
    let system = try turnedObject.object("domain").list("referencing")[0]
    #expect(system["coordinates"] as? [String] == ["y", "x"])
    for (point, sample) in zip(points, known).prefix(20) {
      let alone = try service.ogcJSON(
        evi + "/position", ["coords": "POINT(\(point.x) \(point.y))", "parameter-name": "Band_0"])
      #expect(try samples(alone) == [sample])
      #expect(try alone.object("domain")["domainType"] as? String == "Point")
    }
  }

  @Test func positionsInMetres() throws {
    let service = try TestService.sample.get()
    let points = try points(100, seed: 8)
    let metres = try points.map { point in
      let projected = try GeometryEngine.project(
        .point(Point(x: point.x, y: point.y, spatialReference: .wgs84)),
        to: SpatialReference("EPSG:3857")
      ).envelope
      return SIMD2(projected.xMin, projected.yMin)
    }
    for crs in [Self.register + "3857", "EPSG:3857"] {
      let coverage = try service.ogcJSON(
        evi + "/position", ["coords": "MULTIPOINT(\(text(metres)))", "crs": crs])
      #expect(try samples(coverage).map(\.value) == expected(points).map(\.value))
    }
  }

  /// Each format, and a posted form, gives the same values.
  @Test func formsHoldTheSame() throws {
    let service = try TestService.sample.get()
    let points = try points(60, seed: 9)
    let coords = "MULTIPOINT(\(text(points)))"
    let known = try expected(points)
    let features = try service.ogcJSON(
      evi + "/position", ["coords": coords, "f": "GeoJSON"]
    ).list("features")
    #expect(
      try features.map { feature in
        let point = try #require(feature.object("geometry")["coordinates"] as? [Double])
        return Sample(
          x: point[0], y: point[1], value: try feature.object("properties")["Band_0"] as? Double)
      } == known)
    let table = service.ogc(evi + "/position", ["coords": coords], accept: "text/csv")
    #expect(table.contentType.hasPrefix("text/csv"))
    let lines = String(decoding: try table.bytes(), as: UTF8.self).split(separator: "\n")
    #expect(lines[0] == "x,y,Band_0" || lines[0] == "x,y,Band_0,Scaled_0")
    let rows = lines.dropFirst().map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      return Sample(x: fields[0] ?? .nan, y: fields[1] ?? .nan, value: fields[2])
    }
    #expect(rows == known)
    let address = "/ogc" + evi + "/position"
    let form = service.service.reply(
      ServiceRequest(
        .post, address, contentType: "application/x-www-form-urlencoded",
        body: Array(TestService.form(["coords": coords]).utf8)))
    #expect(try samples(TestService.object(form)) == known)
    let json = service.service.reply(
      ServiceRequest(
        .post, address, contentType: "application/json",
        body: Array("{\"coords\":\"\(coords)\"}".utf8)))
    #expect(try samples(TestService.object(json)) == known)
  }

  /// More points than are written at once.
  @Test func manyPointsAreWrittenInParts() throws {
    let service = try TestService.sample.get()
    let points = try points(70_000, seed: 10)
    let reply = service.service.reply(
      ServiceRequest(
        .post, "/ogc" + evi + "/position", contentType: "application/json",
        body: Array("{\"coords\":\"MULTIPOINT(\(text(points)))\"}".utf8)))
    guard case .stream = reply.body else { return #expect(Bool(false), "all at once") }
    #expect(try samples(TestService.object(reply)) == expected(points))
  }

  // MARK: Areas

  /// The centres of all cells.
  private func centres() throws -> [SIMD2<Double>] {
    let known = try Self.evi.get()
    let centres = (0..<known.grid.height).flatMap { row in
      (0..<known.grid.width).map { column in
        let centre = known.transform.coordinates(
          column: Double(column) + 0.5, row: Double(row) + 0.5)
        return SIMD2(centre.x, centre.y)
      }
    }
    return try GeometryEngine.project(
      .multipoint(Multipoint(VertexList(centres), spatialReference: known.reference)), to: .wgs84
    ).vertices.xy
  }

  /// Cells of a row may differ in latitude by rounding of the transformation.
  private func rounded(_ y: Double) -> Double { (y * 1e7).rounded() }

  private func sorted(_ samples: [Sample]) -> [Sample] {
    samples.sorted { (rounded($0.y), $0.x) < (rounded($1.y), $1.x) }
  }

  /// The cells whose centres GEOS finds in seeded areas.
  @Test func areasHoldTheirCentres() throws {
    let service = try TestService.sample.get()
    let centres = try centres()
    var random = SeededGenerator(seed: 11)
    for _ in 0..<6 {
      let centre = SIMD2(
        Double.random(in: 18.4...18.9, using: &random),
        Double.random(in: -34.1 ... -33.7, using: &random))
      let ring = (0..<7).map { index in
        let angle = Double(index) / 7 * 2 * .pi
        let reach = Double.random(in: 0.005...0.05, using: &random)
        return centre + SIMD2(cos(angle), sin(angle)) * reach
      }
      let area = "POLYGON((\(text(ring + [ring[0]]))))"
      let polygon = Geometry.polygon(
        Polygon(VertexList(ring + [ring[0]]), ringEnds: [8], spatialReference: nil))
      let near = centres.filter { abs($0.x - centre.x) < 0.06 && abs($0.y - centre.y) < 0.06 }
      let inside = try near.filter {
        try GeometryEngine.intersects(polygon, .point(Point(x: $0.x, y: $0.y)))
      }
      let found = try samples(service.ogcJSON(evi + "/area", ["coords": area]))
      #expect(sorted(found) == sorted(try expected(inside)))
    }
  }

  @Test func radiiHoldTheirCentres() throws {
    let service = try TestService.sample.get()
    let centres = try centres()
    let geodesic = try DistanceCalculator(.wgs84, measure: .ground)
    var random = SeededGenerator(seed: 12)
    for unit in ["m", "km", nil] {
      let centre = SIMD2(
        Double.random(in: 18.4...18.9, using: &random),
        Double.random(in: -34.1 ... -33.7, using: &random))
      let metres = Double.random(in: 300...3000, using: &random)
      let inside = centres.filter { geodesic.distance(from: centre, to: $0) <= metres }
      var parameters = [
        "coords": "POINT(\(text([centre])))", "within": "\(unit == "km" ? metres / 1000 : metres)",
      ]
      parameters["within-units"] = unit
      let found = try samples(service.ogcJSON(evi + "/radius", parameters))
      #expect(sorted(found) == sorted(try expected(inside)))
    }
    let all = try samples(
      service.ogcJSON(evi + "/radius", ["coords": "POINT(18.5 -34)", "within": "30000000"]))
    #expect(all.count == centres.count)
  }

  /// Where files overlap, each point on the ground has one cell, from the file whose value is used.
  @Test func overlappingFilesReturnEachPointOnce() throws {
    let service = try TestService.sample.get()
    let reply = try service.ogcJSON(
      "/collections/cape.dem/area",
      ["coords": "POLYGON((18.95 -33.95,19.05 -33.95,19.05 -34.05,18.95 -34.05,18.95 -33.95))"])
    let found = try samples(reply)
    #expect(!found.isEmpty)
    let again = try samples(
      service.ogcJSON(
        "/collections/cape.dem/position",
        ["coords": "MULTIPOINT(\(text(found.map { SIMD2($0.x, $0.y) })))"]))
    #expect(found == again)
    #expect(Set(found.map { "\($0.x) \($0.y)" }).count == found.count)
  }

  // MARK: Lines

  /// Every cell that a line crosses is sampled, in the line's order: compared with dense sampling.
  @Test func linesMeetEachCell() throws {
    let service = try TestService.sample.get()
    let dem = try Known("dem")
    func cell(_ point: SIMD2<Double>) -> SIMD2<Double> {
      let position = dem.transform.gridPosition(x: point.x, y: point.y)
      return SIMD2(floor(position.column), floor(position.row))
    }
    var random = SeededGenerator(seed: 13)
    for _ in 0..<10 {
      let line = (0..<3).map { _ in
        SIMD2(
          Double.random(in: 18.4...18.6, using: &random),
          Double.random(in: -33.9 ... -33.8, using: &random))
      }
      let found = try samples(
        service.ogcJSON(
          "/collections/cape.dem/trajectory", ["coords": "LINESTRING(\(text(line)))"]))
      let answer = dem.identifier.sample(x: found.map(\.x), y: found.map(\.y))[0]
      #expect(found.map(\.value) == found.indices.map { answer.columns[0][$0]?.real })
      let ends = found.map { SIMD2($0.x, $0.y) }
      for vertex in line {
        #expect(ends.contains { abs($0.x - vertex.x) < 1e-11 && abs($0.y - vertex.y) < 1e-11 })
      }
      let cells = ends.map(cell)
      #expect(zip(cells, cells.dropFirst()).allSatisfy { $0 != $1 })
      var walked: [SIMD2<Double>] = []
      for (a, b) in zip(line, line.dropFirst()) {
        for step in 0...20_000 {
          let currentCell = cell(a + (b - a) * (Double(step) / 20_000))
          if walked.last != currentCell { walked.append(currentCell) }
        }
      }
      // A corner may be cut by less than a step.
      let (met, seen) = (Set(cells), Set(walked))
      #expect(met.subtracting(seen).count <= 1 && seen.isSubset(of: met))
    }
  }

  /// The same line in another CRS crosses about the same cells.
  @Test func linesInMetres() throws {
    let service = try TestService.sample.get()
    let found = try samples(
      service.ogcJSON(
        evi + "/trajectory",
        [
          "coords": "LINESTRING(2050000 -4020000,2060000 -4020000)", "crs": "EPSG:3857",
        ]))
    let line = try GeometryEngine.project(
      .polyline(
        Polyline(
          VertexList([SIMD2(2_050_000, -4_020_000), SIMD2(2_060_000, -4_020_000)]),
          partEnds: [2], spatialReference: SpatialReference("EPSG:3857"))), to: .wgs84)
    let expected = try samples(
      service.ogcJSON(evi + "/trajectory", ["coords": "LINESTRING(\(text(line.vertices.xy)))"]))
    #expect(found.count == expected.count && found.map(\.value) == expected.map(\.value))
  }

  // MARK: Parameters

  /// A scaled value is a separate parameter, which has the unit.
  @Test func parametersAreDescribed() throws {
    let service = try TestService.sample.get()
    for id in ["cape.evi", "cape.dem", "cape.land_cover"] {
      let collection = try service.ogcJSON("/collections/" + id)
      let names = try collection.object("parameter_names")
      #expect(names["Band_0"] != nil)
      let queries = try collection.object("data_queries")
      #expect(Set(queries.keys) == ["position", "radius", "area", "trajectory"])
      for (name, parameter) in names {
        let member = try #require(parameter as? [String: Any])
        #expect(member["type"] as? String == "Parameter" && member["observedProperty"] != nil)
        let coverage = try service.ogcJSON(
          "/collections/\(id)/position", ["coords": "POINT(18.6 -33.9)", "parameter-name": name])
        #expect(try Array(coverage.object("ranges").keys) == [name])
        #expect(try Array(coverage.object("parameters").keys) == [name])
      }
    }
  }

  @Test(arguments: [
    ("position", "coords", ""), ("position", "coords", "POINT(NaN 1)"),
    ("position", "coords", "POINT(1e400 1)"), ("position", "coords", "POINT EMPTY"),
    ("position", "coords", "MULTIPOINT EMPTY"), ("position", "coords", "POINT(1)"),
    ("position", "coords", "POINT(1 2"), ("position", "coords", "POLYGON((0 0,1 1,1 0,0 0))"),
    ("position", "coords", "18.5,-34"), ("position", "coords", "SRID=4326;POINT(1 2)"),
    ("position", "coords", "GEOMETRYCOLLECTION(POINT(1 2))"),
    ("position", "coords", "POINT(1 2) POINT(3 4)"), ("area", "coords", "POINT(1 2)"),
    ("area", "coords", "POLYGON EMPTY"), ("radius", "coords", "MULTIPOINT(1 2,3 4)"),
    ("trajectory", "coords", "POINT(1 2)"), ("trajectory", "coords", "LINESTRING EMPTY"),
    ("position", "crs", "EPSG:32734"), ("position", "crs", "nothing"), ("position", "crs", ""),
    ("position", "parameter-name", "Band_9"), ("position", "parameter_names", "NAME"),
    ("position", "parameter-name", ","), ("position", "datetime", "now"),
    ("position", "z", "high"), ("position", "f", "netCDF"), ("position", "within", "10"),
    ("position", "nothing", "1"), ("radius", "within", "-1"), ("radius", "within", "far"),
    ("radius", "within-units", "parsec"), ("radius", "within", "1e999"),
  ])
  func parametersAreChecked(kind: String, name: String, value: String) throws {
    let service = try TestService.sample.get()
    let usual = [
      "position": "POINT(18.5 -33.9)", "radius": "POINT(18.5 -33.9)",
      "area": "POLYGON((18.5 -34,18.51 -34,18.51 -33.99,18.5 -34))",
      "trajectory": "LINESTRING(18.5 -34,18.51 -34)",
    ]
    var parameters = ["coords": usual[kind] ?? ""]
    if kind == "radius" { parameters["within"] = "100" }
    #expect(service.ogc("\(evi)/\(kind)", parameters).status == 200)
    parameters[name] = value
    let detail = try service.problem("\(evi)/\(kind)", parameters)
    #expect(detail.contains(name.hasPrefix("parameter") ? "parameter-name" : "'\(name)'"))
    parameters[name] = nil
    if name == "coords" || name == "within" && kind == "radius" {
      #expect(try service.problem("\(evi)/\(kind)", parameters).contains("missing"))
    }
  }

  /// Times and heights do not apply to a raster, but are still parsed.
  @Test func timesAndHeightsAreTaken() throws {
    let service = try TestService.sample.get()
    for (name, value) in [
      ("datetime", "2026-05-01T00:00:00Z/.."), ("z", "10"), ("z", "10,20"), ("z", "10/20"),
      ("z", "R5/10/20"),
    ] {
      let reply = service.ogc(evi + "/position", ["coords": "POINT(18.5 -33.9)", name: value])
      #expect(reply.status == 200, "\(name) \(value)")
    }
  }
}
