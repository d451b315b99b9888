import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import PlumbVerbs
import Testing

/// The options of `buffer` and `zonal`, alone and in pairs, have the same outcome through the
/// command and `/api`. The Python tests compare the package with the command.
@Suite struct AreaOptionTests {
  /// The files of the tests, and a server with their map.
  private struct Scene {
    let folder: TemporaryFolder
    let service: ServiceFrontEnd
    /// The areas, and the points, as GeoJSON.
    let features: String, points: String

    init() throws {
      folder = try TemporaryFolder()
      for name in ["a", "b"] {
        let rows = (0..<8).map { row in
          (0..<8).map { "\((row * 8 + $0) % (name == "a" ? 5 : 7) + 1)" }.joined(separator: " ")
        }
        try folder.write(
          name + ".asc",
          "ncols 8\nnrows 8\nxllcorner 18.4\nyllcorner -34\ncellsize 0.01\nNODATA_value 3\n"
            + rows.joined(separator: "\n") + "\n")
        try folder.write(
          name + ".prj",
          #"GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],"#
            + #"PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]"#)
      }
      try folder.write(
        "map.json",
        #"{"operationalLayers":[{"id":"a","layerType":"RasterLayer","url":"a.asc"},"#
          + #"{"id":"b","layerType":"RasterLayer","url":"b.asc"}],"version":"2.31"}"#)
      features = Self.collection([
        (
          1,
          #"{"type":"Polygon","coordinates":[[[18.405,-33.995],[18.435,-33.99],[18.43,-33.96],"#
            + #"[18.405,-33.995]]]}"#
        ),
        (
          2,
          #"{"type":"Polygon","coordinates":[[[18.44,-33.98],[18.47,-33.98],[18.47,-33.94],"#
            + #"[18.44,-33.98]]]}"#
        ),
      ])
      points = Self.collection([
        (1, #"{"type":"Point","coordinates":[18.42,-33.97]}"#),
        (2, #"{"type":"Point","coordinates":[18.46,-33.95]}"#),
      ])
      try folder.write("features.geojson", features)
      try folder.write("points.geojson", points)
      let catalog = try ServiceCatalog(maps: [folder.path("map.json")], networks: [], .init())
      service = ServiceFrontEnd(service: Service(catalog), points: "")
    }

    private static func collection(_ shapes: [(size: Int, geometry: String)]) -> String {
      let features = shapes.map {
        #"{"type":"Feature","properties":{"size":\#($0.size),"kind":"x","id":12345678901234567890},"#
          + #""geometry":\#($0.geometry)}"#
      }
      return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }
  }

  /// The values of the options that the command and the server offer.
  ///
  /// - Parameter others: the options that differ between these front ends.
  private static func values<Request>(
    _ table: OptionTable<Request>, except others: Set<Setting>,
    _ value: (Setting) -> ParityRequest.Value?
  ) throws -> [(Setting, ParityRequest.Value)] {
    let served = Set(table.options(of: .service).map(\.option))
    return try table.options(of: .command).map(\.option).filter {
      served.contains($0) && !others.contains($0)
    }.map { ($0, try #require(value($0), "\($0) has no value here")) }
  }

  private static func check(
    _ cases: [ParityRequest], command: (ParityRequest) throws -> ParityResult,
    service: (ParityRequest) throws -> ParityResult
  ) throws {
    var outcomes = 0
    for request in cases {
      let expected = try command(request)
      outcomes += expected.body == nil ? 0 : 1
      compareResult(try service(request), "/api", expected, request)
    }
    #expect(outcomes > 30 && cases.count - outcomes > 20, "\(outcomes) of \(cases.count)")
  }

  @Test func `buffers`() throws {
    let scene = try Scene()
    let values = try Self.values(Buffer.options, except: [.format]) { option in
      switch option {
      case .at: .file("18.42,-33.97", json: "[18.42,-33.97]")
      case .crs: .text("EPSG:4326")
      case .distance: .text("500,1000")
      case .distanceField: .text("size")
      case .unit: .text("m")
      case .geodesic, .union, .strict: .flag
      case .maxDeviation: .number("1")
      case .curve: .text("loxodrome")
      case .outCRS: .text("EPSG:3857")
      default: nil
      }
    }
    let bases: [[ParityRequest.Option]] = [
      [], [("distance", .text("0.01"))],
      [("distance", .text("500")), ("unit", .text("m")), ("geodesic", .flag)],
      [("distance-field", .text("size")), ("unit", .text("km")), ("geodesic", .flag)],
    ]
    let start = ["buffer", scene.folder.path("features.geojson"), "--of", "geojson"]
    try Self.check(
      ParityRequest.cases(.buffer, values, bases: bases),
      command: { try CommandFrontEnd.run(start + $0.arguments) },
      service: {
        try scene.service.post(
          .buffer, ["\"features\":\(scene.features)", $0.members(separator: "-")])
      })
  }

  @Test(arguments: [false, true])
  func `statistics`(aroundPoints: Bool) throws {
    let scene = try Scene()
    var others: Set<Setting> = [.rasters, .format]
    // In a request, the radius decides whether the features are points.
    if !aroundPoints { others.insert(.radius) }
    let values = try Self.values(Zonal.options, except: others) { option in
      switch option {
      case .crs: .text("EPSG:4326")
      case .band: .number("1")
      // The rasters of a server are layers of its map.
      case .weights: .file(scene.folder.path("b.asc"), json: "\"map_0\"")
      case .radius: .text("900m")
      case .whereClause: .text("size > 1")
      case .by: .text("kind")
      case .cells: .text("all-touched")
      case .coverageThreshold: .number("0.5")
      case .statistics: .text("count,median,frac")
      case .scaled, .classes, .wide, .long, .strict: .flag
      default: nil
      }
    }
    let bases: [[ParityRequest.Option]] =
      aroundPoints
      ? [[("radius", .text("1km"))]]
      : [[], [("stat", .text("sum,mean")), ("cells", .text("center"))]]
    let inputs = [
      "zonal", "n=" + scene.folder.path("a.asc"), "m=" + scene.folder.path("b.asc"), "--of",
      "geojson", aroundPoints ? "--points" : "--areas",
      scene.folder.path(aroundPoints ? "points.geojson" : "features.geojson"),
    ]
    let features = aroundPoints ? scene.points : scene.features
    try Self.check(
      ParityRequest.cases(.zonal, values, bases: bases),
      command: { try CommandFrontEnd.run(inputs + $0.arguments) },
      service: {
        try scene.service.post(
          .zonal,
          [
            // The last layer of a map is the topmost one, which has the number 0.
            #""rasters":["n=map_1","m=map_0"]"#, "\"features\":\(features)",
            $0.members(separator: "-"),
          ])
      })
  }
}
