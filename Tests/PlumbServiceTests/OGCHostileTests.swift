import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Invalid requests below `/ogc`, and the OpenAPI document's description of valid ones.
@Suite struct OGCHostileTests {
  /// Text similar to WKT that is invalid or far too long.
  private static let coordinates = [
    "MULTIPOINT(" + String(repeating: "(", count: 100_000),
    String(repeating: "GEOMETRYCOLLECTION(", count: 10_000),
    "POLYGON(" + String(repeating: "(0 0,1 1,", count: 10_000),
    "POINT(" + String(repeating: "1", count: 100_000) + " 1)", "POINT(1 2)\u{0}", "\u{0}",
    "POINT" + String(repeating: "Z", count: 1000), "POINT Z M (1 2 3 4)", "POINT(0x10 2)",
    "CIRCULARSTRING(0 0,1 1,2 0)", "POINT(١ ٢)",
  ]

  @Test(arguments: coordinates.indices) func coordinatesAreBounded(index: Int) throws {
    let service = try TestService.sample.get()
    for kind in ["position", "radius", "area", "trajectory"] {
      var parameters = ["coords": Self.coordinates[index]]
      if kind == "radius" { parameters["within"] = "5" }
      let reply = service.ogc("/collections/cape.evi/\(kind)", parameters)
      #expect(reply.status == 400 && reply.contentType == "application/problem+json")
      #expect(try reply.bytes().count < 1000)
    }
  }

  /// There are no cells far outside the raster, so none are searched.
  @Test func largeNumbersAreOutside() throws {
    // A query for the largest number of cells that is read here at once takes some time.
    var settings = ServiceSettings()
    settings.maximumPoints = 20_000
    let service = try TestService(maps: [TestPaths.rasters + "/cape.json"], settings)
    func values(_ kind: String, _ coords: String, _ more: [String: String] = [:]) throws -> Int? {
      let reply = service.ogc(
        "/collections/cape.evi/\(kind)", more.merging(["coords": coords]) { $1 })
      #expect([200, 400, 413].contains(reply.status), "\(kind) \(coords)")
      guard reply.status == 200 else { return nil }
      let range = try TestService.object(reply).object("ranges").object("Band_0")
      return (range["values"] as? [Any])?.count { !($0 is NSNull) }
    }
    #expect(try values("position", "MULTIPOINT(1e308 1e308,-1e308 0,0 1e-308)") == 0)
    for crs in ["CRS84", "EPSG:4326", "EPSG:3857"] {
      let more = ["crs": crs]
      _ = try values(
        "area", "POLYGON((-1e308 -1e308,1e308 -1e308,1e308 1e308,-1e308 -1e308))", more)
      _ = try values("area", "POLYGON((0 0,0 0,0 0,0 0))", more)
      _ = try values("area", "POLYGON((0 0,0 0))", more)
      _ = try values("trajectory", "LINESTRING(-1e308 -33.9,1e308 -33.9)", more)
      _ = try values("trajectory", "LINESTRING(-1e7 -1e7,1e7 1e7)", more)
      _ = try values("trajectory", "LINESTRING(1 1)", more)
      _ = try values("radius", "POINT(1e308 1e308)", ["crs": crs, "within": "1e300"])
      _ = try values("radius", "POINT(18.5 -33.9)", ["crs": crs, "within": "0"])
      _ = try values("radius", "POINT(0 90)", ["crs": crs, "within": "5000"])
      _ = try values("radius", "POINT(0 91)", ["crs": crs, "within": "5000"])
    }
    for west in [18.5, 378.5] {
      let east = west + 0.2
      let ring = "\(west) -34,\(east) -34,\(east) -33.9,\(west) -33.9,\(west) -34"
      #expect(try values("area", "POLYGON((\(ring)))") ?? 0 > 0)
    }
  }

  /// A query for more cells than a request may have is an error with this message.
  @Test func cellsAreLimited() throws {
    var settings = ServiceSettings()
    settings.maximumPoints = 100
    let service = try TestService(maps: [TestPaths.rasters + "/cape.json"], settings)
    let evi = "/collections/cape.evi"
    for (kind, parameters) in [
      ("position", ["coords": "MULTIPOINT(\((0...100).map { "\($0) 0" }.joined(separator: ",")))"]),
      ("area", ["coords": "POLYGON((18 -35,20 -35,20 -33,18 -33,18 -35))"]),
      ("radius", ["coords": "POINT(18.5 -33.9)", "within": "20000"]),
      ("trajectory", ["coords": "LINESTRING(18.3 -34,18.9 -33.8)"]),
    ] {
      let detail = try service.problem("\(evi)/\(kind)", parameters, status: 413)
      #expect(detail.contains("100"), "\(detail)")
    }
  }

  /// Pieces of real requests, truncated and combined: there is always a reply, and never a server
  /// error.
  @Test func fuzzedRequestsGetReplies() throws {
    let service = try TestService.sample.get()
    let paths = [
      "", "api", "collections", "collections/cape.wards", "collections/cape.wards/items",
      "collections/cape.wards/items/3", "collections/cape.evi/position",
      "collections/cape.evi/radius", "collections/cape.land_cover/area",
      "collections/cape.evi/trajectory", "collections/cape.wards/queryables",
      "collections/gas.nothing", "collections/%2e%2e", "%ff",
    ]
    let pieces = [
      "f=json", "f=html", "f=CSV", "f=GeoJSON", "f=", "limit=5", "limit=0", "offset=3", "offset=-",
      "bbox=18,-35,19,-33", "bbox=170,-90,-170,90", "bbox=1,2,3", "bbox=1e308,1e308,-1e308,2",
      "bbox-crs=http://www.opengis.net/def/crs/EPSG/0/3857", "crs=EPSG:4326", "crs=CRS84",
      "crs=http://www.opengis.net/def/crs/EPSG/0/4326", "datetime=2026-05-01/..", "datetime=/",
      "coords=POINT(18.5 -33.9)", "coords=MULTIPOINT(18.5 -33.9,18.6 -33.8)",
      "coords=POLYGON((18.5 -34,18.51 -34,18.51 -33.99,18.5 -34))",
      "coords=LINESTRING(18.5 -34,18.51 -34)", "coords=POINT(1 2", "within=50", "within=1e5",
      "within-units=km", "within-units=m", "parameter-name=Band_0", "parameter_names=Band_0,Band_1",
      "z=1/2", "POP=5", "NAME=Stellenbosch", "NAME=%ff", "&&&", "=", "%", "token=x",
    ]
    var random = SeededGenerator(seed: 17)
    let count = ProcessInfo.processInfo.environment["PLUMB_FUZZED_REQUESTS"].flatMap { Int($0) }
    for _ in 0..<(count ?? 3000) {
      let path = paths.randomElement(using: &random) ?? ""
      var query = ""
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        var piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
        if Int.random(in: 0..<10, using: &random) == 0, !piece.isEmpty {
          piece[Int.random(in: 0..<piece.count, using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
        query += "&" + String(decoding: piece, as: UTF8.self)
      }
      let reply = service.service.reply(ServiceRequest(.get, "/ogc/" + path, query: query))
      #expect([200, 400, 404, 413].contains(reply.status), "\(path)?\(query): \(reply.status)")
      if reply.status != 200 { #expect(reply.contentType == "application/problem+json") }
      if reply.contentType.contains("json") {
        let bytes = try reply.bytes()
        #expect((try? JSONSerialization.jsonObject(with: Data(bytes))) != nil, "\(path)?\(query)")
      }
    }
  }

  // MARK: The description

  /// Each reference resolves, each address has a reply, and its parameters are those that the
  /// server accepts.
  @Test func descriptionIsTrue() throws {
    let service = try TestService.sample.get()
    let reply = service.ogc("/api")
    #expect(reply.contentType == "application/vnd.oai.openapi+json;version=3.0")
    let api = try TestService.object(reply)
    #expect((api["openapi"] as? String)?.hasPrefix("3.0") == true)
    #expect((api["info"] as? [String: Any])?["version"] as? String == plumbVersion.description)
    func check(_ value: Any) throws {
      if let object = value as? [String: Any] {
        if let reference = object["$ref"] as? String {
          var target: Any? = api
          for part in reference.dropFirst(2).split(separator: "/") {
            target = (target as? [String: Any])?[String(part)]
          }
          #expect(target != nil, "\(reference)")
        }
        for (key, value) in object {
          if key == "pattern", let pattern = value as? String { _ = try Regex(pattern) }
          try check(value)
        }
      }
      for value in value as? [Any] ?? [] { try check(value) }
    }
    try check(api)
    let paths = try api.object("paths")
    #expect(paths.count > 40)
    for (path, item) in paths where !path.contains("{") {
      let operation = try #require(item as? [String: Any]).object("get")
      let parameters = try operation.list("parameters")
      let needsMore = parameters.contains { $0["required"] as? Bool == true }
      #expect(service.ogc(path).status == (needsMore ? 400 : 200), "\(path)")
      let responses = try operation.object("responses")
      #expect(responses["200"] != nil && responses["400"] != nil && responses["500"] != nil)
    }
    let items = try paths.object("/collections/cape.wards/items").object("get")
    let names = try items.list("parameters").compactMap { $0["name"] as? String }
    #expect(names.contains("NAME") && names.contains("POP") && names.contains("crs"))
  }
}
