import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// OGC API Features: collections, pages of features, and filters.
@Suite struct OGCFeatureTests {
  private let wards = "/collections/cape.wards/items"
  private static let register = "http://www.opengis.net/def/crs/EPSG/0/"
  private static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

  private func ids(_ replyObject: [String: Any]) throws -> [Int] {
    try replyObject.list("features").map { try #require($0["id"] as? Int) }
  }

  @Test func documentsSayWhatThereIs() throws {
    let service = try TestService.sample.get()
    let landing = try service.ogcJSON("/")
    for relation in ["self", "service-desc", "service-doc", "conformance", "data"] {
      let link = try #require(try landing.link(relation), "\(relation)")
      let reply = service.service.reply(
        ServiceRequest(.get, link.path, query: link.query ?? "", origin: "http://plumb"))
      #expect(reply.status == 200, "\(relation)")
    }
    let classes = try #require(
      try service.ogcJSON("/conformance")["conformsTo"] as? [String])
    #expect(classes.contains { $0.hasSuffix("ogcapi-features-1/1.0/conf/core") })
    #expect(classes.contains { $0.hasSuffix("ogcapi-edr-1/1.1/conf/core") })
    let collections = try service.ogcJSON("/collections").list("collections")
    let ids = collections.compactMap { $0["id"] as? String }
    #expect(Set(ids).count == ids.count && ids.contains("cape.wards") && ids.contains("cape.dem"))
    for collection in collections {
      let id = try #require(collection["id"] as? String)
      #expect(id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
      let described = try service.ogcJSON("/collections/" + id)
      #expect(described["title"] as? String == collection["title"] as? String)
      let box =
        try #require(
          described.object("extent").object("spatial")["bbox"] as? [[Double]]
        ).first ?? []
      #expect(box.count == 4 && box[1] <= box[3] && box.allSatisfy { $0.magnitude <= 180 })
    }
  }

  /// Each feature is on exactly one page, in the layer's order.
  @Test(arguments: [1, 7, 10, 49, 50, 51]) func pagesHoldEachFeatureOnce(limit: Int) throws {
    let service = try TestService.sample.get()
    var found: [Int] = []
    var query = "f=json&limit=\(limit)"
    var pages = 0
    while true {
      let reply = service.service.reply(
        ServiceRequest(.get, "/ogc" + wards, query: query, origin: "http://plumb"))
      let replyObject = try TestService.object(reply)
      let pageIDs = try ids(replyObject)
      #expect(replyObject["numberMatched"] as? Int == 50)
      #expect(replyObject["numberReturned"] as? Int == pageIDs.count && pageIDs.count <= limit)
      found += pageIDs
      pages += 1
      guard let next = try replyObject.link("next") else { break }
      query = next.percentEncodedQuery ?? ""
      try #require(pages < 60)
    }
    #expect(found == Array(1...50))
    #expect(pages == (50 + limit - 1) / limit)
  }

  @Test func pagesLinkBack() throws {
    let service = try TestService.sample.get()
    let page = try service.ogcJSON(wards, ["limit": "20", "offset": "25", "NAME": ""])
    #expect(try page.link("next") == nil)
    let all = try service.ogcJSON(wards, ["limit": "20", "offset": "25"])
    #expect(try all.link("prev")?.query?.contains("offset=5") == true)
    let beyond = try service.ogcJSON(wards, ["offset": "99999999999999999999999"])
    #expect(beyond["numberReturned"] as? Int == 0)
    #expect(beyond["numberMatched"] as? Int == 50)
    let maximum = try service.ogcJSON(wards, ["limit": "99999999999999999999999"])
    #expect(maximum["numberReturned"] as? Int == 50)
  }

  /// The collection has the same features as the layer's feature service.
  @Test func featuresAreTheServices() throws {
    let service = try TestService.sample.get()
    let ours = try service.ogcJSON(wards, ["limit": "100"]).list("features")
    let reply = service.reply(
      "/arcgis/rest/services/cape/FeatureServer/2/query",
      ["f": "geojson", "where": "1=1", "outFields": "*"])
    let theirs = try TestService.object(reply).list("features")
    #expect(ours.count == theirs.count)
    for (item, other) in zip(ours, theirs) {
      #expect(item["id"] as? Int == other["id"] as? Int)
      #expect((item["geometry"] as? NSObject) == (other["geometry"] as? NSObject))
      var properties = try other.object("properties")
      properties["OBJECTID"] = nil
      #expect(try item.object("properties") as NSDictionary == properties as NSDictionary)
      let id = try #require(item["id"] as? Int)
      let alone = try service.ogcJSON("\(wards)/\(id)")
      #expect((alone["geometry"] as? NSObject) == (item["geometry"] as? NSObject))
    }
  }

  /// Seeded boxes are compared with each feature's relation to the box.
  @Test func boxesSelect() throws {
    let service = try TestService.sample.get()
    let table = VectorFeatureTable(path: TestPaths.rasters + "/wards.geojson")
    try table.open()
    let features = try table.features(in: nil).map(\.feature)
    var random = SeededGenerator(seed: 61)
    for _ in 0..<40 {
      let x = Double.random(in: 18.3...19.2, using: &random)
      let y = Double.random(in: -34.4 ... -33.6, using: &random)
      let side = Double.random(in: 0...0.4, using: &random)
      let box = Envelope(xMin: x, yMin: y, xMax: x + side, yMax: y + side)
      let expected = try features.enumerated().filter { _, feature in
        guard var shape = feature.geometry else { return false }
        shape.spatialReference = nil
        return try GeometryEngine.intersects(.polygon(box.polygon), shape)
      }.map { $0.offset + 1 }
      let found = try service.ogcJSON(
        wards, ["limit": "100", "bbox": "\(x),\(y),\(x + side),\(y + side)"])
      #expect(try ids(found) == expected)
      let turned = try service.ogcJSON(
        wards,
        [
          "limit": "100", "bbox": "\(y),\(x),-9,\(y + side),\(x + side),9",
          "bbox-crs": Self.register + "4326",
        ])
      #expect(try ids(turned) == expected)
    }
  }

  /// A box whose west exceeds its east crosses 180 degrees.
  @Test func boxesCrossTheAntimeridian() throws {
    let folder = try TemporaryFolder()
    let points = [170.0, 179.5, -179.5, -170, 0, 100].map {
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[\#($0),10]}}"#
    }.joined(separator: ",")
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":[\#(points)]}"#, folder: folder)
    let items = "/collections/map.f/items"
    #expect(try ids(service.ogcJSON(items, ["bbox": "175,0,-175,20"])) == [2, 3])
    #expect(try ids(service.ogcJSON(items, ["bbox": "160,0,-160,20"])) == [1, 2, 3, 4])
    #expect(try ids(service.ogcJSON(items, ["bbox": "-175,0,175,20"])) == [1, 4, 5, 6])
    #expect(
      try ids(
        service.ogcJSON(
          items, ["bbox": "0,175,20,-175", "bbox-crs": Self.register + "4326"])) == [2, 3])
    let empty = service.ogc(items, ["bbox": "0,20,10,0"])
    #expect(empty.status == 200 && empty.warnings.count == 1)
    #expect(try ids(TestService.object(empty)).isEmpty)
  }

  /// Features that cross 180 degrees are returned in two parts, both counter-clockwise.
  @Test func shapesAreCutAtTheAntimeridian() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"Polygon","coordinates":[[[170,0],[190,0],[190,10],[170,10],[170,0]]]}}]}"#,
      folder: folder)
    let shape = try service.ogcJSON("/collections/map.f/items/1").object("geometry")
    #expect(shape["type"] as? String == "MultiPolygon")
    let parts = try #require(shape["coordinates"] as? [[[[Double]]]])
    #expect(parts.count == 2)
    for part in parts {
      let ring = try #require(part.first)
      #expect(ring.allSatisfy { $0[0].magnitude <= 180 })
      let area = zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
        sum + edge.0[0] * edge.1[1] - edge.1[0] * edge.0[1]
      }
      #expect(area == 200)
    }
  }

  /// The coordinates are in the axis order of the CRS's address.
  @Test func referencesOrderCoordinates() throws {
    let service = try TestService.sample.get()
    let places = "/collections/cape.places/items"
    func points(_ crs: String?) throws -> [[Double]] {
      let reply = service.ogc(places, crs.map { ["crs": $0] } ?? [:])
      #expect(reply.header("Content-Crs") == "<\(crs ?? Self.crs84)>")
      return try TestService.object(reply).list("features").map {
        try #require($0.object("geometry")["coordinates"] as? [Double])
      }
    }
    let usual = try points(nil)
    #expect(try points(Self.crs84) == usual)
    #expect(try points(Self.register + "4326") == usual.map { [$0[1], $0[0]] })
    let metres = try points(Self.register + "3857")
    for (metresItem, other) in zip(metres, usual) {
      let expected = try GeometryEngine.project(
        .point(Point(x: other[0], y: other[1], spatialReference: .wgs84)),
        to: SpatialReference("EPSG:3857"))
      #expect(abs(metresItem[0] - expected.envelope.xMin) < 1e-6)
      #expect(abs(metresItem[1] - expected.envelope.yMin) < 1e-6)
    }
  }

  @Test func propertiesSelect() throws {
    let service = try TestService.sample.get()
    let all = try service.ogcJSON(wards, ["limit": "100"]).list("features")
    for name in ["WARD", "POP", "NAME", "DENSITY"] {
      let value = try #require(try all[7].object("properties")[name])
      let expected = try all.filter {
        try $0.object("properties")[name] as? NSObject == value as? NSObject
      }.map { $0["id"] as? Int }
      let found = try service.ogcJSON(wards, ["limit": "100", name: "\(value)"])
      #expect(try ids(found) == expected.compactMap { $0 } && !expected.isEmpty, "\(name)")
    }
    let schema = try service.ogcJSON("/collections/cape.wards/queryables")
    #expect(try schema.object("properties").keys.contains("NAME"))
    let wrong = try service.problem(wards, ["POP": "many"])
    #expect(wrong.contains("POP") && wrong.contains("many"))
  }

  @Test func timesSelect() throws {
    let folder = try TemporaryFolder()
    let days = ["2026-05-01", "2026-05-02T12:00:00Z", "2026-05-03"].map {
      #"{"type":"Feature","properties":{"day":"\#($0)"},"geometry":null}"#
    }.joined(separator: ",")
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":[\#(days)]}"#, folder: folder)
    func found(_ text: String) throws -> [Int] {
      try ids(service.ogcJSON("/collections/map.f/items", ["datetime": text]))
    }
    #expect(try found("2026-05-02") == [2])
    #expect(try found("2026-05-02T12:00:00Z") == [2])
    #expect(try found("2026-05-02T13:00:00Z/..") == [3])
    #expect(try found("../2026-05-02") == [1, 2])
    #expect(try found("2026-05-01/2026-05-02T11:59:59Z") == [1])
    #expect(try found("2026-05-04/2026-05-01").isEmpty)
    let extent = try service.ogcJSON("/collections/map.f").object("extent")
    #expect(
      try extent.object("temporal")["interval"] as? [[String]]
        == [["2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z"]])
  }

  @Test(arguments: [
    ("limit", "0"), ("limit", "-1"), ("limit", "many"), ("limit", "1.5"), ("limit", ""),
    ("offset", "-1"), ("offset", "x"), ("bbox", "1,2,3"), ("bbox", "1,2,3,4,5"),
    ("bbox", "1,2,3,x"), ("bbox", "1,2,3,NaN"), ("bbox", "1,2,3,1e400"), ("bbox", ""),
    ("bbox-crs", "EPSG:4326"), ("crs", "http://www.opengis.net/def/crs/EPSG/0/99999"),
    ("crs", "http://www.opengis.net/def/crs/EPSG/0/32734"), ("crs", "x"), ("crs", ""),
    ("datetime", "yesterday"), ("datetime", "2026-13-01"), ("datetime", "../.."),
    ("datetime", "2026-05-01/2026-05-02/2026-05-03"), ("datetime", ""), ("f", "xml"),
    ("nothing", "1"), ("filter", "POP > 1"),
  ])
  func parametersAreChecked(name: String, value: String) throws {
    let service = try TestService.sample.get()
    let detail = try service.problem(wards, [name: value])
    #expect(detail.contains("'\(name)'"), "\(detail)")
  }

  @Test func problemsHaveTheirStatus() throws {
    let service = try TestService.sample.get()
    try service.problem("/nothing", status: 404)
    try service.problem("/collections/cape.nothing", status: 404)
    try service.problem("/collections/cape.wards/nothing", status: 404)
    try service.problem("/collections/cape.wards/items/51", status: 404)
    try service.problem("/collections/cape.wards/items/x", status: 404)
    try service.problem("/collections/cape.wards/position", ["coords": "POINT(1 2)"], status: 404)
    try service.problem("/collections/cape.dem/items", status: 404)
    try service.problem(wards, accept: "image/png", status: 406)
    try service.problem("/", ["limit": "1"])
    let repeated = service.service.reply(
      ServiceRequest(.get, "/ogc" + wards, query: "limit=1&limit=2"))
    #expect(repeated.status == 400)
    let posted = service.service.reply(ServiceRequest(.post, "/ogc" + wards))
    #expect(posted.status == 405 && posted.header("Allow") == "GET, HEAD, OPTIONS")
  }

  /// Browsers receive an HTML page for any request; other clients receive JSON.
  @Test(arguments: ["/", "/conformance", "/collections", "/collections/cape.wards", "/api"])
  func formsAreNegotiated(path: String) throws {
    let service = try TestService.sample.get()
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for reply in [service.ogc(path, accept: browser), service.ogc(path, ["f": "html"])] {
      #expect(reply.status == 200 && reply.contentType.hasPrefix("text/html"))
    }
    for accept in ["", "*/*", "application/json", "application/*;q=0.1, image/png"] {
      #expect(service.ogc(path, accept: accept).contentType.contains("json"), "\(accept)")
    }
    let page = service.ogc(wards, accept: browser)
    #expect(page.contentType.hasPrefix("text/html"))
  }

  /// A layer in metres, requested with a box outside of the domain of its CRS.
  @Test func boxesReachBeyondAReference() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:32734"}},"#
        + #""features":[{"type":"Feature","properties":{},"geometry":{"type":"Point","#
        + #""coordinates":[261000,6243000]}}]}"#, folder: folder)
    let items = "/collections/map.f/items"
    for box in ["-180,-90,180,90", "10,-40,30,-20", "170,-90,100,0"] {
      #expect(try ids(service.ogcJSON(items, ["bbox": box])) == [1], "\(box)")
    }
    #expect(try ids(service.ogcJSON(items, ["bbox": "19,-40,30,-20"])).isEmpty)
    let projectedItems = try service.ogcJSON(items, ["crs": Self.register + "32734"]).list(
      "features")
    #expect(
      try projectedItems[0].object("geometry")["coordinates"] as? [Double] == [261_000, 6_243_000])
    let collection = try service.ogcJSON("/collections/map.f")
    #expect(collection["storageCrs"] as? String == Self.register + "32734")
  }
}
