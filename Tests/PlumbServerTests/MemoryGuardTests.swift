import Foundation
import PlumbTestSupport
import Testing

/// A server with a low memory limit.
@Suite(.serialized) struct MemoryGuardTests {
  /// A line of many vertices that starts at a longitude, as a parameter.
  private func line(_ count: Int, from x: Double) -> String {
    var text = #"{"geometryType":"esriGeometryPolyline","geometry":{"paths":[["#
    for number in 0..<count {
      text += "\(number == 0 ? "" : ",")[\(x + Double(number) * 1e-6),-34.000000\(number % 2)]"
    }
    return text + "]]}}"
  }

  private func distance(_ server: RunningServer, _ count: Int) throws -> String {
    let body =
      "f=json&sr=4326&geodesic=true&geometry1=\(line(count, from: 18))&geometry2=\(line(count, from: 30))"
    return try server.request(
      "POST", "/arcgis/rest/services/Utilities/Geometry/GeometryServer/distance",
      ["Content-Type": "application/x-www-form-urlencoded"], body: Array(body.utf8)
    ).text
  }

  @Test func requestsThatNeedTooMuchAreEnded() throws {
    let server = try RunningServer(
      [TestPaths.rasters + "/cape.json", "--memory", "64MB", "--cache", "8MB", "--timeout", "60"])
    #expect(try distance(server, 200).contains(#""distance":"#))
    let ended = try distance(server, 49_000)
    #expect(ended.contains("too little memory") && ended.contains("503"), "\(ended.prefix(300))")
    #expect(server.logs("the longest running request is cancelled"))
    // The other requests continue.
    #expect(try server.request("/health").status == 200)
    #expect(try distance(server, 200).contains(#""distance":"#))
  }

  @Test(arguments: ["1MB", "0", "x"])
  func limitsThatAreNone(size: String) throws {
    let run = try ProgramRun(
      TestPaths.program("plumb-server"), [TestPaths.rasters + "/cape.json", "--memory", size])
    #expect(run.status == 64 && run.errors.contains("--memory"), "\(run.errors)")
  }
}
