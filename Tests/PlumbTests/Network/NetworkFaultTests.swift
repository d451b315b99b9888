import Foundation
import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Networks in which single features have a fault.
@Suite struct NetworkFaultTests {
  @Test(
    "a network is read without faulty features, with a warning that names them",
    arguments: [
      (
        "devices.geojson", "{\"type\":\"Point\",\"coordinates\":[20.0,0.0]}", "null", 5,
        "devices.geojson: 1 feature has no shape and connects by association alone: feature 3: "
          + "Device:M has no point"
      ),
      (
        "lines.geojson", "{\"type\":\"LineString\",\"coordinates\":[[11.0,0.0],[20.0,0.0]]}",
        "null", 5,
        "lines.geojson: 1 feature has no shape and connects by association alone: feature 2: "
          + "Line:m2 has no shape"
      ),
      (
        "devices.geojson", "\"GLOBALID\":\"M\"", "\"GLOBALID\":null", 4,
        "devices.geojson: 1 feature is left out: feature 3: GLOBALID is empty"
      ),
      (
        "devices.geojson", "\"GLOBALID\":\"M\"", "\"GLOBALID\":\"V\"", 5,
        "net.json: 1 id is duplicated and means the first feature: Device:V: "
      ),
      (
        "devices.geojson", "\"ASSETGROUP\":3", "\"ASSETGROUP\":7", 4,
        "devices.geojson: 1 feature is left out: feature 3: Device:M: there is no asset group 7"
      ),
      (
        "devices.geojson", "\"Through\"", "\"Thru\"", 4,
        "devices.geojson: 1 feature is left out: feature 2: Device:V: there is no terminal path Thru"
      ),
      (
        "associations.csv", "6,9,V", "6,9,W", 5,
        "net.json: 1 association is left out: associations.csv, feature 1: a connectivity association "
          + "names 9:W, which does not exist"
      ),
      (
        "associations.csv", "6,9,V", "9,9,V", 5,
        "associations.csv: 1 association is left out: feature 1: there is no association type 9"
      ),
      (
        "associations.csv", "9,V,2,", "9,V,7,", 5,
        "net.json: 1 association is left out: associations.csv, feature 2: Device:V: there is no "
          + "terminal 7"
      ),
      (
        "lines.geojson", "\"LEN\":\"10\"", "\"LEN\":\"ten\"", 4,
        "lines.geojson: 1 feature is left out: feature 2: m2: network attribute Length"
      ),
    ])
  func lenient(
    file: String, text: String, other: String, elements: Int, warning: String
  ) throws {
    let scene = try NetworkScene()
    try scene.replace(file, text, other)
    let opened = try scene.open()
    #expect(opened.network.elementCount == elements)
    let warnings = opened.warnings.map { $0.replacing(scene.folder.path + "/", with: "") }
    #expect(warnings.contains { $0.hasPrefix(warning) }, "\(warnings)")
    #expect(throws: (any Error).self) { try scene.open(isStrict: true) }
  }

  /// s(0,0) –p– v(10,0) –q– w(20,0), with a second valve at v.
  private func mapping(_ valves: [(String, Double)], lines: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      "valves.geojson",
      NetworkText.collection(
        valves.map { (NetworkText.point($0.1, 0), "{\"ID\":\"\($0.0)\"}") }))
    try folder.write(
      "stations.geojson", NetworkText.collection([(NetworkText.point(0, 0), "{\"ID\":\"s\"}")]))
    try folder.write(
      "pipes.geojson",
      NetworkText.collection(
        zip(["p", "q", "r", "t", "u"], lines).map { ($0.1, "{\"ID\":\"\($0.0)\"}") }))
    try folder.write(
      "town.json",
      """
      {"lines": [{"name": "pipe", "path": "pipes.geojson", "id": "ID"}],
       "points": [{"name": "valve", "path": "valves.geojson", "id": "ID", "categories": ["Isolating"]},
                  {"name": "station", "path": "stations.geojson", "id": "ID", "controller": true}]}
      """)
    return folder
  }

  @Test func `of valves at one point the first connects`() throws {
    let folder = try mapping(
      [("b", 10), ("a", 10), ("c", 10), ("w", 20)],
      lines: [NetworkText.line((0, 0), (10, 0)), NetworkText.line((10, 0), (20, 0))])
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    #expect(
      opened.warnings.contains {
        $0.contains(
          "2 connections meet several junctions and take the first: pipe:p: its last end is at both"
        )
      }, "\(opened.warnings)")
    var request = Trace.Request(.isolation)
    (request.starts, request.filterCategory) = (["w"], "Isolating")
    let result = try opened.network.trace(try request.parameters(in: opened))
    #expect(opened.network.names(result.isolation?.isolating ?? []) == ["valve:a"])
  }

  @Test func `a count replaces the faults that are not named`() throws {
    let folder = try mapping(
      [("v", 10)],
      lines: [NetworkText.line((0, 0), (10, 0)), "null", "null", "null", "null"])
    let opened = try OpenedNetwork.open(path: folder.path("town.json"))
    #expect(
      opened.warnings.contains {
        $0.hasPrefix("pipes.geojson: 4 features are left out: feature 2: q has no shape; ")
          && $0.hasSuffix("; and 1 more")
      }, "\(opened.warnings)")
    #expect(opened.network.edgeCount == 1)
  }

  @Test func `lines have attributes for the terminals at their ends`() throws {
    let scene = try NetworkScene()
    try scene.folder.write("associations.csv", "")
    try scene.replace(
      "net.json", ",\n \"associations\": {\"path\": \"associations.csv\"}", "")
    try scene.replace("lines.geojson", "[9.0,0.0]", "[10.0,0.0]")
    try scene.replace("lines.geojson", "[11.0,0.0]", "[10.0,0.0]")
    #expect(throws: (any Error).self) { try scene.open(isStrict: true) }
    let loose = try scene.open()
    #expect(
      loose.warnings.contains {
        $0.contains(
          "2 ends or vertices are not connected: Line:m1: at its end Device:V: a terminal is "
            + "required")
      }, "\(loose.warnings)")
    try scene.replace("lines.geojson", "\"LEN\":9.5", "\"LEN\":9.5,\"TODEVICETERMINAL\":1")
    try scene.replace(
      "lines.geojson", "\"LEN\":\"10\"",
      "\"LEN\":\"10\",\"FROMDEVICETERMINAL\":2,\"TODEVICETERMINAL\":1")
    let opened = try scene.open(isStrict: true)
    var request = Trace.Request(.isolation)
    (request.starts, request.filterCategory) = (["M"], "Isolating")
    let result = try opened.network.trace(try request.parameters(in: opened))
    #expect(
      result.isolation?.isolating.map { opened.network.name(at: $0.location) } == ["Device:V:Low"])
    #expect(opened.network.names(result.isolation?.isolated ?? []) == ["Device:M", "Line:m2"])
  }
}
