import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Maps and networks on a Plumb server have the same results as the local files.
@Suite(.serialized) struct RemoteSampleTests {
  private let token = "a-token-of-tests"

  /// A server with the sample map, its two services as separate maps, and the network; it requires
  /// a token.
  private func server(_ folder: TemporaryFolder) throws -> RunningServer {
    try folder.write("tokens", token + "\n")
    for name in ["cape_services", "gas_services"] {
      try folder.write(
        "own_\(name).json",
        #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"s","title":"s","#
          + #""layerType":"ArcGISMapServiceLayer","url":"\#(TestPaths.rasters)/\#(name).json"}]}"#)
    }
    return try RunningServer([
      "rasters/cape.json", folder.path("own_cape_services.json"),
      folder.path("own_gas_services.json"), "--network", "rasters/gas.json", "--token-file",
      folder.path("tokens"), "--allow-outside",
    ])
  }

  /// The sample map with services in place of its files.
  private func document(_ server: RunningServer) throws -> String {
    let text = try Data(contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/cape.json"))
    var root = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    var layers = try #require(root["operationalLayers"] as? [[String: Any]])
    let services = "http://127.0.0.1:\(server.port)/arcgis/rest/services"
    let features = ["places": 0, "rivers": 1, "wards": 2]
    let images = ["land_cover": 20, "evi": 21, "dem": 22]
    for index in layers.indices {
      let id = layers[index]["id"] as? String ?? ""
      if let number = features[id] {
        layers[index]["url"] = "\(services)/cape/FeatureServer/\(number)"
      } else if let number = images[id] {
        layers[index]["url"] = "\(services)/cape_\(number)/ImageServer"
        layers[index]["layerType"] = "ArcGISImageServiceLayer"
      } else if let url = layers[index]["url"] as? String {
        layers[index]["url"] = "\(services)/own_\(url.dropLast(5))/MapServer"
      }
    }
    root["operationalLayers"] = layers
    return String(decoding: try JSONSerialization.data(withJSONObject: root), as: UTF8.self)
  }

  /// Results by layer, without the numbers that services assign, and without the group that a
  /// service adds.
  private func plain(_ results: [IdentifyLayerResult]) throws -> [String: String] {
    var found: [String: String] = [:]
    func clean(_ value: Any) -> Any {
      if let object = value as? [String: Any] {
        let hidden = ["OBJECTID", "file", "row", "column"]
        return object.filter { !hidden.contains($0.key) }.mapValues(clean)
      }
      if let list = value as? [Any] { return list.map(clean) }
      if let number = value as? Double, !(value is Bool) { return String(format: "%.9g", number) }
      return value
    }
    func add(_ result: IdentifyLayerResult, _ top: String) throws {
      let text = IdentifyLayerResult.json(
        point: QueryPoint(x: 0, y: 0, reference: nil), results: [result])
      var object = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      object = (object["results"] as? [[String: Any]])?.first ?? [:]
      let localOptions = [
        "elements": clean(object["geoElements"] ?? []), "popups": clean(object["popups"] ?? []),
        "error": object["error"] ?? NSNull(), "cut": object["isTransferLimitExceeded"] ?? NSNull(),
      ]
      if !result.geoElements.isEmpty || !result.popups.isEmpty || result.error != nil {
        found["\(top)/\(result.layerContent.name)"] = String(
          decoding: try JSONSerialization.data(withJSONObject: localOptions, options: .sortedKeys),
          as: UTF8.self)
      }
      for below in result.sublayerResults { try add(below, top) }
    }
    for result in results { try add(result, result.layerContent.name) }
    return found
  }

  @Test(.timeLimit(.minutes(10)))
  func remoteMapsShowWhatFilesShow() async throws {
    let folder = try TemporaryFolder()
    let server = try server(folder)
    try folder.write("remote.json", try document(server))
    let host = try #require(NetworkHost("127.0.0.1:\(server.port)"))
    let remote = try Map.open(
      path: folder.path("remote.json"), access: .hosts([host]), signIn: SignIn(token: token))
    let local = try Map.open(path: TestPaths.rasters + "/cape.json")
    var random = SeededGenerator(seed: 17)
    let questions: [(count: Int, IdentifyOptions)] = [
      (10_000, IdentifyOptions(tolerance: .metres(500), maximumResultsPerLayer: 3)),
      (300, IdentifyOptions(tolerance: .pixels(12), scale: 20_000)),
      (300, IdentifyOptions(tolerance: .pixels(12), scale: 100_000, maximumResultsPerLayer: nil)),
    ]
    for (count, options) in questions {
      // A service's cells are requested point by point, which is slow.
      for map in [local, remote] where count > 1000 {
        for id in ["services", "gas"] { map.layer(id: id)?.isVisible = false }
      }
      let x = (0..<count).map { _ in Double.random(in: 18.2...19.1, using: &random) }
      let y = (0..<count).map { _ in Double.random(in: -34.4...(-33.6), using: &random) }
      let (mine, theirs) = (
        try await local.identify(atEach: x, y, reference: .wgs84, options),
        try await remote.identify(atEach: x, y, reference: .wgs84, options)
      )
      var elements = 0
      for row in 0..<count {
        elements += mine[row].reduce(0) { $0 + $1.elementCount }
        let (expected, other) = (try plain(mine[row]), try plain(theirs[row]))
        guard expected != other else { continue }
        Issue.record("\(x[row]), \(y[row]), \(options.tolerance): \(expected) but \(other)")
        break
      }
      #expect(elements > count)
      for map in [local, remote] {
        for id in ["services", "gas"] { map.layer(id: id)?.isVisible = true }
      }
    }
    // A single point uses identify with all sublayers at once.
    let point = Point(x: 18.86, y: -33.93, spatialReference: .wgs84)
    let options = IdentifyOptions(tolerance: .pixels(12), scale: 20_000)
    #expect(
      try plain(local.identifyLayers(at: point, options))
        == plain(remote.identifyLayers(at: point, options)))
    #expect(!server.log.contains(token))
  }

  /// Features of GeoJSON without the numbers that services assign.
  private func features(_ text: String) throws -> [[String: NSObject]] {
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let list = try #require(root["features"] as? [[String: NSObject]])
    return try list.map { feature in
      var feature = feature
      var properties = try #require(feature["properties"] as? [String: NSObject])
      properties["OBJECTID"] = nil
      (feature["id"], feature["properties"]) = (nil, properties as NSObject)
      return feature
    }
  }

  @Test func buffersOfServicesAreThoseOfFiles() throws {
    let folder = try TemporaryFolder()
    let server = try server(folder)
    let service = "http://127.0.0.1:\(server.port)/arcgis/rest/services/cape/FeatureServer"
    let plumb = TestPaths.program("plumb")
    for (layer, file) in [(0, "places"), (1, "rivers"), (2, "wards")] {
      let path = "\(TestPaths.rasters)/\(file).geojson"
      for options in [
        ["--distance", "10,20,5", "--unit", "mi", "--geodesic", "--max-deviation", "100"],
        ["--distance", "0.01"],
      ] {
        let mine = try ProgramRun(plumb, ["buffer", path] + options)
        let commandArguments = ["buffer", "\(service)/\(layer)", "--token", token] + options
        let theirs = try ProgramRun(plumb, commandArguments)
        #expect(theirs.status == 0, "\(theirs.errors)")
        #expect(try features(mine.output) == features(theirs.output))
        #expect(try !features(mine.output).isEmpty)
        let joined = try ProgramRun(plumb, ["buffer", path, "--union"] + options)
        #expect(try ProgramRun(plumb, commandArguments + ["--union"]).output == joined.output)
      }
    }
    let refused = try ProgramRun(plumb, ["buffer", "\(service)/0", "--distance", "1"])
    #expect(refused.status == 1 && refused.output.isEmpty)
    #expect(refused.errors.contains("--token TOKEN"), "\(refused.errors)")
    #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
  }

  @Test func monitorsOfServicesReportWhatThoseOfFilesDo() throws {
    let folder = try TemporaryFolder()
    try folder.write("tokens", token + "\n")
    let server = try RunningServer([
      "rasters/garden_sections.geojson", "rasters/garden_sights.geojson", "--token-file",
      folder.path("tokens"),
    ])
    let services = "http://127.0.0.1:\(server.port)/arcgis/rest/services"
    let walk = TestPaths.rasters + "/walk.csv"
    let plumb = TestPaths.program("plumb")
    var lines = 0
    for (name, buffer) in [("garden_sections", "0"), ("garden_sights", "10")] {
      let options = [
        "--feed", walk, "--buffer", buffer, "--message",
        "$fencefeature.name + ' ' + $fencenotificationtype",
      ]
      let address = "\(services)/\(name)/FeatureServer/0"
      let mine = try ProgramRun(
        plumb, ["monitor", "--fences", "\(TestPaths.rasters)/\(name).geojson"] + options)
      let theirs = try ProgramRun(
        plumb, ["monitor", "--fences", address, "--token", token] + options)
      #expect(theirs.status == 0 && theirs.output == mine.output, "\(theirs.errors)")
      lines += mine.output.split(separator: "\n").count
      let shown = try ProgramRun(
        plumb,
        ["eval", "$feature.name", "--feature", address, "--token", "127.0.0.1=\(token)"])
      let localRun = try ProgramRun(
        plumb, ["eval", "$feature.name", "--feature", "\(TestPaths.rasters)/\(name).geojson"])
      #expect(shown.output == localRun.output && shown.status == 0, "\(shown.errors)")
    }
    #expect(lines > 10)
    // A server's monitor is a document, so its hosts have to be allowed.
    try folder.write(
      "far.json", "{\"fences\":\"\(services)/garden_sights/FeatureServer/0\",\"buffer\":10}")
    let plain = ["--monitor", "far=" + folder.path("far.json"), "--token", token]
    let refused = try ProgramRun(
      TestPaths.program("plumb-server"), plain + ["--port", "0"])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("this requires --allow-host"), "\(refused.errors)")
    let far = try RunningServer(plain + ["--allow-host", "127.0.0.1:\(server.port)"])
    let handle = try far.connect()
    defer { close(handle) }
    #expect(!far.log.contains(token))
  }

  @Test func tracesOfServicesAreThoseOfFiles() throws {
    let folder = try TemporaryFolder()
    let server = try server(folder)
    let service = "http://127.0.0.1:\(server.port)/arcgis/rest/services/gas/FeatureServer"
    let remote = try OpenedNetwork.open(path: service, signIn: SignIn(token: token))
    let local = try OpenedNetwork.open(path: TestPaths.rasters + "/gas.json")
    #expect(remote.network.elements.count == local.network.elements.count)
    #expect(
      Set(remote.controllers.map(\.element)) == Set(local.controllers.map(\.element)))
    let arguments = [
      "--type", "isolation", "--start", "M0054:Load", "--filter-category", "Isolating",
      "--include-isolated", "--of", "json",
    ]
    let plumb = TestPaths.program("plumb")
    let mine = try ProgramRun(plumb, ["trace", TestPaths.rasters + "/gas.json"] + arguments)
    let theirs = try ProgramRun(plumb, ["trace", service, "--token", token] + arguments)
    #expect(theirs.status == 0 && theirs.output == mine.output, "\(theirs.errors)")
    // Nothing is disclosed without the token or with a wrong token.
    for wrong in [[], ["--token", "another-token"]] {
      let refused = try ProgramRun(plumb, ["trace", service] + wrong + arguments)
      #expect(refused.status == 1 && refused.output.isEmpty)
      #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
      #expect(!refused.errors.contains("another-token"))
    }
  }
}
