import Foundation
import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Parts of a network that are omitted with a warning when it is opened.
@Suite struct LoosePartTests {
  /// A pipe from 0 to 10, a pipe that ends 0.2 before it, a valve next to it, a valve far away, and
  /// a station that is not connected.
  private func opened() throws -> OpenedNetwork {
    let folder = try TemporaryFolder()
    try folder.write(
      "pipes.geojson",
      NetworkText.collection([
        (NetworkText.line((0, 0), (10, 0)), "{\"ID\":\"a\"}"),
        (NetworkText.line((5, 9), (5, 0.2)), "{\"ID\":\"b\"}"),
        (NetworkText.line((10, 0), (20, 0)), "{\"ID\":\"c\"}"),
      ]))
    try folder.write(
      "points.geojson",
      NetworkText.collection([
        (NetworkText.point(0, 0), "{\"ID\":\"S\",\"KIND\":\"supply\"}"),
        (NetworkText.point(20, 0), "{\"ID\":\"V\",\"KIND\":\"valve\"}"),
        (NetworkText.point(15, 0.125), "{\"ID\":\"W\",\"KIND\":\"valve\"}"),
        (NetworkText.point(90, 90), "{\"ID\":\"Q\",\"KIND\":\"supply\"}"),
      ]))
    let path = try folder.write(
      "town.json",
      """
      {"lines":[{"name":"pipe","path":"pipes.geojson","id":"ID"}],
       "points":[{"name":"point","path":"points.geojson","id":"ID","controller":"KIND = 'supply'"}],
       "spatialReference":{"wkid":3857},"tolerance":0.01}
      """)
    // GeoJSON is in WGS84: points are in degrees, and near misses are measured in metres of the
    // map.
    return try OpenedNetwork.open(path: path)
  }

  @Test func `unconnected points and controllers are listed and counted`() throws {
    let opened = try opened()
    let info = try NetworkInfo(opened)
    #expect(info.text.contains("points that touch no line: 2\n  point:Q\n  point:W\n"))
    #expect(info.text.contains("controllers off the network: 1\n  point:Q\n"))
    #expect(info.json.contains("\"pointsOffLines\":[\"point:Q\",\"point:W\"]"))
    #expect(info.json.contains("\"controllersOffNetwork\":[\"point:Q\"]"))
    let line = try #require(opened.warnings.first { $0.contains("touch no line") })
    #expect(
      line.hasSuffix(
        "2 points touch no line (point:Q, …); 1 controller is off the network (point:Q)"), "\(line)"
    )
  }

  @Test func `near misses are found within the given distance`() throws {
    let network = try opened().network
    // In metres of the map: 0.2 and 0.125 degrees.
    let found = network.looseParts(nearness: 25_000).nearMisses.map { miss in
      "\(network.name(of: miss.element)) \(network.name(of: miss.neighbor)) "
        + "\(Int(miss.distance.rounded()))"
    }
    #expect(found == ["point:W pipe:c 13915", "pipe:b pipe:a 22264"])
    #expect(network.looseParts(nearness: 20_000).nearMisses.count == 1)
    #expect(network.looseParts(nearness: 0).nearMisses.isEmpty)
  }

  @Test func `a field that one layer lacks is a warning`() throws {
    let scene = try NetworkScene().replace("definition.json", "\"STATE\"", "\"STTE\"")
    let opened = try scene.open()
    #expect(
      opened.warnings.contains(
        "devices.geojson has no field STTE for the network attribute State, which Device has no "
          + "values of; did you mean STATE?"), "\(opened.warnings)")
  }

  @Test func `unsupported members of a tier's configuration are a warning`() throws {
    let scene = try NetworkScene().replace(
      "definition.json", "\"updateSubnetworkTraceConfiguration\":{",
      "\"updateSubnetworkTraceConfiguration\":{\"filterBitsetNetworkAttributeName\":\"State\",")
    let opened = try scene.open()
    #expect(
      opened.warnings.contains {
        $0.hasSuffix(
          "definition.json: tier Distribution: filterBitsetNetworkAttributeName State is not "
            + "supported: its traces ignore it")
      }, "\(opened.warnings)")
  }
}

/// A controller at a barrier, and traces that start at valves.
@Suite struct ControllerBarrierTests {
  private static let inp = EPANETTown("R-P1-S-P2-T", tanks: ["T"]).text

  private func isolation(
    _ start: String, valves: String, barrier: String? = nil
  ) throws -> [String] {
    let opened = try NetworkText.opened(Self.inp, valves: valves)
    var request = Trace.Request(.isolation)
    request.starts = [start]
    request.barriers = barrier.map { [$0] } ?? []
    let result = try opened.network.trace(try request.parameters(in: opened))
    let isolation = try #require(result.isolation)
    return opened.network.names(isolation.isolating)
      + isolation.controllersNotIsolated.map { "uncut " + opened.network.name(of: $0.element) }
  }

  @Test func `a barrier at a tank removes it as a source`() throws {
    let valves = "link,node\nP1,S\n"
    #expect(try isolation("S", valves: valves) == ["uncut tank:T"])
    #expect(try isolation("S", valves: valves, barrier: "tank:T") == ["isolation_valve:P1@S"])
    let opened = try NetworkText.opened(Self.inp)
    var request = Trace.Request(.subnetworkControllers)
    (request.starts, request.barriers) = (["S"], ["tank:T"])
    let result = try opened.network.trace(try request.parameters(in: opened))
    #expect(opened.network.names(result.elements) == ["reservoir:R"])
  }

  @Test func `an isolation may start at a valve`() throws {
    #expect(
      try isolation("P1@S", valves: "link,node\nP1,R\nP1,S\nP2,S\n")
        == ["isolation_valve:P1@R", "isolation_valve:P2@S"])
    // The result is the same if the valve is closed.
    #expect(
      try isolation(
        "P1@S", valves: "link,node,status\nP1,R,open\nP1,S,closed\nP2,S,open\n")
        == ["isolation_valve:P1@R", "isolation_valve:P2@S"])
  }
}
