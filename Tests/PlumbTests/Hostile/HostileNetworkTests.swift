import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Network documents that try to access files and networks without permission, in the same ways as
/// maps.
@Suite struct HostileNetworkTests {
  /// A layer of lines that would be a network if it were opened.
  private static let lines =
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":"
    + "{\"note\":\"\(HostileScene.token)\"},\"geometry\":{\"type\":\"LineString\","
    + "\"coordinates\":[[0,0],[1,0]]}}]}"

  /// Rasters whose files also contain features, or do not. As sources of a network they open with
  /// their own data only, and no request is made for the names in them.
  private static let expectedFeatures = ["overlay.kml", "stac.json"].map {
    "a service or label: " + $0
  }

  private struct Outcome {
    var opens: Bool
    /// The error, or the text of the whole network.
    var text: String
    var files: [String] = []
  }

  private static func open(_ document: String, in scene: HostileScene) throws -> Outcome {
    let path = try scene.folder.write("maps/net.json", document)
    do {
      let opened = try OpenedNetwork.open(path: path)
      let elements = opened.network.elements.map { "\(opened.network.describe($0))" }
      return Outcome(
        opens: true, text: (opened.warnings + elements).joined(separator: "\n"),
        files: opened.files)
    } catch {
      return Outcome(opens: false, text: PlumbError.message(of: error))
    }
  }

  @Test func `a network document reveals nothing`() throws {
    let listener = try LoopbackListener()
    let cases =
      (HostileCase.paths + HostileCase.virtual + HostileCase.virtualFeatures + HostileCase.services)
      .filter { $0.outcome == .refused }
    let scene = try HostileScene(cases, listener: listener)
    try scene.folder.write("outside/s.geojson", Self.lines)
    try scene.folder.write("maps/t.geojson", Self.lines)
    // The result for a document without external sources.
    let good = #"{"lines":{"name":"p","path":"t.geojson"},"points":[]}"#
    #expect(try Self.open(good, in: scene).opens)
    var open: Set<String> = []
    for (index, hostile) in cases.enumerated() {
      let url = scene.filled(hostile.url, "c\(index)")
      for document in [
        #"{"lines":{"name":"p","path":"\#(url)"},"points":[]}"#,
        #"{"lines":{"name":"p","path":"t.geojson"},"points":[{"name":"n","path":"\#(url)"}]}"#,
        #"{"definition":"\#(url)","sources":[]}"#,
        #"{"layerDataElements":[],"sources":[{"sourceId":1,"path":"\#(url)"}],"associations":{"path":"\#(url)"}}"#,
      ] {
        let outcome = try Self.open(document, in: scene)
        if outcome.opens { open.insert(hostile.name) }
        #expect(!HostileScene.isLeak(outcome.text), "\(hostile.name)")
        for file in outcome.files {
          #expect(file.hasPrefix(scene.folder.path("maps/")), "\(hostile.name): \(file)")
        }
      }
    }
    #expect(open.sorted() == Self.expectedFeatures)
    #expect(listener.count == 0)
  }

  @Test func `the command's traces reveal nothing`() throws {
    let listener = try LoopbackListener()
    let scene = try HostileScene(HostileCase.streams, listener: listener)
    try scene.folder.write("maps/t.geojson", Self.lines)
    for path in [
      "../outside/s.geojson", "/vsicurl/{URL}/s.geojson", "c0/p.geojson", "/dev/zero",
      "/proc/self/environ",
    ] {
      try scene.folder.write(
        "maps/net.json", scene.filled(#"{"lines":{"name":"p","path":"\#(path)"},"points":[]}"#))
      let run = try MeasuredRun(
        ["trace", scene.folder.path("maps/net.json"), "--type", "connected", "--start", "p:0"],
        folder: scene.folder.path)
      #expect(run.status == 1, "\(path): \(run)")
      #expect(!HostileScene.isLeak(run.output + run.errors))
      #expect(run.errors.filter { $0 == "\n" }.count == 1, "\(run.errors)")
    }
    #expect(listener.count == 0)
  }
}
