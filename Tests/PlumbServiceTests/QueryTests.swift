import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Compares feature queries with a plain search of the same features.
@Suite struct QueryTests {
  private let path = "cape/FeatureServer/2/query"

  /// The wards of the sample map, as the library reads them.
  private static let wards = Result { () throws -> ([Field], [Feature]) in
    let table = VectorFeatureTable(path: TestPaths.rasters + "/wards.geojson")
    try table.open()
    return (table.fields, try table.features(in: nil).map(\.feature))
  }

  private func ids(_ parameters: [String: String]) throws -> [Int] {
    var parameters = parameters
    parameters["returnIdsOnly"] = "true"
    let reply = try TestService.sample.get().json(path, parameters)
    return try #require(reply["objectIds"] as? [Int], "\(reply)")
  }

  @Test(arguments: [
    "POP > 25000", "POP BETWEEN 10000 AND 30000 AND NOT NAME LIKE 'S%'", "WARD IN (1, 5, 9)",
    "OBJECTID >= 48", "NAME IS NULL", "1=1", "UPPER(NAME) = 'STELLENBOSCH'",
  ])
  func whereSelects(condition: String) throws {
    let (fields, features) = try Self.wards.get()
    let bound = try Condition(condition).bound(
      to: fields + [Field(name: "OBJECTID", kind: .integer)])
    let expected = features.enumerated().filter { number, feature in
      bound.isTrue(feature.attributes + [.integer(Int64(number + 1))])
    }.map { $0.offset + 1 }
    #expect(try ids(["where": condition]) == expected)
  }

  /// Parameters that would be ignored together with another parameter are errors.
  @Test func contradictoryParameters() throws {
    let service = try TestService.sample.get()
    let statistics = #"[{"statisticType":"count","onStatisticField":"POP"}]"#
    for (parameters, name) in [
      (["outStatistics": statistics, "returnCountOnly": "true"], "returnCountOnly"),
      (["outStatistics": statistics, "returnIdsOnly": "true"], "returnIdsOnly"),
      (["outStatistics": statistics, "returnExtentOnly": "true"], "returnExtentOnly"),
      (["outStatistics": statistics, "returnDistinctValues": "true"], "returnDistinctValues"),
      (["having": "COUNT(POP) > 1"], "having"),
      (["groupByFieldsForStatistics": "NAME"], "groupByFieldsForStatistics"),
      (["returnCountOnly": "true", "returnUniqueIdsOnly": "maybe"], "returnUniqueIdsOnly"),
      (["returnIdsOnly": "true", "returnDistinctValues": "maybe"], "returnDistinctValues"),
      (["returnCountOnly": "true", "relationParam": "T********"], "relationParam"),
    ] {
      let message = try service.json(path, parameters).failure().message
      #expect(message.contains("'\(name)'"), "\(parameters): \(message)")
    }
    let counted = try service.json(
      path, ["outStatistics": statistics, "returnCountOnly": "false", "having": ""])
    #expect(counted["features"] != nil)
  }

  /// The last value of a repeated parameter does not hide another one.
  @Test func repeatedParameters() throws {
    let service = try TestService.sample.get().service
    func reply(_ query: String, type: String = "", body: String = "") throws -> String {
      let reply = service.reply(
        ServiceRequest(
          body.isEmpty ? .get : .post, "/arcgis/rest/services/" + path, query: query,
          contentType: type, body: Array(body.utf8)))
      return String(decoding: try reply.bytes(), as: UTF8.self)
    }
    let form = "application/x-www-form-urlencoded"
    let common = "f=json&returnCountOnly=true"
    let plain = try reply(common + "&where=1%3D1")
    for (query, type, body) in [
      ("&where=1%3D1&text=Paarl&text=", "", ""), ("&where=POP%3E40000&WHERE=1%3D1", "", ""),
      ("", form, "where=1%3D1&where=2%3D2"),
      ("", "application/json", #"{"where":"1=1","text":"Paarl","Text":""}"#),
    ] {
      let found = try reply(common + query, type: type, body: body)
      #expect(
        found.contains("parameter is repeated with different values"), "\(query)\(body): \(found)")
    }
    #expect(try reply(common + "&where=1%3D1&where=1%3D1&f=json") == plain)
    let repeated = try reply(
      common, type: "application/json", body: #"{"where":"1=1","where":"POP>40000"}"#)
    #expect(repeated.contains("the member where is repeated"), "\(repeated)")
    let sample = service.reply(
      ServiceRequest(
        .post, "/api/sample", query: "map=cape&tolerance=1km&tolerance=2km",
        contentType: "text/csv",
        body: Array("x,y\n18.5,-33.9\n".utf8)))
    #expect(
      String(decoding: try sample.bytes(), as: UTF8.self).contains(
        "'tolerance' parameter is repeated"))
    // The body overrides the query.
    #expect(try reply(common + "&where=POP%3E40000", type: form, body: "where=1%3D1") == plain)
  }

  @Test func errorsAsPages() throws {
    let service = try TestService.sample.get()
    let reply = service.reply(
      "/arcgis/rest/services/" + path, ["where": "1=1", "gdbVersion": "x", "f": "html"])
    #expect(reply.contentType.hasPrefix("text/html"))
    #expect(String(decoding: try reply.bytes(), as: UTF8.self).contains("gdbVersion"))
  }

  /// Compares seeded shapes and every relation with GEOS on each feature.
  @Test(
    arguments: [
      ("esriSpatialRelIntersects", GeometryEngine.intersects),
      ("esriSpatialRelContains", GeometryEngine.contains),
      ("esriSpatialRelWithin", GeometryEngine.within),
      ("esriSpatialRelTouches", GeometryEngine.touches),
      ("esriSpatialRelCrosses", GeometryEngine.crosses),
      ("esriSpatialRelOverlaps", GeometryEngine.overlaps),
    ] as [(String, @Sendable (Geometry, Geometry) throws(GeometryError) -> Bool)])
  func shapesSelect(
    name: String, holds: @Sendable (Geometry, Geometry) throws(GeometryError) -> Bool
  ) throws {
    let (_, features) = try Self.wards.get()
    var random = SeededGenerator(seed: 16)
    for round in 0..<30 {
      let x = Double.random(in: 18.3...19.2, using: &random)
      let y = Double.random(in: -34.4 ... -33.6, using: &random)
      let w = Double.random(in: 0.01...0.4, using: &random)
      let (text, shape): (String, Geometry)
      switch round % 3 {
      case 0:
        (text, shape) = ("{\"x\":\(x),\"y\":\(y)}", .point(Point(x: x, y: y)))
      case 1:
        let envelope = Envelope(xMin: x, yMin: y, xMax: x + w, yMax: y + w)
        (text, shape) = ("\(x),\(y),\(x + w),\(y + w)", .polygon(envelope.polygon))
      default:
        (text, shape) = (
          "{paths:[[[\(x),\(y)],[\(x + w),\(y + w / 2)]]]}",
          .polyline(Polyline(VertexList([SIMD2(x, y), SIMD2(x + w, y + w / 2)]), partEnds: [2]))
        )
      }
      let expected = try features.enumerated().filter { _, feature in
        guard var rowShape = feature.geometry else { return false }
        rowShape.spatialReference = nil
        return try holds(shape, rowShape)
      }.map { $0.offset + 1 }
      #expect(
        try ids(["geometry": text, "spatialRel": name, "inSR": "4326"]) == expected,
        "\(name) \(text)")
    }
  }

  /// A feature within a distance in metres, along the ellipsoid.
  @Test func distancesSelect() throws {
    let (_, features) = try Self.wards.get()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<10 {
      let x = Double.random(in: 18.3...19.2, using: &random)
      let y = Double.random(in: -34.4 ... -33.6, using: &random)
      let kilometres = Double.random(in: 0.5...12, using: &random)
      let point = Geometry.point(Point(x: x, y: y, spatialReference: .wgs84))
      var expected: Set<Int> = [], maybe: Set<Int> = []
      for (number, feature) in features.enumerated() {
        guard let shape = feature.geometry else { continue }
        let metres = try GeometryEngine.distance(from: point, to: shape, measure: .geodesic())
        if metres <= kilometres * 1000 { expected.insert(number + 1) }
        // The area is a polygon, and the wards' edges are straight in degrees.
        if abs(metres - kilometres * 1000) < 5 { maybe.insert(number + 1) }
      }
      let found = Set(
        try ids([
          "geometry": "\(x),\(y)", "inSR": "4326", "distance": "\(kilometres)",
          "units": "esriSRUnit_Kilometer",
        ]))
      #expect(found.symmetricDifference(expected).isSubset(of: maybe))
    }
  }

  /// Views of the whole world, including shifted views, contain the features that they show.
  @Test(arguments: [
    "-40037508.34,-20037508.34,40037508.34,20037508.34", "0,-6000000,21000000,6000000",
    "-30037508.34,-20037508.34,10000000,20037508.34", "42000000,-6000000,43000000,-1000000",
    "{rings:[[[0,-6000000],[0,6000000],[21000000,6000000],[21000000,-6000000],[0,-6000000]]]}",
  ])
  func viewsGoRoundTheWorld(view: String) throws {
    #expect(try ids(["geometry": view, "inSR": "102100"]).count == 50)
  }

  @Test func viewsInDegreesGoRoundTheWorld() throws {
    #expect(try ids(["geometry": "370,-80,380,80", "inSR": "4326"]).count == 50)
    #expect(try ids(["geometry": "190,-80,350,80", "inSR": "4326"]).isEmpty)
    let folder = try TemporaryFolder()
    let points = [(179.9, 0), (-179.9, 0)].map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0.0),\#($0.1)]},"#
        + #""properties":{"a":true}}"#
    }
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":["# + points.joined(separator: ",") + "]}",
      folder: folder)
    for (view, reference) in [
      ("170,-10,190,10", "4326"), ("19000000,-100000,21000000,100000", "102100"),
      ("-190,-10,-170,10", "4326"),
    ] {
      let reply = try service.json(
        "map/FeatureServer/0/query",
        ["geometry": view, "inSR": reference, "returnIdsOnly": "true"])
      #expect(reply["objectIds"] as? [Int] == [1, 2], "\(view)")
    }
    let sum = try service.json(
      "map/FeatureServer/0/query",
      [
        "outStatistics":
          "[{statisticType:'sum',onStatisticField:'a',outStatisticFieldName:'s'}]"
      ])
    #expect(try sum.attributes().first?["s"] as? Int == 2)
  }

  /// A layer that omits features keeps the row numbers as ids.
  @Test func idsAreTheRows() throws {
    let folder = try TemporaryFolder()
    let points = (1...5).map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0),1]},"properties":{"my field":\#($0)}}"#
    }
    try folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":["# + points.joined(separator: ",") + "]}")
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"p","layerType":"ArcGISFeatureLayer","url":"p.geojson","#
        + #""layerDefinition":{"definitionExpression":"\"my field\" > 2"}}],"version":"2.31"}"#)
    let service = try TestService(maps: [folder.path("map.json")])
    let reply = try service.json(
      "map/FeatureServer/0/query",
      ["returnIdsOnly": "true", "orderByFields": "\"my field\" DESC"])
    #expect(reply["objectIds"] as? [Int] == [5, 4, 3])
    let one = try service.json(
      "map/FeatureServer/0/query", ["objectIds": "4,1", "outFields": "my field"])
    #expect(try one.attributes().map { $0["my field"] as? Int } == [4])
  }

  @Test func pagesMakeAll() throws {
    let service = try TestService.sample.get()
    var names: [String] = []
    var offset = 0
    while true {
      let page = try service.json(
        path,
        [
          "where": "1=1", "outFields": "NAME,WARD", "orderByFields": "NAME DESC, WARD",
          "resultOffset": "\(offset)", "resultRecordCount": "7",
        ])
      let rows = try page.attributes()
      names += rows.compactMap { $0["NAME"] as? String }
      offset += rows.count
      let isTruncated = page["exceededTransferLimit"] as? Bool ?? false
      #expect(isTruncated == (offset < 50))
      if !isTruncated { break }
    }
    let (fields, features) = try Self.wards.get()
    let expected = features.compactMap { $0["NAME", in: fields]?.stringValue }.sorted(by: >)
    #expect(names == expected)
  }

  @Test func statisticsSum() throws {
    let service = try TestService.sample.get()
    let (fields, features) = try Self.wards.get()
    let people = features.compactMap { $0["POP", in: fields]?.doubleValue }
    let statistics = ["count", "sum", "min", "max", "avg", "stddev", "var"].map {
      #"{"statisticType":"\#($0)","onStatisticField":"POP","outStatisticFieldName":"\#($0)"}"#
    }
    let reply = try service.json(
      path, ["outStatistics": "[" + statistics.joined(separator: ",") + "]"])
    let row = try #require(try reply.attributes().first)
    func number(_ name: String) -> Double { (row[name] as? NSNumber)?.doubleValue ?? .nan }
    let mean = people.reduce(0, +) / Double(people.count)
    let variance =
      people.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(people.count - 1)
    #expect(number("count") == Double(people.count) && number("sum") == people.reduce(0, +))
    #expect(number("min") == people.min() && number("max") == people.max())
    #expect(abs(number("avg") - mean) < 1e-9 * mean)
    #expect(abs(number("var") - variance) < 1e-9 * variance)
    #expect(abs(number("stddev") - variance.squareRoot()) < 1e-6)
  }

  @Test func groupsAreCounted() throws {
    let service = try TestService.sample.get()
    let reply = try service.json(
      "cape/FeatureServer/0/query",
      [
        "outStatistics":
          #"[{statisticType:'count',onStatisticField:'NAME',outStatisticFieldName:'n'}]"#,
        "groupByFieldsForStatistics": "KIND", "orderByFields": "n DESC",
        "having": "COUNT(NAME) > 1",
      ])
    let rows = try reply.attributes()
    #expect(!rows.isEmpty)
    for row in rows {
      let kind = try #require(row["KIND"] as? String)
      let count = try service.json(
        "cape/FeatureServer/0/query", ["where": "KIND = '\(kind)'", "returnCountOnly": "true"])
      #expect(count["count"] as? Int == row["n"] as? Int)
      #expect(row["n"] as? Int ?? 0 > 1)
    }
    let distinct = try service.json(
      "cape/FeatureServer/0/query",
      ["outFields": "KIND", "returnDistinctValues": "true", "returnGeometry": "false"])
    let kinds = try distinct.attributes().compactMap { $0["KIND"] as? String }
    let count = try service.json(
      "cape/FeatureServer/0/query",
      ["outFields": "KIND", "returnDistinctValues": "true", "returnCountOnly": "true"])
    #expect(count["count"] as? Int == kinds.count)
    #expect(kinds == Set(kinds).sorted())
  }

  @Test func shapesAreProjectedAndRounded() throws {
    let service = try TestService.sample.get()
    let reply = try service.json(
      "cape/FeatureServer/0/query",
      ["where": "OBJECTID=1", "outSR": "102100", "geometryPrecision": "1"])
    let reference = try reply.object("spatialReference")
    #expect(reference["wkid"] as? Int == 102_100 && reference["latestWkid"] as? Int == 3857)
    let shape = try #require(try reply.list("features").first).object("geometry")
    let feature = try service.json("cape/FeatureServer/0/query", ["where": "OBJECTID=1"])
    let there = try #require(try feature.list("features").first).object("geometry")
    let point = try GeometryEngine.project(
      .point(
        Point(
          x: try #require(there["x"] as? Double), y: try #require(there["y"] as? Double),
          spatialReference: .wgs84)), to: SpatialReference("EPSG:3857"))
    guard case .point(let expected) = point else { return }
    #expect(shape["x"] as? Double == (expected.x * 10).rounded() / 10)
    #expect(shape["y"] as? Double == (expected.y * 10).rounded() / 10)
    let extent = try service.json(
      path, ["returnExtentOnly": "true", "where": "1=1", "outSR": "4326"])
    #expect(extent["count"] as? Int == 50)
    let geoJSON = try service.json(path, ["f": "geojson", "where": "WARD = 34", "outFields": "*"])
    #expect(geoJSON["type"] as? String == "FeatureCollection")
    #expect(try geoJSON.list("features").count == 1)
  }

  @Test(
    arguments: [
      ["where": "POP > "], ["where": "nothing = 1"], ["where": "1=1; DROP TABLE wards"],
      ["where": "NAME = 'x' UNION SELECT * FROM sqlite_master"], ["orderByFields": "NAME; DROP"],
      ["orderByFields": "(SELECT 1)"], ["outFields": "nothing"], ["objectIds": "1,x"],
      ["geometry": "{}"], ["geometry": "1,2,3"], ["geometry": "{x:1,y:2", "inSR": "4326"],
      ["geometry": "1,2", "inSR": "999999"], ["geometry": "1,2", "inSR": "/vsicurl/http://a/b"],
      ["spatialRel": "nothing", "geometry": "1,2"], ["resultOffset": "-1"],
      ["outStatistics": "[{}]"], ["outStatistics": "x"], ["returnGeometry": "maybe"],
      ["f": "pbf"], ["callback": "alert"], ["geometryPrecision": "1e400"],
    ] as [[String: String]])
  func mistakesAreReported(parameters: [String: String]) throws {
    let reply = try TestService.sample.get().json(path, parameters)
    let failure = try reply.failure()
    #expect(failure.code == 400 && !failure.message.isEmpty, "\(reply)")
  }
}
