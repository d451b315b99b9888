import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

  /// A map with a drawing of many more features than its size suggests.
  private func hostileMap(_ folder: TemporaryFolder) throws -> String {
    try folder.write("array.dxf", HostileFile.array(side: 1500))
    // Drawings do not contain a CRS.
    try folder.write(
      "array.vrt",
      """
      <OGRVRTDataSource><OGRVRTLayer name="entities"><LayerSRS>EPSG:4326</LayerSRS>
      <SrcDataSource relativeToVRT="1">array.dxf</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>
      """)
    try folder.write(
      "p.geojson",
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":"one"}}"#
    )
    let layers = ["array.vrt", "p.geojson"].map {
      #"{"id":"\#($0)","title":"\#($0)","layerType":"ArcGISFeatureLayer","url":"\#($0)"}"#
    }
    try folder.write(
      "m.json", #"{"operationalLayers":[\#(layers.joined(separator: ","))],"version":"2.31"}"#)
    return folder.path("m.json")
  }

  /// With a memory limit, each helper process has half of it, unless the environment has a limit.
  /// The features of a file have a sixteenth of a helper's memory.
  @Test(arguments: [("256MB", 8), ("1GB", 32)])
  func helpersHaveAShareOfTheLimit(memory: String, features: Int) throws {
    let folder = try TemporaryFolder()
    let server = try RunningServer([
      try hostileMap(folder), "--memory", memory, "--cache", "8MB", "--timeout", "60",
    ])
    let reply = try identify(server)
    #expect(reply.text.contains("has more than \(features) MB of features"), "\(reply.text)")
    #expect(reply.status == 200 && reply.text.contains("\"one\""), "\(reply.text)")
  }

  private func identify(_ server: RunningServer) throws -> RunningServer.Reply {
    try server.request(
      "POST", "/api/identify", ["Content-Type": "application/json"],
      body: Array(#"{"map":"m","at":[[1,2]]}"#.utf8))
  }

  /// The memory of helper processes counts towards the limit.
  @Test func helpersCount() throws {
    let folder = try TemporaryFolder()
    let server = try RunningServer(
      [try hostileMap(folder), "--memory", "256MB", "--cache", "8MB", "--timeout", "60"],
      settings: ["PLUMB_READER_MEMORY": "512"])
    let reply = try identify(server)
    #expect(reply.status == 503 && reply.text.contains("too little memory"), "\(reply.text)")
    let sizes = server.log.matches(of: /(\d+) MB by helper processes/).compactMap { Int($0.1) }
    #expect(sizes.contains { $0 > 0 }, "\(server.log)")
    #expect(try server.request("/health").status == 200)
  }

  /// The value of a metric.
  private func metric(_ server: RunningServer, _ name: String) throws -> Double {
    let line = try server.request("/metrics").text.split(separator: "\n")
      .first { $0.hasPrefix(name + " ") }
    return try #require(line?.split(separator: " ").last.flatMap { Double($0) }, "\(name)")
  }

  /// Buffers that are cancelled while GEOS nodes their edges release their memory.
  @Test func cancelledBuffersReleaseTheirMemory() throws {
    let server = try RunningServer(
      [TestPaths.rasters + "/cape.json", "--memory", "2GB", "--cache", "8MB", "--timeout", "60"])
    var generator = SeededGenerator(seed: 61)
    let vertices = (0..<1200).map { "[\($0),\(Double.random(in: 0...20, using: &generator))]" }
    let body = Array(
      ("f=json&inSR=3857&distances=1&geometries={\"geometryType\":\"esriGeometryPolyline\","
        + "\"geometries\":[{\"paths\":[[\(vertices.joined(separator: ","))]]}]}").utf8)
    let path = "/arcgis/rest/services/Utilities/Geometry/GeometryServer/buffer"
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    let seconds = try RandomMoments.seconds {
      let reply = try server.request("POST", path, form, body: body)
      #expect(reply.text.contains("\"rings\""), "\(reply.text.prefix(300))")
    }
    let bytes = try metric(server, "process_resident_memory_bytes")
    let head =
      "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
      + "Content-Type: \(form["Content-Type"] ?? "")\r\nContent-Length: \(body.count)\r\n\r\n"
    for _ in 0..<300 {
      let handle = try server.connect()
      try RunningServer.send(Array(head.utf8) + body, to: handle)
      RandomMoments.wait(seconds: Double.random(in: 0..<seconds, using: &generator))
      close(handle)
      try waitUntil("the request has ended") {
        try metric(server, "plumb_requests_running") == 1
      }
    }
    // Half a kilobyte for each vertex would be 180 MB.
    try waitUntil("the memory is released") {
      try metric(server, "process_resident_memory_bytes") < bytes + 30e6
    }
  }

  @Test(arguments: ["1MB", "0", "x"])
  func limitsThatAreNone(size: String) throws {
    let run = try ProgramRun(
      TestPaths.program("plumb-server"), [TestPaths.rasters + "/cape.json", "--memory", size])
    #expect(run.status == 64 && run.errors.contains("--memory"), "\(run.errors)")
  }
}
