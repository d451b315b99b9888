import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs that are ended by a signal at many moments: the result is complete, or the file does not
/// exist.
@Suite(.serialized) struct CancelledCommandTests {
  private static func command(_ verb: String) throws -> (folder: TemporaryFolder, [String]) {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 61)
    let rows = (0..<6000).map { row in
      let x = Double.random(in: 18.3...18.95, using: &generator)
      let y = Double.random(in: -34.3 ... -33.7, using: &generator)
      return "e\(row % 50),2026-05-01T10:\(10 + row / 600):\(10 + row / 12 % 50)Z,\(x),\(y)\n"
    }
    func write(_ count: Int) throws {
      try folder.write("points.csv", "entity,timestamp,lon,lat\n" + rows.prefix(count).joined())
    }
    let maps = TestPaths.rasters
    switch verb {
    case "identify":
      try write(6000)
      return (folder, [verb, maps + "/cape.json", "--points", "points.csv", "-o", "out.csv", "-q"])
    case "buffer":
      try write(400)
      return (
        folder,
        [
          verb, "points.csv", "--distance", "900", "--unit", "m", "--geodesic", "-o", "out.geojson",
          "-q",
        ]
      )
    case "monitor":
      try write(6000)
      return (
        folder,
        [
          verb, "--feed", "points.csv", "--fences", maps + "/wards.geojson", "-o", "out.gpkg", "-q",
        ]
      )
    case "eval":
      try write(1000)
      return (folder, [verb, "Text(Buffer($feature, 1))", "--feature", "points.csv"])
    case "trace":
      let chain = (0..<3000).map { "N\($0)-P\($0)" }.joined(separator: "-")
      try folder.write("town.inp", EPANETTown("R-P-\(chain)-END").text)
      return (
        folder, [verb, "town.inp", "--type", "connected", "--start", "N5", "-o", "out.json"]
      )
    default:
      return (
        folder,
        [
          "draw", maps + "/cape.json", "--extent", "18.2,-34.4,19.0,-33.8", "--size", "500x500",
          "-o", "out.png",
        ]
      )
    }
  }

  @Test(arguments: ["identify", "buffer", "monitor", "trace", "draw", "eval"])
  func theResultIsCompleteOrAbsent(verb: String) throws {
    let (folder, arguments) = try Self.command(verb)
    let named = arguments.firstIndex(of: "-o").map { arguments[$0 + 1] }
    // For standard output, only the status shows that the output is incomplete.
    let printed = try TemporaryFolder()
    let out = named.map { folder.path($0) } ?? printed.path("out")
    let before = try Self.names(folder)
    func start() throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      if named == nil {
        try Data().write(to: URL(fileURLWithPath: out))
        process.standardOutput = FileHandle(forWritingAtPath: out)
      }
      try process.run()
      return process
    }
    func whole() throws -> Data? {
      defer { unlink(out) }
      guard FileManager.default.fileExists(atPath: out) else { return nil }
      return try Data(contentsOf: URL(fileURLWithPath: out))
    }
    let first = ContinuousClock.now
    let process = try start()
    try process.waitForExit()
    let seconds = (ContinuousClock.now - first) / .seconds(1)
    #expect(process.terminationStatus == 0)
    let expected = try #require(try whole())
    var moments = RandomMoments(seed: 63, seconds: seconds)
    while moments.needsMore(5) {
      let process = try start()
      RandomMoments.wait(seconds: moments.next())
      kill(process.processIdentifier, moments.count % 2 == 0 ? SIGINT : SIGTERM)
      try process.waitForExit()
      let isDone = process.terminationReason == .exit && process.terminationStatus == 0
      moments.record(wasStrike: !isDone)
      let result = named == nil && !isDone ? nil : try whole()
      #expect(!isDone || result != nil)
      // A GeoPackage contains its creation time.
      #expect(result == nil || result == expected || out.hasSuffix("gpkg"))
      if let result { #expect(result.count == expected.count) }
      #expect(try Self.names(folder) == before)
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
  }

  private static func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
