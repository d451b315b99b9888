import CGDAL
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Compares the rows that random conditions select with the rows that OGR SQL and SQLite select.
///
/// Conditions that have a different meaning there are omitted. In OGR SQL, = and <> of strings
/// ignore case, _ matches one byte, %% does not match an empty string, products beyond 64 bits wrap, a division by zero
/// results in the largest integer, NOT of an unknown value is true (so the rows contain no NULL),
/// IN, BETWEEN and LIKE need a field as their first operand, and there are few text functions. In
/// SQLite, LIKE ignores case by default (a setting changes this here), UPPER and LOWER convert only
/// ASCII letters, a start below 1 changes SUBSTR's count, % truncates reals to integers, SIGN uses
/// 32 bits of an integer (with SpatiaLite), a CAST to INTEGER is clamped, and a number and text are
/// compared by the column's declared type.
@Suite(.serialized) struct ConditionOracleTests {
  @Test("SQLite selects the same rows", arguments: [1, 2, 3] as [UInt64])
  func sqlite(seed: UInt64) throws {
    var random = RandomConditions(seed: seed, .sqlite)
    let table = try OracleTable(random.rows(200))
    var (selected, conditions) = (0, 0)
    try table.prepareSQLite()
    for _ in 0..<400 {
      let text = random.condition()
      let expected = try #require(table.sqlite(text), "SQLite cannot parse \(text)")
      let found = try table.plumb(text)
      #expect(found == expected, "\(text)")
      selected += found.count
      conditions += 1
    }
    // On average, a condition selects neither nearly all rows nor nearly none.
    #expect((conditions * 20)...(conditions * 180) ~= selected)
  }

  @Test("OGR SQL selects the same rows", arguments: [4, 5, 6] as [UInt64])
  func ogr(seed: UInt64) throws {
    var random = RandomConditions(seed: seed, .ogr)
    let table = try OracleTable(random.rows(200).filter { !$0.contains(.null) })
    var selected = 0
    for _ in 0..<400 {
      let text = random.condition()
      let expected = try #require(table.ogr(text), "OGR cannot parse \(text)")
      let found = try table.plumb(text)
      #expect(found == expected, "\(text)")
      selected += found.count
    }
    #expect(selected > 400 && selected < 400 * table.rows.count)
  }
}

/// A table in which OGR, SQLite and Plumb each select the rows that match a condition.
private final class OracleTable {
  let rows: [[FieldValue]]
  private let folder: TemporaryFolder
  private let dataset: GDALDatasetH
  /// The rows in memory, where OGR evaluates conditions itself; a GeoPackage passes them to SQLite.
  private let memory: GDALDatasetH

  init(_ rows: [[FieldValue]]) throws {
    self.rows = rows
    folder = try TemporaryFolder()
    let path = folder.path("rows.gpkg")
    let driver = try #require(VectorDriver.named("GPKG"))
    let fields = [Field(name: "row", kind: .integer)] + RandomConditions.fields
    let writer = try VectorRowWriter(
      path: path, driver: driver, layer: "rows", fields: fields.map { VectorField($0) },
      reference: nil)
    for (index, row) in rows.enumerated() {
      try writer.append(point: nil, values: [.integer(Int64(index))] + row)
    }
    try writer.finish()
    dataset = try #require(GDALOpenEx(path, UInt32(GDAL_OF_VECTOR), nil, nil, nil))
    let maker = try #require(GDALGetDriverByName("Memory"))
    memory = try #require(GDALCreate(maker, "", 0, 0, 0, GDT_Unknown, nil))
    _ = try #require(
      GDALDatasetCopyLayer(memory, GDALDatasetGetLayer(dataset, 0), "rows", nil))
  }

  deinit {
    GDALClose(dataset)
    GDALClose(memory)
  }

  func plumb(_ text: String) throws -> [Int] {
    let condition = try Condition(text).bound(to: RandomConditions.fields)
    return rows.indices.filter { condition.isTrue(rows[$0]) }
  }

  func prepareSQLite() throws {
    let result = GDALDatasetExecuteSQL(dataset, "PRAGMA case_sensitive_like = 1", nil, nil)
    if let result { GDALDatasetReleaseResultSet(dataset, result) }
  }

  /// The result of the file's SQLite; nil if it cannot parse the condition.
  func sqlite(_ text: String) -> [Int]? {
    let query = "SELECT \"row\" FROM rows WHERE \(text)"
    CPLErrorReset()
    guard let layer = GDALDatasetExecuteSQL(dataset, query, nil, nil) else { return nil }
    defer { GDALDatasetReleaseResultSet(dataset, layer) }
    let found = Self.numbers(layer)
    return CPLGetLastErrorType().rawValue < CE_Failure.rawValue ? found : nil
  }

  /// The result of OGR's own evaluator; nil if it cannot parse the condition.
  func ogr(_ text: String) -> [Int]? {
    guard let layer = GDALDatasetGetLayer(memory, 0),
      OGR_L_SetAttributeFilter(layer, text) == OGRERR_NONE
    else { return nil }
    OGR_L_ResetReading(layer)
    return Self.numbers(layer)
  }

  private static func numbers(_ layer: OGRLayerH) -> [Int] {
    var found: [Int] = []
    while let feature = OGR_L_GetNextFeature(layer) {
      found.append(Int(OGR_F_GetFieldAsInteger64(feature, 0)))
      OGR_F_Destroy(feature)
    }
    return found.sorted()
  }
}
