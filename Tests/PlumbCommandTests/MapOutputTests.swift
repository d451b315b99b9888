import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Outputs that `identify MAP.json --points` may not overwrite, and the remains of a failed run.
struct MapOutputTests {
  @Test func `an output that is a source of the map is refused`() throws {
    let fixture = try Fixture()
    try fixture.pair()
    try fixture.grid("g.tif")
    try fixture.folder.write(
      "service.json",
      #"{"layers":[{"id":3,"name":"in","type":"Feature Layer","source":"more.geojson"}]}"#)
    try fixture.squares("more.geojson", [Square(0, 0, #""NAME":"a""#)])
    let map = try fixture.map([
      #"{"id":"g","layerType":"RasterLayer","url":"g.tif"}"#, fixture.layer("sq", "sq.geojson"),
      #"{"id":"s","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#,
    ])
    try fixture.folder.write("p.csv", "x,y\n0.5,0.5\n")
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path("link.json"), withDestinationPath: fixture.path("map.json"))
    for name in [
      "map.json", "service.json", "sq.geojson", "more.geojson", "g.tif", "p.csv", "link.json",
    ] {
      let before = try fixture.bytes(name)
      let run = try plumb([
        "identify", map, "--points", fixture.path("p.csv"), "--of", "csv", "--overwrite", "-o",
        fixture.path(name),
      ])
      run.expectRefusal("\(name) is an input; write to another file\n")
      #expect(try fixture.bytes(name) == before)
      let appended = try shell(
        "\"$PLUMB\" identify map.json --points p.csv --of csv >> \(name)",
        folder: fixture.folder.path)
      appended.expectRefusal("plumb: standard output is ", "; write to another file\n")
      #expect(try fixture.bytes(name) == before)
    }
    let other = try plumb([
      "identify", map, "--points", fixture.path("p.csv"), "-o", fixture.path("new.csv"),
    ])
    #expect(other.status == 0, "\(other.errors)")
  }

  @Test func `every file of a shapefile is an input`() throws {
    let fixture = try Fixture()
    let driver = try #require(VectorDriver.named("ESRI Shapefile"))
    let writer = try VectorRowWriter(
      path: fixture.path("s.shp"), driver: driver, layer: "s",
      fields: [VectorField(Field(name: "N", kind: .integer))], reference: "EPSG:4326")
    try writer.append(point: (1, 1), values: [.integer(4)])
    try writer.finish()
    let map = try fixture.map([fixture.layer("s", "s.shp")])
    try fixture.folder.write("p.csv", "x,y\n1,1\n")
    let sendRequest = ["identify", map, "--points", fixture.path("p.csv")]
    #expect(try plumb(sendRequest).output == "x,y,s.count,s.N\n1,1,1,4\n")
    for name in ["s.shp", "s.dbf", "s.shx"] {
      try plumb(sendRequest + ["--of", "csv", "--overwrite", "-o", fixture.path(name)])
        .expectRefusal("\(name) is an input")
    }
  }

  @Test func `a GeoPackage layer is found among several, and gives what was written`() throws {
    let fixture = try Fixture()
    let driver = try #require(VectorDriver.named("GPKG"))
    let writer = try VectorRowWriter(
      path: fixture.path("places.gpkg"), driver: driver, layer: "towns",
      fields: [
        VectorField(Field(name: "NAME", kind: .text)), VectorField(Field(name: "R", kind: .real)),
      ], reference: "EPSG:32734")
    for number in 0..<50 {
      try writer.append(
        point: (300_000 + Double(number) * 100, 6_200_000),
        values: [.text("t\(number)"), .real(Double(number) / 4)])
    }
    try writer.finish()
    let map = try fixture.map([fixture.layer("t", "places.gpkg#towns")], reference: nil)
    let sendRequest = ["identify", map, "--tolerance", "1m"]
    let run = try plumb(sendRequest + ["--at", "300700,6200000", "--format", "json"])
    let element = try #require(try run.results.first?.first?.elements.first)
    #expect(
      element["attributes"] as? NSDictionary == (try jsonObject(#"{"NAME":"t7","R":1.75}"#)))
    #expect(
      element["geometry"] as? NSDictionary
        == (try jsonObject(#"{"type":"Point","coordinates":[300700,6200000]}"#)))
    #expect((try run.objects[0]["place"] as? [String: Any])?["crs"] as? String == "EPSG:32734")
    let rows = (0..<50).map { "\(300_000 + $0 * 100),6200000\n" }.joined()
    let batch = try plumb(sendRequest + ["--points", "-"], input: "x,y\n" + rows)
    for (number, line) in batch.lines.dropFirst().enumerated() {
      #expect(line.hasSuffix(",1,t\(number),\(Double(number) / 4)"), "\(line)")
    }
    #expect(batch.lines.count == 51)
    let unknown = try fixture.map(
      [fixture.layer("t", "places.gpkg#villages")], named: "no.json", reference: nil)
    try plumb(["identify", unknown, "--at", "1,1", "--layer", "t"])
      .expectRefusal("villages")
  }

  @Test func `a run that fails leaves nothing`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    try fixture.folder.write("p.csv", "x,y\n0.5,0.5\nabc,1\n")
    let before = try fixture.names
    let sendRequest = [
      "identify", map, "--points", fixture.path("p.csv"), "-o", fixture.path("o.csv"),
    ]
    for options in [["--strict"], ["--layer", "no"], ["--layer", "sq", "--where", "N ="]] {
      let run = try plumb(sendRequest + options)
      #expect(run.status == 1)
      #expect(try fixture.names == before)
    }
  }
}
