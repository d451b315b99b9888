import PlumbCore
import Testing

@testable import PlumbGDAL

@Suite struct VectorPointReaderTests {
  @Test func points() throws {
    let scratch = try VectorScratch()
    let geometries = [
      #"{"type":"Point","coordinates":[1,2]}"#, #"{"type":"Point","coordinates":[1,2,3]}"#,
      #"{"type":"MultiPoint","coordinates":[[1,2]]}"#,
      #"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#,
      #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, "null",
      #"{"type":"Point","coordinates":[]}"#,
    ]
    let features = geometries.map { #"{"type":"Feature","properties":{"a":1},"geometry":\#($0)}"# }
    let text = #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    let reader = try VectorPointReader(path: try scratch.write(text, "a.geojson"))
    #expect(reader.hasGeometry)
    #expect(reader.referenceText == "EPSG:4326")
    let contents = try VectorContents(reader, limit: 3)
    #expect(contents.isBad == [false, false, false, true, true, true, true])
    #expect(contents.x[2] == 1)
    #expect(contents.y[2] == 2)
    #expect(contents.x[5].isNaN)
  }

  @Test func tableWithoutGeometry() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write("E,N,a\n1,2,x\n 3 ,4e1,y\n,5,z\nb,5,z\n", "a.csv")
    let reader = try VectorPointReader(path: path)
    #expect(!reader.hasGeometry)
    #expect(reader.fields.map(\.name) == ["E", "N", "a"])
    #expect(throws: GDALError.self) { try reader.next(limit: 5) }
    #expect(throws: GDALError.self) { try reader.usePointColumns(x: "E", y: "none") }
    try reader.usePointColumns(x: "E", y: "N")
    let contents = try VectorContents(reader)
    #expect(contents.isBad == [false, false, true, true])
    #expect(contents.x[1] == 3)
    #expect(contents.y[1] == 40)
    #expect(contents.rows[1] == [.text(" 3 "), .text("4e1"), .text("y")])
  }

  @Test func severalLayers() throws {
    let scratch = try VectorScratch()
    for index in 0..<12 {
      _ = try scratch.write("a,b\n1,2\n", "layer\(index).csv")
    }
    let folder = scratch.url.path
    let error = #expect(throws: GDALError.self) { try VectorPointReader(path: folder) }
    #expect(error?.message.contains("and 2 more") == true)
    #expect(try VectorPointReader(path: folder, layer: "layer3").layerName == "layer3")
    let unknown = #expect(throws: GDALError.self) {
      try VectorPointReader(path: folder, layer: "none")
    }
    #expect(unknown?.message.contains("none") == true)
  }

  @Test func whatDoesNotOpen() throws {
    let scratch = try VectorScratch()
    for path in [
      scratch.path("none.gpkg"), try scratch.write("hello", "a.txt"),
      try scratch.write("{\"type\":\"FeatureCollection\",\"features\":[{", "b.geojson"),
      try scratch.write("", "c.shp"),
    ] {
      let error = #expect(throws: GDALError.self) {
        _ = try VectorContents(try VectorPointReader(path: path))
      }
      #expect(error?.message.contains("\n") == false)
    }
  }
}
