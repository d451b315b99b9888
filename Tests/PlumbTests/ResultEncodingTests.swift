import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Results encode to the JSON that their writers write.
@Suite struct ResultEncodingTests {
  /// The JSON with sorted members and numbers in one form.
  private func canonical(_ data: Data) throws -> String {
    let value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    let sorted = try JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: sorted, as: UTF8.self)
  }

  private func encoded(_ value: some Encodable) throws -> String {
    try canonical(try JSONEncoder().encode(value))
  }

  private func expectSame(
    _ results: [IdentifyLayerResult], location: SourceLocation = #_sourceLocation
  ) throws {
    let point = QueryPoint(x: 18.86, y: -33.93, reference: "EPSG:4326")
    let text = IdentifyLayerResult.json(point: point, results: results)
    let written = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])["results"]
    let data = try JSONSerialization.data(withJSONObject: try #require(written))
    #expect(try encoded(results) == canonical(data), sourceLocation: location)
  }

  @Test func identifyResultsOfTheSampleMap() throws {
    let map = try Map.open(path: TestPaths.rasters + "/cape.json")
    let results = try map.identifyLayers(
      at: Point(x: 18.86, y: -33.93),
      IdentifyOptions(tolerance: .metres(2000), maximumResultsPerLayer: nil))
    #expect(results.count >= 4)
    #expect(results.contains { !$0.sublayerResults.isEmpty })
    try expectSame(results)
  }

  @Test func identifyResultsOfEveryKindOfValue() throws {
    let values: [RasterCell.Value] = [
      .null, .text("a \"b\"\n\u{1}é"), .real(0.1), .real(.nan), .cell(.signed(.min)),
      .cell(.unsigned(.max)), .cell(.float32(0.1)), .cell(.float64(-1e-300)),
      .cell(.float64(.infinity)), .cell(.complexFloat32(1.5, -2)),
    ]
    let cell = RasterCell(
      attributes: values.enumerated().map { ("Band_\($0)", $1) }, status: [.ok, .transformFailed],
      row: 3, column: -1, file: "a.tif", footprint: [(0, 0), (1, 0), (1, 1), (0, 0)])
    let fields = ["a", "b", "c", "d", "e", "f"].map { Field(name: $0, kind: .text) }
    let feature = Feature(
      id: 1,
      attributes: [
        .null, .text(""), .integer(.max), .real(1e300), .boolean(true),
        .json("{\"list\":[1,{\"deep\":null}],\"long\":12345678901234567890}"),
      ], geometry: .polygon(Polygon(VertexList([[0, 0], [0, 1.5], [1, 1]]))))
    try expectSame([
      IdentifyLayerResult(
        layerContent: .init(id: "0", name: "all", type: "group"),
        geoElements: [
          .cell(cell),
          .feature(IdentifiedFeature(fields: fields, feature: feature, distance: 221.8)),
        ],
        popups: [
          Popup(title: "t", text: "x", fields: [.init(name: "a", label: "A", text: "1")])
        ],
        sublayerResults: [
          IdentifyLayerResult(
            layerContent: .init(id: "1", name: "broken", type: "sublayer"),
            error: LayerError(code: .loadFailed, message: "no file"))
        ], isTransferLimitExceeded: true, foundCount: 3)
    ])
    try expectSame([])
  }

  @Test func tracesAndSegments() throws {
    let opened = try OpenedNetwork.open(path: TestPaths.rasters + "/gas.json")
    let network = opened.network
    var parameters = UtilityTraceParameters(
      .isolation, startingLocations: [try ElementReference(network).start("M0054:Load")])
    let domain = try #require(network.definition.domainNetworks.first { $0.name == "Pipeline" })
    let tier = try #require(domain.tiers.first)
    var configuration = tier.traceConfiguration ?? TraceConfiguration()
    configuration.includeIsolatedFeatures = true
    configuration.filter = TraceFilter(barriers: .category("Isolating"))
    (parameters.domainNetwork, parameters.tier) = (domain.name, tier.name)
    parameters.traceConfiguration = configuration
    let result = try network.trace(parameters)
    #expect(result.isolation?.isolating.count == 3)
    let counts = (result.elements.count, result.isolation?.isolated.count ?? 0)
    #expect(result.description == "\(counts.0) elements, close 3 to isolate \(counts.1)")
    #expect(
      try encoded(result.encodable(in: network))
        == canonical(Data(result.json(in: network))))
    let segments = try network.segments(filterBarriers: .category("Isolating"))
    #expect(segments.count > 1)
    #expect(
      try encoded(segments.encodable(in: opened)) == canonical(Data(segments.json(in: opened))))
  }

  @Test func notificationsOfTheSampleWalk() throws {
    let file = try FenceFile(TestPaths.rasters + "/garden_sections.geojson")
    var rules = FenceRules()
    (rules.reportsCrossings, rules.measuresDistances, rules.dwell) = (true, true, 30)
    let geotrigger = FenceGeotrigger(
      name: "Section", fences: try FenceSet(file.fences), fenceFields: file.fields, rules: rules,
      messageExpression: try MessageExpression(
        "{ message: $fencefeature.name, actions: ['a', 'b'], n: 1.5, list: [1, null] }"))
    let notifier = try FenceNotifier(geotrigger)
    let feed = try LocationFeed(TestPaths.rasters + "/walk.csv", attributes: false)
    let path = NSTemporaryDirectory() + "/notifications-\(UUID()).jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try NotificationWriter(
      path: path, format: .jsonl, explains: true, reportsCrossings: true)
    var notifications: [FenceNotification] = []
    while let batch = try feed.next(limit: 1000) {
      let found = notifier.update(batch, entities: feed.entities).notifications
      try writer.write(found)
      notifications += found
    }
    try writer.finish()
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(notifications.count == lines.count && lines.count > 10)
    #expect(lines.contains { $0.contains("\"crossing\":") && $0.contains("\"actions\":") })
    for (notification, line) in zip(notifications, lines) {
      #expect(try encoded(notification) == canonical(Data(line.utf8)))
    }
    let first = try #require(notifications.first)
    #expect(
      first.description.hasPrefix("Section: \(first.location.entity) entered \(first.fence.name), ")
    )
  }

  @Test func geometriesAsGeoJSON() throws {
    let line = Geometry.polyline(Polyline(VertexList([[0, 0], [1.5, 2]], z: [3, 4])))
    #expect(
      try encoded(line)
        == canonical(
          Data(
            "{\"type\":\"LineString\",\"coordinates\":[[0,0,3],[1.5,2,4]]}".utf8)))
    #expect(
      try encoded([Geometry.point(Point(x: 18.5, y: -34))])
        == canonical(Data("[{\"type\":\"Point\",\"coordinates\":[18.5,-34]}]".utf8)))
    #expect(try encoded([Geometry.point(Point(x: .infinity, y: 0))]) == "[null]")
  }
}
