import Foundation
import PlumbCore
import Testing

@testable import PlumbGDAL

/// A folder that is removed with the test.
final class VectorScratch {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "plumb-vector-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of the files in the folder.
  func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: url.path))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  func write(_ text: String, _ name: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }
}

/// All rows of a layer: points, bad flags, attributes.
struct VectorContents {
  var x: [Double] = []
  var y: [Double] = []
  var isBad: [Bool] = []
  var rows: [[FieldValue]] = []

  init(_ reader: VectorPointReader, limit: Int = 2) throws {
    while let batch = try reader.next(limit: limit) {
      #expect(batch.count <= limit)
      x += batch.x
      y += batch.y
      isBad += batch.isBad
      for row in 0..<batch.count { rows.append(Array(batch.values(at: row))) }
    }
    #expect(try reader.next(limit: 1) == nil)
  }
}

@Suite struct VectorRoundTripTests {
  private let fields = [
    VectorField(name: "i32", kind: .integer32), VectorField(name: "i64", kind: .integer64),
    VectorField(name: "real", kind: .real), VectorField(name: "f32", kind: .float32),
    VectorField(name: "text", kind: .text), VectorField(name: "bool", kind: .boolean),
  ]
  private let rows: [[FieldValue]] = [
    [.integer(1), .integer(1 << 53 + 1), .real(0.1), .real(0.1), .text("é\"x"), .boolean(true)],
    [.null, .null, .null, .null, .null, .null],
    [
      .integer(-2_147_483_648), .integer(-9_007_199_254_740_993), .real(-1.5), .real(3.25),
      .text("a b"), .boolean(false),
    ],
  ]

  @Test(arguments: ["GPKG", "SQLite", "FlatGeobuf", "GeoJSON", "ESRI Shapefile", "GML"])
  func valuesComeBack(_ format: String) throws {
    let scratch = try VectorScratch()
    let driver = try #require(VectorDriver.named(format.lowercased()))
    let path = scratch.path("out." + (driver.extensions.first ?? "dat"))
    let writer = try VectorRowWriter(
      path: path, driver: driver, layer: "out", fields: fields, reference: "EPSG:32734")
    let holdsNull = format != "FlatGeobuf"
    for (index, values) in rows.enumerated() {
      try writer.append(
        point: index == 1 && holdsNull ? nil : (500_000.25 + Double(index), 6_200_000),
        values: values)
    }
    try writer.finish()
    #expect(writer.files.contains(path))
    #expect(writer.files.allSatisfy { FileManager.default.fileExists(atPath: $0) })

    let reader = try VectorPointReader(path: path)
    let contents = try VectorContents(reader)
    #expect(contents.isBad == [false, holdsNull, false])
    #expect(contents.x[0] == 500_000.25)
    #expect(contents.y[2] == 6_200_000)
    #expect(reader.referenceText == "EPSG:32734")
    for (index, values) in rows.enumerated() {
      let found = fields.map { field in
        reader.fields.firstIndex { $0.name == field.name }.map { contents.rows[index][$0] }
      }
      for (value, (expected, field)) in zip(found, zip(values, fields)) {
        #expect(Self.agree(value ?? .null, expected), "\(format) \(field.name) \(index)")
      }
    }
  }

  /// The same value, or its text if the format does not support the type.
  private static func agree(_ found: FieldValue, _ expected: FieldValue) -> Bool {
    switch (found, expected) {
    case (.text(let text), .boolean(let boolean)): text == String(boolean)
    case (.text(""), .null): true
    default: found == expected
    }
  }

  @Test func geoPackageKeepsKinds() throws {
    let scratch = try VectorScratch()
    let path = scratch.path("a.gpkg")
    let writer = try VectorRowWriter(
      path: path, driver: try #require(.forExtension("GPKG")), layer: "my layer", fields: fields,
      reference: "EPSG:4326")
    try writer.append(point: (18.5, -34), values: rows[0])
    try writer.finish()
    let reader = try VectorPointReader(path: path, layer: "my layer")
    #expect(reader.layerName == "my layer")
    #expect(reader.vectorFields.map(\.kind) == fields.map(\.kind))
    #expect(reader.featureCount == 1)
    #expect(reader.extent?.xMin == 18.5)
    #expect(reader.extent?.yMax == -34)
    #expect(try VectorContents(reader).rows == [rows[0]])
    #expect(reader.referenceText?.contains("\n") == false)
  }

  @Test func columnsCalledLikeTheFormatsOwn() throws {
    let scratch = try VectorScratch()
    let names = ["fid", "geom", "plumb_fid", "GEOMETRY"]
    for format in ["GPKG", "SQLite"] {
      let path = scratch.path("a." + format)
      let writer = try VectorRowWriter(
        path: path, driver: try #require(.named(format)), layer: "a",
        fields: names.map { VectorField(name: $0, kind: .integer64) }, reference: nil)
      for _ in 0..<2 {
        try writer.append(point: (1, 2), values: names.map { _ in .integer(7) })
      }
      try writer.finish()
      let reader = try VectorPointReader(path: path)
      #expect(reader.fields.map(\.name) == names)
      let row = names.map { _ in FieldValue.integer(7) }
      #expect(try VectorContents(reader).rows == [row, row])
    }
  }

  @Test func shapefileNames() throws {
    let scratch = try VectorScratch()
    let driver = try #require(VectorDriver.forExtension("shp"))
    let writer = try VectorRowWriter(
      path: scratch.path("a.shp"), driver: driver, layer: "a",
      fields: ["population_2001", "population_2011"].map { VectorField(name: $0, kind: .real) },
      reference: nil)
    try writer.append(point: (1, 2), values: [.real(1), .real(2)])
    try writer.finish()
    #expect(writer.warnings.count == 2)
    #expect(Set(writer.columnNames).count == 2)
    #expect(writer.files.contains { $0.hasSuffix(".dbf") })
    let reader = try VectorPointReader(path: scratch.path("a.shp"))
    #expect(reader.fields.map(\.name) == writer.columnNames)
    #expect(try VectorContents(reader).rows == [[.real(1), .real(2)]])
  }

  @Test func equalNamesAreAnError() throws {
    let scratch = try VectorScratch()
    for (format, suffix) in [("GPKG", "gpkg"), ("FlatGeobuf", "fgb")] {
      #expect(throws: GDALError.self) {
        try VectorRowWriter(
          path: scratch.path("a." + suffix), driver: try #require(.named(format)), layer: "a",
          fields: [VectorField(name: "a", kind: .real), VectorField(name: "A", kind: .real)],
          reference: nil)
      }
    }
  }

  @Test func copiesKeepTypes() throws {
    let scratch = try VectorScratch()
    let text = """
      {"type":"FeatureCollection","features":[{"type":"Feature","geometry":
      {"type":"Point","coordinates":[1,2]},"properties":{"day":"2024-02-29","time":
      "2024-02-29T12:34:56.789Z","zone":"2024-02-29T12:34:56+05:30","list":[1,2],
      "names":["a\\"","b"],"reals":[0.5,1],"object":{"a":1}}}]}
      """
    let reader = try VectorPointReader(path: try scratch.write(text, "in.geojson"))
    let contents = try VectorContents(reader)
    let values = try #require(contents.rows.first)
    #expect(values[0] == .text("2024-02-29"))
    #expect(values[1] == .text("2024-02-29T12:34:56.789Z"))
    #expect(values[2] == .text("2024-02-29T12:34:56+05:30"))
    #expect(values[3] == .json("[1,2]"))
    #expect(values[4] == .json("[\"a\\\"\",\"b\"]"))
    #expect(values[5] == .json("[0.5,1.0]"))
    for format in ["GPKG", "GML", "GeoJSON", "FlatGeobuf"] {
      let path = scratch.path("copy." + format.lowercased())
      let writer = try VectorRowWriter(
        path: path, driver: try #require(.named(format)), layer: "copy",
        fields: reader.vectorFields, reference: reader.referenceText)
      try writer.append(point: (1, 2), values: values)
      try writer.finish()
      let copy = try VectorPointReader(path: path)
      let copied = try #require(try VectorContents(copy).rows.first)
      #expect(copied.suffix(7).count == 7)
      if format == "GPKG" {
        #expect(copy.vectorFields[0].native?.type == reader.vectorFields[0].native?.type)
        #expect(copied[0...2] == values[0...2])
        #expect(copied[3] == .text("[1,2]"))
      }
      if format == "GeoJSON" { #expect(copied[3...5] == values[3...5]) }
    }
  }

  @Test func valueThatDoesNotFit() throws {
    let scratch = try VectorScratch()
    let writer = try VectorRowWriter(
      path: scratch.path("a.gpkg"), driver: try #require(.named("gpkg")), layer: "a",
      fields: [VectorField(name: "i", kind: .integer32)], reference: nil)
    for value: FieldValue in [.integer(1 << 40), .text("x"), .real(1.5)] {
      #expect(throws: GDALError.self) { try writer.append(point: nil, values: [value]) }
    }
    try writer.finish()
    #expect(writer.count == 0)
  }

  /// Data that a format would lose silently cause an error.
  @Test func losses() throws {
    let scratch = try VectorScratch()
    let real = [VectorField(name: "a", kind: .real)]
    let flat = try VectorRowWriter(
      path: scratch.path("a.fgb"), driver: try #require(.named("flatgeobuf")), layer: "a",
      fields: real, reference: nil)
    #expect(throws: GDALError.self) { try flat.append(point: nil, values: [.real(1)]) }
    let shape = try VectorRowWriter(
      path: scratch.path("a.shp"), driver: try #require(.named("esri shapefile")), layer: "a",
      fields: real, reference: nil)
    try shape.append(point: (.nan, 1), values: [.real(1)])
    #expect(throws: GDALError.self) { try shape.append(point: nil, values: [.real(1e300)]) }
    let table = try VectorRowWriter(
      path: scratch.path("a.ods"), driver: try #require(.named("ods")), layer: "a",
      fields: real, reference: nil)
    try table.append(point: (1, 2), values: [.real(1)])
    try table.finish()
    #expect(table.warnings.count == 1)
  }

  /// Rows after the end of a transaction are written, in order.
  @Test func manyRows() throws {
    let scratch = try VectorScratch()
    let path = scratch.path("a.gpkg")
    let writer = try VectorRowWriter(
      path: path, driver: try #require(.named("gpkg")), layer: "a",
      fields: [VectorField(name: "i", kind: .integer64)], reference: "EPSG:4326")
    let count = 100_001
    for row in 0..<count {
      try writer.append(point: (Double(row % 360) - 180, 0), values: [.integer(Int64(row))])
    }
    try writer.finish()
    let rows = try VectorContents(VectorPointReader(path: path), limit: 30_000).rows
    #expect(rows.count == count)
    #expect(rows.last == [.integer(100_000)])
  }

  @Test func refusals() throws {
    let scratch = try VectorScratch()
    let driver = try #require(VectorDriver.named("gpkg"))
    for reference in ["EPSG:999999", "nonsense", "/etc/passwd", "http://example.org/a:b"] {
      #expect(throws: GDALError.self) {
        try VectorRowWriter(
          path: scratch.path("\(reference.count).gpkg"), driver: driver, layer: "a", fields: [],
          reference: reference)
      }
    }
    #expect(throws: GDALError.self) {
      try VectorRowWriter(
        path: scratch.path("none/a.gpkg"), driver: driver, layer: "a", fields: [], reference: nil)
    }
  }

  @Test func drivers() {
    #expect(VectorDriver.forExtension("kml")?.name == "KML")
    #expect(VectorDriver.forExtension("SHP")?.name == "ESRI Shapefile")
    #expect(VectorDriver.forExtension("fgb")?.name == "FlatGeobuf")
    #expect(VectorDriver.forExtension("sqlite")?.name == "SQLite")
    #expect(VectorDriver.forExtension("nothing") == nil)
    #expect(VectorDriver.named("flatGEOBUF")?.name == "FlatGeobuf")
    #expect(VectorDriver.named("OSM") == nil)
    #expect(!VectorDriver.all.contains { $0.name == "PostgreSQL" || $0.name == "Memory" })
  }
}
