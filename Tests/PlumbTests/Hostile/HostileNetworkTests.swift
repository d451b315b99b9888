import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Network documents that try to reach what they were not given, in the ways that maps do.
@Suite struct HostileNetworkTests {
  /// A layer of lines that would be a network if it were opened.
  private static let lines =
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":"
    + "{\"note\":\"\(HostileScene.token)\"},\"geometry\":{\"type\":\"LineString\","
    + "\"coordinates\":[[0,0],[1,0]]}}]}"

  /// What a document with a text in a member says; nil when it opens.
  private static func failure(_ document: String, in scene: HostileScene) throws -> String? {
    let path = try scene.folder.write("maps/net.json", document)
    do {
      _ = try OpenedNetwork.open(path: path)
      return nil
    } catch {
      return PlumbError.message(of: error)
    }
  }

  @Test func `a network document gives nothing away`() throws {
    let listener = try LoopbackListener()
    let cases =
      (HostileCase.paths + HostileCase.virtual + HostileCase.virtualFeatures + HostileCase.services)
      .filter { $0.outcome == .refused }
    let scene = try HostileScene(cases, listener: listener)
    try scene.folder.write("outside/s.geojson", Self.lines)
    try scene.folder.write("maps/t.geojson", Self.lines)
    // What would happen to one that leads nowhere else.
    let good = #"{"lines":{"name":"p","path":"t.geojson"},"points":[]}"#
    #expect(try Self.failure(good, in: scene) == nil)
    for (index, hostile) in cases.enumerated() {
      let url = scene.filled(hostile.url, "c\(index)")
      for document in [
        #"{"lines":{"name":"p","path":"\#(url)"},"points":[]}"#,
        #"{"lines":{"name":"p","path":"t.geojson"},"points":[{"name":"n","path":"\#(url)"}]}"#,
        #"{"definition":"\#(url)","sources":[]}"#,
        #"{"layerDataElements":[],"sources":[{"sourceId":1,"path":"\#(url)"}],"associations":{"path":"\#(url)"}}"#,
      ] {
        let failure = try Self.failure(document, in: scene)
        #expect(failure != nil, "\(hostile.name)")
        #expect(!HostileScene.isLeak(failure ?? ""), "\(hostile.name)")
      }
    }
    #expect(listener.count == 0)
  }

  @Test func `the command's traces give nothing away`() throws {
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
