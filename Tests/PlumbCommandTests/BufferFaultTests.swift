import Foundation
import PlumbTestSupport
import Testing

/// Features with unusable shapes: a row without geometry and one warning.
@Suite struct BufferFaultTests {
  private func run(_ fixture: Fixture, _ arguments: [String]) throws -> ProgramRun {
    try plumb(arguments, folder: fixture.folder.path)
  }

  private func feature(_ id: Int, _ geometry: String) -> String {
    #"{"type":"Feature","properties":{"id":\#(id)},"geometry":\#(geometry)}"#
  }

  private func point(_ x: String, _ y: String) -> String {
    #"{"type":"Point","coordinates":[\#(x),\#(y)]}"#
  }

  private func collection(_ features: [String]) -> String {
    #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",\n") + "]}"
  }

  @Test(arguments: [["--distance", "0.5"], ["--distance", "500", "--geodesic"]])
  func aBadFeatureIsARowWithoutGeometry(arguments: [String]) throws {
    let fixture = try Fixture()
    let bad = point("1e999", "3")
    let text = collection([
      feature(1, point("10", "50")), feature(2, bad), feature(3, point("11", "50")),
      feature(4, #"{"type":"Circle","coordinates":[]}"#), feature(5, "null"),
    ])
    try fixture.folder.write("a.geojson", text)
    let done = try run(fixture, ["buffer", "a.geojson", "--of", "csv"] + arguments)
    #expect(done.status == 0)
    let rows = done.output.split(separator: "\n").dropFirst()
    #expect(rows.count == 5)
    #expect(rows.filter { $0.contains("POLYGON") }.count == 2)
    let lines = done.errors.split(separator: "\n").filter { $0.contains("cannot be used") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("2 features") == true)
    #expect(lines.first?.contains("feature 2: ") == true)
    let strict = try run(fixture, ["buffer", "a.geojson", "--strict"] + arguments)
    #expect(strict.status == 1)
    #expect(strict.errors.contains("feature 2: "))
    let union = try run(fixture, ["buffer", "a.geojson", "--union", "--of", "csv"] + arguments)
    #expect(union.status == 0)
    #expect(union.output.contains("POLYGON"))
  }

  /// Rule: a ring with an edge over more than 180 and less than 360 degrees is one warning.
  @Test func areasThatGoTheLongWayRoundAreNamed() throws {
    let fixture = try Fixture()
    let ring = #"{"type":"Polygon","coordinates":[[[179,66],[-179,66],[-179,67],[179,66]]]}"#
    let square = #"{"type":"Polygon","coordinates":[[[8,46],[9,46],[9,47],[8,46]]]}"#
    try fixture.folder.write("a.geojson", collection([feature(1, square), feature(2, ring)]))
    for arguments in [["--distance", "0.5"], ["--distance", "500", "--geodesic"]] {
      let done = try run(fixture, ["buffer", "a.geojson", "--of", "csv"] + arguments)
      let lines = done.errors.split(separator: "\n").filter { $0.contains("° of longitude") }
      #expect(done.status == 0 && lines.count == 1, "\(done.errors)")
      #expect(lines.first?.contains("feature 2: a ring has an edge over 358") == true)
    }
  }

  @Test func aLatitudeBeyondThePoleEndsItsOwnRowAlone() throws {
    let fixture = try Fixture()
    let text = collection([
      feature(1, point("10", "50")), feature(2, point("10", "95")), feature(3, point("11", "50")),
    ])
    try fixture.folder.write("a.geojson", text)
    let done = try run(
      fixture, ["buffer", "a.geojson", "--geodesic", "--distance", "500", "--of", "csv"])
    #expect(done.status == 0)
    #expect(done.output.components(separatedBy: "POLYGON").count == 3)
    #expect(done.errors.contains("feature 2: "))
    let union = try run(
      fixture,
      [
        "buffer", "a.geojson", "--geodesic", "--distance", "500", "--of", "csv", "--union",
      ])
    #expect(union.status == 0)
    #expect(union.output.contains("MULTIPOLYGON"))
    // A run with faults only fails.
    try fixture.folder.write("b.geojson", collection([feature(1, point("10", "95"))]))
    let none = try run(fixture, ["buffer", "b.geojson", "--geodesic", "--distance", "500"])
    #expect(none.status == 1)
    #expect(none.errors.contains("feature 1: "))
  }

  /// A point, a line and an area in one collection: the union of their buffers.
  @Test(arguments: ["a.geojson", "a.json", "a.gml"])
  func collectionsAreBufferedAsTheirParts(name: String) throws {
    let fixture = try Fixture()
    let mixed = """
      {"type":"GeometryCollection","geometries":[
       {"type":"Point","coordinates":[0,0]},{"type":"LineString","coordinates":[[5,0],[7,0]]},
       {"type":"GeometryCollection","geometries":[{"type":"Polygon",
        "coordinates":[[[10,0],[12,0],[12,2],[10,2],[10,0]]]}]}]}
      """
    let gml = """
      <?xml version="1.0"?><c xmlns:gml="http://www.opengis.net/gml"><gml:featureMember><f>
      <id>1</id><g><gml:MultiGeometry>
      <gml:geometryMember><gml:Point><gml:coordinates>0,0</gml:coordinates></gml:Point>
      </gml:geometryMember><gml:geometryMember><gml:LineString>
      <gml:coordinates>5,0 7,0</gml:coordinates></gml:LineString></gml:geometryMember>
      <gml:geometryMember><gml:Polygon><gml:outerBoundaryIs><gml:LinearRing><gml:coordinates>
      10,0 12,0 12,2 10,2 10,0</gml:coordinates></gml:LinearRing></gml:outerBoundaryIs>
      </gml:Polygon></gml:geometryMember></gml:MultiGeometry></g></f></gml:featureMember></c>
      """
    try fixture.folder.write(name, name.hasSuffix("gml") ? gml : collection([feature(1, mixed)]))
    let done = try run(
      fixture,
      [
        "buffer", name, "--distance", "1", "--of", "csv", "--crs", "EPSG:3857",
      ])
    #expect(done.status == 0, "\(done.errors)")
    // Three separate parts.
    #expect(done.output.components(separatedBy: "((").count == 4, "\(done.output.prefix(300))")
    #expect(!done.errors.contains("cannot be used"))
    let shrunk = try run(
      fixture,
      [
        "buffer", name, "--distance", "-0.5", "--of", "csv", "--crs", "EPSG:3857",
      ])
    #expect(shrunk.output.components(separatedBy: "((").count == 2, "\(shrunk.output)")
  }

  @Test func aLayerWithABadFeatureGivesResults() throws {
    let fixture = try Fixture()
    let mixed = """
      {"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[0,0]},
       {"type":"LineString","coordinates":[[5,0],[7,0]]}]}
      """
    let square = #"{"type":"Polygon","coordinates":[[[10,0],[12,0],[12,2],[10,2],[10,0]]]}"#
    try fixture.folder.write("a.geojson", collection([feature(1, mixed), feature(2, square)]))
    try fixture.folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"a","layerType":"ArcGISFeatureLayer","url":"a.geojson"}]}"#)
    let arguments = ["identify", "map.json", "--at", "11,1"]
    let done = try run(fixture, arguments)
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.output.contains("1 element"), "\(done.output)")
    #expect(
      done.errors.contains("the shape of a feature cannot be used: feature 1: "), "\(done.errors)")
    let strict = try run(fixture, arguments + ["--strict"])
    #expect(strict.status == 1)
  }
}
