import Foundation
import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Networks of plain lines and points.
@Suite struct PlainMappingTests {
  /// Station 1 at 0,0 – pipe a – valve 1 at 10,0 – pipe b – 20,0 – pipe c – 30,0.
  private static func folder(_ replaced: (String, String)? = nil) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      "pipes.geojson",
      NetworkText.collection([
        (
          NetworkText.line((0, 0), (10, 0)),
          "{\"ID\":\"a\",\"KIND\":\"main\",\"LEN\":10,\"DN\":100}"
        ),
        (
          NetworkText.line((10, 0), (20, 0)),
          "{\"ID\":\"b\",\"KIND\":\"main\",\"LEN\":10,\"DN\":80}"
        ),
        (
          "{\"type\":\"MultiLineString\",\"coordinates\":[[[20,0.004],[25,0]],[[25,0],[30,0]]]}",
          "{\"ID\":\"c\",\"KIND\":\"service\",\"LEN\":10.5,\"DN\":32}"
        ),
      ]))
    try folder.write(
      "points.geojson",
      NetworkText.collection([
        (NetworkText.point(0, 0), "{\"ID\":1,\"KIND\":\"supply\"}"),
        (NetworkText.point(10, 0), "{\"ID\":2,\"KIND\":\"valve\"}"),
      ]))
    let text = """
      {"lines": {"name": "pipe", "path": "pipes.geojson", "id": "ID", "category": "kind",
                 "attributes": ["LEN", "DN"], "apportioned": ["LEN"]},
       "points": [{"name": "node", "path": "points.geojson", "id": "ID", "category": "KIND",
                   "controller": "KIND = 'supply'"}],
       "tolerance": 0.01}
      """
    if let replaced, !text.contains(replaced.0) { throw PlumbError("no \(replaced.0)") }
    try folder.write(
      "town.json", replaced.map { text.replacing($0.0, with: $0.1) } ?? text)
    return folder
  }

  @Test func `lines and points with categories, attributes and a controller are a network`() throws
  {
    let folder = try Self.folder()
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    let network = opened.network
    #expect(opened.form == .mapping)
    #expect(
      network.elements.map { network.name(of: $0) }
        == ["pipe:a", "pipe:b", "pipe:c", "node:1", "node:2"])
    #expect(network.describe(try network.element(globalID: "c")).categories == ["service"])
    #expect(network.describe(try network.element(globalID: "2")).assetTypeName == "valve")
    #expect(try network.attribute("DN", of: try network.element(globalID: "a")) == .integer(100))
    #expect(opened.controllers.map(\.element.globalID) == ["1"])
    var request = Trace.Request(.isolation)
    request.starts = ["c"]
    request.filterCategory = "valve"
    request.includesIsolated = true
    let result = try network.trace(try request.parameters(in: opened))
    #expect(network.names(result.isolation?.isolating ?? []) == ["node:2"])
    #expect(network.names(result.isolation?.isolated ?? []) == ["pipe:b", "pipe:c"])
    // Pieces within the tolerance are joined.
    #expect(try network.segments(filterBarriers: nil).count == 1)
  }

  @Test func `attributes are conditions, and those of lengths are apportioned along an edge`()
    throws
  {
    let folder = try Self.folder()
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    var request = Trace.Request(.downstream)
    request.starts = ["node:1"]
    request.condition = "DN < 50"
    var parameters = try request.parameters(in: opened)
    parameters.traceConfiguration?.functions = [TraceFunction(.add, attribute: "LEN")]
    let result = try opened.network.trace(parameters)
    #expect(opened.network.names(result.elements).contains("pipe:b"))
    let definition = opened.network.definition.networkAttributes
    #expect(definition.map(\.name) == ["LEN", "DN"])
    #expect(definition.map(\.isApportionable) == [true, false])
    #expect(definition.map(\.dataType) == [.real, .integer])
  }

  @Test func `without an id field features are identified by their numbers`() throws {
    let folder = try Self.folder(("\"id\": \"ID\", \"category\": \"kind\",", ""))
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    #expect(
      opened.network.elements.filter { opened.network.isEdge($0) }
        .map { opened.network.globalID(of: $0) } == ["0", "1", "2"])
  }

  @Test(
    "an error is reported with the file and the position",
    arguments: [
      (
        "\"id\": \"ID\", \"category\": \"kind\"", "\"id\": \"IDD\"",
        "town.json: lines.id: pipes.geojson has no field IDD; did you mean ID?"
      ),
      (
        "\"category\": \"kind\"", "\"categry\": \"kind\"",
        "town.json: lines: there is no member categry; did you mean category?"
      ),
      (
        "KIND = 'supply'", "KNID = 'supply'",
        "town.json: points[0].controller: "
      ),
      (
        "[\"LEN\"]", "[\"LENG\"]",
        "town.json: lines.apportioned[0]: LENG is not one of the attributes"
      ),
      (
        "\"name\": \"node\"", "\"name\": \"pipe\"",
        "town.json: points[0]: lines also has the name pipe: rename one of them"
      ),
      (
        "\"tolerance\": 0.01", "\"tolerance\": -1",
        "town.json: tolerance: expected a number of 0 or more, found -1.0"
      ),
      ("\"lines\"", "\"lnes\"", "town.json: there is no member lnes; did you mean lines?"),
      (
        "points.geojson", "pipes.geojson",
        "pipes.geojson, feature 1: a has no point"
      ),
    ])
  func mistakes(text: String, other: String, expected: String) throws {
    let folder = try Self.folder((text, other))
    let error = message {
      _ = try OpenedNetwork.open(path: folder.path("town.json"), isStrict: true)
    }
    let line = try #require(error).replacing(folder.path + "/", with: "")
    #expect(line.hasPrefix(expected), "\(line)")
  }

  @Test func `edges without a length and closed ones are kept and reported`() throws {
    let folder = try Self.folder()
    try folder.write(
      "pipes.geojson",
      NetworkText.collection(
        [
          NetworkText.line((0, 0), (10, 0)), NetworkText.line((10, 0), (10, 0)),
          NetworkText.line((10, 0), (15, 5), (10, 0)), NetworkText.line((10, 0), (10, 0)),
        ].enumerated().map { index, shape in
          (shape, "{\"ID\":\"p\(index)\",\"KIND\":\"main\",\"LEN\":1,\"DN\":1}")
        }))
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    #expect(opened.network.edgeCount == 4)
    #expect(
      opened.warnings == [
        "pipes.geojson, feature 2, pipe:p1 has no length, and 1 more",
        "pipes.geojson, feature 3, pipe:p2 begins and ends at one point",
      ])
  }

  @Test func `progress counts every feature that is read`() throws {
    let folder = try Self.folder()
    let counts = Counts()
    _ = try OpenedNetwork.open(path: folder.path("town.json")) { share, features in
      counts.last = (share, features)
    }
    // Layers with a category field are read twice.
    #expect(counts.last?.1 == 10)
    #expect(counts.last?.0 == 1)
  }

  private final class Counts {
    var last: (Double?, Int)?
  }
}
