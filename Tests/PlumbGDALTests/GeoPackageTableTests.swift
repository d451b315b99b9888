import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbGDAL

/// Compares GeoPackages written without GDAL with those that GDAL writes for the same rows.
@Suite struct GeoPackageTableTests {
  private let scratch: VectorScratch

  init() throws { scratch = try VectorScratch() }

  private typealias Row = (shape: VectorRowShape, values: [FieldValue])

  private func field(_ name: String, _ type: OGRFieldType, _ subtype: OGRFieldSubType = OFSTNone)
    -> VectorField
  {
    var field = VectorField(name: name, kind: .text)
    field.native = VectorField.Native(
      type: type.rawValue, subtype: subtype.rawValue, width: 0, precision: 0)
    return field
  }

  /// Writes rows as GDAL features or directly to the table.
  private func write(
    _ rows: [Row], _ fields: [VectorField], _ kind: VectorShapeKind, to path: String,
    _ byGDAL: Bool
  ) throws(GDALError) {
    GDALLibrary.start()
    let driver = VectorDriver(name: "GPKG", extensions: ["gpkg"])
    let made = try NewVectorLayer(
      path: path, driver: driver, layer: "it's \"a\" layer", fields: fields,
      reference: "EPSG:32734", kind: kind)
    let sink: any VectorRowSink
    if byGDAL {
      sink = try VectorFeatureSink(made, path: path, driver: driver)
    } else {
      sink = try GeoPackageSink(made, path: path)
    }
    for row in rows { try sink.append(row.shape, kind: "shape", row.values) }
    try sink.finish()
  }

  /// All content of a file except the time of its last change and the index's node numbers.
  private func content(_ path: String) throws -> [String: [[String]]] {
    var result: [String: [[String]]] = [:]
    result["schema"] = try SQLiteFile.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name", of: path)
    let layer = "it's \"\"a\"\" layer"
    let columns = try SQLiteFile.rows("PRAGMA table_info(\"\(layer)\")", of: path).map {
      "quote(\($0[1].asIdentifier))"
    }
    result["rows"] = try SQLiteFile.rows(
      "SELECT \(columns.joined(separator: ", ")) FROM \"\(layer)\"", of: path)
    for table in [
      "gpkg_extensions", "gpkg_geometry_columns", "gpkg_ogr_contents", "sqlite_sequence",
      "gpkg_spatial_ref_sys",
    ] {
      result[table] = try SQLiteFile.rows("SELECT * FROM \(table)", of: path)
    }
    result["contents"] = try SQLiteFile.rows(
      """
      SELECT table_name, data_type, identifier, description, min_x, min_y, max_x, max_y, srs_id,
        strftime('%s', 'now') - strftime('%s', last_change) < 3600 FROM gpkg_contents
      """, of: path)
    return result
  }

  /// Checks that the two files are equal, and that the index of the second file is at most as large
  /// as that of the first.
  private func compare(_ rows: [Row], _ fields: [VectorField], _ kind: VectorShapeKind) throws {
    let (theirs, ours) = (scratch.path("theirs.gpkg"), scratch.path("ours.gpkg"))
    try write(rows, fields, kind, to: theirs, true)
    try write(rows, fields, kind, to: ours, false)
    let (expected, found) = (try content(theirs), try content(ours))
    for (part, rows) in expected {
      let partRows = found[part] ?? []
      #expect(partRows.count == rows.count, "\(part)")
      for (a, b) in zip(partRows, rows) where a != b {
        Issue.record("\(part): \(a) instead of \(b)")
      }
    }
    let index = "\"rtree_it's \"\"a\"\" layer_geom\""
    #expect(
      try SQLiteFile.rows("SELECT rtreecheck('rtree_it''s \"a\" layer_geom')", of: ours)
        == [["ok"]])
    let query = "SELECT id, minx, maxx, miny, maxy FROM \(index) ORDER BY id"
    let (wide, narrow) = (
      try SQLiteFile.rows(query, of: theirs), try SQLiteFile.rows(query, of: ours)
    )
    #expect(wide.map { $0[0] } == narrow.map { $0[0] })
    for (a, b) in zip(wide, narrow) {
      let (a, b) = (Self.numbers(a), Self.numbers(b))
      #expect(a.count == 4 && b.count == 4)
      #expect(a[0] <= b[0] && b[1] <= a[1] && a[2] <= b[2] && b[3] <= a[3])
    }
  }

  private static func numbers(_ row: [String]) -> [Double] {
    row.dropFirst().compactMap { Double($0) }
  }

  @Test func allKindsOfValues() throws {
    let fields = [
      field("i", OFTInteger), field("b", OFTInteger, OFSTBoolean),
      field("s", OFTInteger, OFSTInt16), field("l", OFTInteger64), field("r", OFTReal),
      field("f", OFTReal, OFSTFloat32),
      field("t", OFTString), field("d", OFTDate), field("m", OFTDateTime), field("x", OFTBinary),
      field("o\"dd", OFTString),
    ]
    let texts = ["", "a", "é\"'x", "one\u{0}two", "long " + String(repeating: "ü", count: 5000)]
    let reals = [0, -0.0, 0.1, 1e300, .infinity, .nan, .leastNonzeroMagnitude]
    var rows: [Row] = []
    for index in 0..<70 {
      let value: FieldValue = index % 3 == 0 ? .real(reals[index % 7]) : .integer(Int64(index))
      let values: [FieldValue] = [
        .integer(Int64(index) - 35), .boolean(index % 2 == 0), .integer(Int64(index)),
        .integer(.max - Int64(index)), value, .json("\(index).5"), .text(texts[index % 5]),
        .text("2024-02-\(10 + index % 20)"), .text("2024-02-29T12:34:\(index % 60)Z"),
        .text(index % 2 == 0 ? "00FFab" : ""), index % 2 == 0 ? .real(0.1) : .boolean(true),
      ]
      rows.append(
        (
          index % 7 == 3 ? .none : .point(SIMD2(Double(index) / 3, 6e6 + Double(index))),
          index % 10 == 9 ? fields.map { _ in .null } : values
        ))
    }
    try compare(rows, fields, .point)
  }

  /// Dates and times in common notations, and invalid ones.
  @Test func times() throws {
    var random = SeededGenerator(seed: 3)
    let number = { (range: ClosedRange<Int>) in Int.random(in: range, using: &random) }
    let two = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
    let types = [field("d", OFTDate), field("m", OFTDateTime)]
    var texts: [String] = []
    for text in ["", "yesterday", "2024-13-01T00:00:00Z", "2024-02-30", "24:00", "2024/1/2 3:4:5"] {
      for type in types {
        let refused = [true, false].map { byGDAL in
          defer { try? scratch.remove("a.gpkg") }
          do throws(GDALError) {
            try write([(.none, [.text(text)])], [type], .point, to: scratch.path("a.gpkg"), byGDAL)
            return false
          } catch { return true }
        }
        #expect(refused[0] == refused[1], "\(text)")
        if !refused.contains(true) { texts.append(text) }
      }
    }
    for _ in 0..<400 {
      let day = "\(number(1000...9999))-\(two(number(1...12)))-\(two(number(1...28)))"
      let time = "\(two(number(0...23))):\(two(number(0...59))):\(two(number(0...59)))"
      let fraction = ["", ".5", ".123", ".9996", ".0004", ".789012"][number(0...5)]
      let zone = ["", "Z", "+05:30", "-11:45", "+14:00", "-0100", "+00"][number(0...6)]
      texts.append([day, day + "T" + time + fraction + zone, day + " " + time][number(0...2)])
    }
    let rows: [Row] = texts.flatMap { text -> [Row] in
      [(.none, [.text(text), .null]), (.none, [.null, .text(text)])]
    }
    #expect(rows.count > 700)
    try compare(rows, types, .point)
  }

  @Test func areas() throws {
    var random = RandomGeometry(seed: 7)
    random.isWild = false
    var rows: [Row] = [(.none, [.integer(0)])]
    for index in 0..<60 {
      let area = random.islands()
      // Heights and measures are not written.
      rows.append((area.isEmpty ? .none : .area(area), [.integer(Int64(index))]))
    }
    try compare(rows, [field("n", OFTInteger64)], .area)
  }

  @Test func pointsAndLines() throws {
    var random = RandomGeometry(seed: 8)
    random.isWild = false
    var rows: [Row] = []
    for index in 0..<200 {
      let line = random.polyline()
      rows.append((line.isEmpty ? .point(SIMD2(1, 2)) : .line(line), [.integer(Int64(index))]))
    }
    try compare(rows, [field("n", OFTInteger64)], .mixed)
  }

  @Test(arguments: [0, 1])
  func fewRows(_ count: Int) throws {
    let rows: [Row] = (0..<count).map { _ in (.point(SIMD2(18.4, -33.9)), [.text("a")]) }
    try compare(rows, [field("t", OFTString)], .point)
    try scratch.remove("ours.gpkg")
    try scratch.remove("theirs.gpkg")
    try compare([(.none, [.text("a")])], [field("t", OFTString)], .point)
  }

  /// Rows are stored in groups. A row that is rejected after it was partly written leaves nothing
  /// behind, at any position in a group; the same is true of large values that end a group early.
  @Test func refusedRowsBetweenOthers() throws {
    let fields = [field("t", OFTString), field("x", OFTBinary), field("i", OFTInteger)]
    GDALLibrary.start()
    let driver = VectorDriver(name: "GPKG", extensions: ["gpkg"])
    let path = scratch.path("refused.gpkg")
    let made = try NewVectorLayer(
      path: path, driver: driver, layer: "rows", fields: fields, reference: "EPSG:4326",
      kind: .point)
    let sink = try GeoPackageSink(made, path: path)
    var kept: [[String]] = []
    for index in 0..<333 {
      let isRefused = index % 5 == 2 || (64..<67).contains(index)
      let text = String(repeating: "é", count: index % 90 == 18 ? 700_000 : index % 4)
      let append = { () throws(GDALError) in
        try sink.append(
          .point(SIMD2(Double(index) / 4, 1)), kind: "shape",
          [.text(text), .text("00ff"), isRefused ? .text("none") : .integer(Int64(index))])
      }
      if isRefused {
        #expect(throws: GDALError.self) { try append() }
      } else {
        try append()
        kept.append(["\(kept.count + 1)", "\(text.count)", "2", "\(index)"])
      }
    }
    try sink.finish()
    let rows = try SQLiteFile.rows("SELECT fid, length(t), length(x), i FROM rows", of: path)
    #expect(rows == kept)
    let boxes = try SQLiteFile.rows(
      "SELECT r.id, r.minx <= i / 4.0 AND r.maxx >= i / 4.0 FROM rtree_rows_geom r, rows "
        + "WHERE fid = r.id ORDER BY r.id", of: path)
    #expect(boxes == kept.map { [$0[0], "1"] })
  }

  // MARK: Reading with GDAL

  private func points(_ count: Int, seed: UInt64) -> [SIMD2<Double>?] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      if index % 97 == 13 { return nil }
      // Some boxes are far away.
      let span = index % 500 == 7 ? 1e30 : 180.0
      return SIMD2(
        .random(in: -span...span, using: &random),
        .random(in: -span / 2...span / 2, using: &random))
    }
  }

  private func numbers(_ path: String, in window: Envelope) throws -> [Int64] {
    let reader = try VectorFeatureReader(path: path)
    #expect(reader.hasSpatialIndex)
    reader.restart(in: window)
    var result: [Int64] = []
    while let batch = try reader.nextNumbered(limit: 1000) { result += batch.numbers }
    return result.sorted()
  }

  private func check(_ path: String, _ points: [Int64: SIMD2<Double>], seed: UInt64) throws {
    #expect(try SQLiteFile.rows("SELECT rtreecheck('rtree_a_geom')", of: path) == [["ok"]])
    var random = SeededGenerator(seed: seed)
    for round in 0..<30 {
      let size = [0.5, 5, 60, 1e29][round % 4]
      let centre = SIMD2(
        Double.random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
      let (low, high) = (centre - size, centre + size)
      let expected = points.filter {
        low.x <= $0.value.x && $0.value.x <= high.x && low.y <= $0.value.y && $0.value.y <= high.y
      }
      let window = Envelope(xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y)
      #expect(try numbers(path, in: window) == expected.keys.sorted(), "round \(round)")
    }
  }

  /// Windows give the same result as testing every point, before and after GDAL has changed the layer.
  @Test func windowsAndChanges() throws {
    let path = scratch.path("a.gpkg")
    let writer = try VectorRowWriter(
      path: path, driver: try #require(.named("GPKG")), layer: "a",
      fields: [VectorField(name: "n", kind: .integer64)], reference: "EPSG:4326")
    let points = points(20_000, seed: 21)
    var known: [Int64: SIMD2<Double>] = [:]
    for (index, point) in points.enumerated() {
      try writer.append(point: point.map { ($0.x, $0.y) }, values: [.integer(Int64(index))])
      known[Int64(index + 1)] = point
    }
    try writer.finish()
    try check(path, known, seed: 22)

    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_UPDATE)
    let dataset = try #require(GDALOpenEx(path, flags, nil, nil, nil))
    let layer = try #require(GDALDatasetGetLayerByName(dataset, "a"))
    let definition = OGR_L_GetLayerDefn(layer)
    _ = GDALDatasetStartTransaction(dataset, 0)
    var random = SeededGenerator(seed: 23)
    for number in known.keys.sorted() {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        #expect(OGR_L_DeleteFeature(layer, number) == OGRERR_NONE)
        known[number] = nil
      case 1:
        let feature = OGR_L_GetFeature(layer, number)
        known[number] = move(feature, &random)
        #expect(OGR_L_SetFeature(layer, feature) == OGRERR_NONE)
        OGR_F_Destroy(feature)
      case 2:
        let feature = OGR_F_Create(definition)
        let point = move(feature, &random)
        #expect(OGR_L_CreateFeature(layer, feature) == OGRERR_NONE)
        known[OGR_F_GetFID(feature)] = point
        OGR_F_Destroy(feature)
      default: break
      }
    }
    _ = GDALDatasetCommitTransaction(dataset)
    let count = OGR_L_GetFeatureCount(layer, 1)
    plumb_gdal_close(dataset)
    try check(path, known, seed: 24)
    #expect(Int(count) == known.count + points.filter { $0 == nil }.count)
    #expect(try VectorPointReader(path: path).featureCount == Int(count))
  }

  private func move(_ feature: OGRFeatureH?, _ random: inout SeededGenerator) -> SIMD2<Double> {
    let point = SIMD2(
      Double.random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
    let geometry = OGR_G_CreateGeometry(wkbPoint)
    OGR_G_SetPoint_2D(geometry, 0, point.x, point.y)
    OGR_F_SetGeometryDirectly(feature, geometry)
    return point
  }
}
