import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Maps that try to access files and networks without permission: no secret is revealed and no
/// connection is made, neither by the library alone nor by the command with its sandbox.
@Suite(.serialized) struct HostileDocumentTests {
  static let groups: [(name: String, cases: [HostileCase])] = [
    ("paths", HostileCase.paths), ("virtual names", HostileCase.virtual),
    ("virtual rasters", HostileCase.virtualRasters), ("side files", HostileCase.sideFiles),
    ("services", HostileCase.services), ("virtual features", HostileCase.virtualFeatures),
    ("features", HostileCase.features), ("inline sources", HostileCase.inline),
    ("generated sources", HostileCase.generated),
  ]

  @Test(arguments: groups.map(\.name))
  func `the library reveals nothing`(group: String) throws {
    let cases = try #require(Self.groups.first { $0.name == group }?.cases)
    let listener = try LoopbackListener()
    let scene = try HostileScene(cases, listener: listener)
    let map = try Map.open(path: scene.map)
    let identifier = try MapIdentifier(map, workers: Workers(count: 2))
    let results = identifier.identify(x: 0.5, y: 1.5)
    let json = IdentifyLayerResult.json(
      point: QueryPoint(x: 0.5, y: 1.5, reference: nil), results: results)
    let (leaks, open) = try scene.faults(inResults: json)
    #expect(leaks == [])
    #expect(open == [])
    #expect(!HostileScene.isLeak(identifier.warnings.map(\.description).joined()))
    #expect(listener.count == 0)
  }

  @Test(arguments: groups.map(\.name) + ["streams"])
  func `the command reveals nothing`(group: String) throws {
    let cases = Self.groups.first { $0.name == group }?.cases ?? HostileCase.streams
    let listener = try LoopbackListener()
    let scene = try HostileScene(cases, listener: listener)
    for arguments in [
      ["identify", scene.map, "--at", "0.5,1.5", "--format", "json"], ["info", scene.map],
    ] {
      let run = try MeasuredRun(arguments, folder: scene.folder.path)
      #expect(run.isSound, "\(run.status.map(String.init) ?? "hangs"), \(run.peakMemory) bytes")
      #expect(!HostileScene.isLeak(run.output + run.errors))
      #expect(run.peakMemory < 500 << 20)
      guard arguments[0] == "identify" else { continue }
      let (leaks, open) = try scene.faults(inResults: run.output)
      #expect(leaks == [])
      #expect(open == [])
    }
    #expect(listener.count == 0)
  }
}
