import CGDAL
import CSQLite
import Foundation
import PlumbCore
import PlumbTestSupport
import Synchronization
import Testing

@testable import Plumb
@testable import PlumbGDAL
@testable import PlumbLayers

/// The SQL in a SQLite file may read only the tables of the file, and is limited in time.
@Suite struct SQLRestrictionTests {
  /// The error of a package's layer in a map, which is read completely; nil if there is none.
  private static func failure(
    _ statements: String, layer: String = "v", encoding: String = "UTF-8",
    access: DocumentAccess = .folder
  ) throws -> String? {
    let folder = try TemporaryFolder()
    try SQLiteFile.package(
      at: folder.path("p.gpkg"), statements, layers: layer == "v" ? ["v"] : [], encoding: encoding)
    return try failure("p.gpkg#" + layer, in: folder, access: access)
  }

  private static func failure(
    _ url: String, in folder: TemporaryFolder, type: String = "ArcGISFeatureLayer",
    access: DocumentAccess = .folder
  ) throws -> String? {
    let path = try folder.write(
      "map.json",
      MapDocumentTests.map(ofLayers: #"{"id":"a","layerType":"\#(type)","url":"\#(url)"}"#))
    let map = try Map.open(path: path, access: access)
    let point = Point(x: 1, y: 2, spatialReference: .wgs84)
    return try map.identifyLayers(at: point).compactMap { $0.error?.summary }.first
  }

  private static let view = "CREATE VIEW v AS SELECT fid, geom, n FROM pts;"
  private static let away = "CREATE VIRTUAL TABLE away USING"

  @Test(arguments: [
    "VirtualText('/etc/hostname','UTF-8',0,COMMA,DOUBLEQUOTE,',')",
    "/* rtree */ VirtualText('/etc/hostname')", "-- rtree(\n VirtualShape('/x','UTF-8',4326)",
    "\"VirtualText\"('/x')", "[virtualdbf]('/x','UTF-8')", "`VirtualXL`('/x')",
    "'VirtualOGR'('/x')", "VirtualSpatialIndex('/x')", "VirtualNetwork(a)", "fts5(a)", "dbstat",
    "csv(filename='/x')", "unknown",
  ])
  func virtualTables(_ module: String) throws {
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
      let statements = Self.view + SQLiteFile.schemaRow("away", Self.away + " " + module)
      let failure = try Self.failure(statements, layer: "pts", encoding: encoding)
      #expect(
        failure?.contains("is refused: it has a virtual table away of ") == true,
        "\(module): \(failure ?? "nothing wrong")")
    }
  }

  /// SpatiaLite removes the hook for new connections whenever one of its connections is closed.
  @Test func hookRemovedByAnotherThread() throws {
    let folder = try TemporaryFolder()
    let statements = Self.view + SQLiteFile.schemaRow("away", Self.away + " [virtualdbf]('/x')")
    try SQLiteFile.package(at: folder.path("bad.gpkg"), statements, layers: [])
    let isDone = Mutex(false)
    let other = BackgroundTask {
      while !isDone.withLock({ $0 }) {
        sqlite3_reset_auto_extension()
        usleep(1000)
      }
    }
    for _ in 0..<500 {
      let path = folder.path("bad.gpkg")
      let layer = try? VectorLayer(path: path, layer: "pts", access: .document(drivers: nil))
      #expect(layer == nil)
    }
    isDone.withLock { $0 = true }
    other.wait()
  }

  /// Writes the towns in a format of SQLite.
  private static func write(
    _ name: String, _ driver: String, _ options: [String], in folder: TemporaryFolder
  ) throws {
    GDALLibrary.start()
    try folder.write("towns.geojson", MapDocumentTests.towns)
    let source = try #require(
      GDALOpenEx(folder.path("towns.geojson"), UInt32(GDAL_OF_VECTOR), nil, nil, nil))
    defer { GDALClose(source) }
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for option in options { list = CSLAddString(list, option) }
    defer { CSLDestroy(list) }
    let maker = try #require(GDALGetDriverByName(driver))
    let made = try #require(GDALCreate(maker, folder.path(name), 0, 0, 0, GDT_Unknown, list))
    GDALDatasetCopyLayer(made, GDALDatasetGetLayer(source, 0), "towns", nil)
    GDALClose(made)
  }

  /// The tokenizer skips exactly the characters that SQLite skips.
  @Test func tokens() {
    func words(_ sql: String) -> [String] { SQLToken.list(Array(sql.utf8)).map(\.text) }
    #expect(
      words("a/*b*/c--d\ne\"f\"\"g\"[h]`i``j`'k''l'-/m") == [
        "a", "c", "e", "f\"g", "h", "i`j", "k'l", "-", "/", "m",
      ])
    #expect(words("/* open") == [])
    #expect(words("a -- open") == ["a"])
    #expect(words("\"open") == ["open"])
    #expect(words("[open") == ["open"])
    #expect(words("a\0b") == ["a"])
    // SQLite ignores case only for ASCII letters.
    #expect(words("CREATE/**/ÜBer$1") == ["create", "Über$1"])
  }

  /// Data that are only in the WAL, as while another program has the file open.
  @Test func writeAheadLog() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("p.gpkg")
    try SQLiteFile.package(at: path, "PRAGMA journal_mode = WAL")
    #expect(try Self.failure("p.gpkg#pts", in: folder) == nil)
    try SQLiteFile.run(SQLiteFile.schemaRow("away", Self.away + " VirtualText('/x')"), on: path)
    #expect(try Self.failure("p.gpkg#pts", in: folder)?.contains("virtual table away") == true)
  }

  @Test(
    arguments: [
      ("SELECT fid, geom, upper(n) AS n, ST_MinX(geom) AS x FROM pts WHERE n LIKE 'a%'", nil),
      (
        "SELECT a.fid, a.geom, count(*) AS k FROM pts a JOIN pts b ON a.n <= b.n GROUP BY a.fid",
        nil
      ),
      (
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION SELECT i + 1 FROM c) SELECT i AS fid, geom FROM c,pts",
        "its view c has a recursive query"
      ),
      ("SELECT cid AS fid, geom FROM pts, pragma_table_info('pts')", "reads pragma_table_info"),
      ("SELECT key AS fid, geom FROM pts, json_each('[1]')", "json_each"),
      ("SELECT fid, geom, load_extension('/x') AS n FROM pts", "load_extension"),
      ("SELECT fid, geom, zeroblob(1000000000) AS n FROM pts", "calls zeroblob()"),
      (
        "WITH d(i) AS (VALUES(1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) SELECT a.i AS fid, geom "
          + "FROM pts, d a, d b, d c, d e, d f, d g, d h, d j, d k, d l, d m",
        "returns far more than the file contains"
      ),
      (
        "WITH a(t) AS (SELECT hex(randomblob(1000000))), d(i) AS (VALUES(1),(2),(3),(4)) SELECT fid, "
          + "geom, a.t || a.t || a.t || a.t AS t FROM a, pts, d b, d c, d e, d f, d g",
        "returns far more than the file contains"
      ),
    ] as [(String, String?)])
  func views(_ query: String, _ expected: String?) throws {
    let failure = try Self.failure("CREATE VIEW v AS " + query)
    if let expected {
      #expect(failure?.contains(expected) == true, "\(query): \(failure ?? "nothing wrong")")
    } else {
      #expect(failure == nil)
    }
  }

  @Test func endlessQuery() throws {
    let digits = "WITH d(i) AS (VALUES(0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) "
    let from = (0..<16).map { "d d\($0)" }.joined(separator: ",")
    let sum = (0..<16).map { "d\($0).i" }.joined(separator: "+")
    let failure = try Self.failure(
      "CREATE VIEW v AS \(digits) SELECT fid, geom FROM \(from), pts WHERE \(sum) = 1000")
    #expect(
      failure?.hasSuffix(
        "p.gpkg is refused: a query in it returned no row for 10 s; "
          + "this requires access outside the folder")
        == true)
  }

  /// The restrictions of SQL also apply to files that the user names; `anywhere` lifts them.
  @Test func restrictions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("p.gpkg")
    try SQLiteFile.package(
      at: path, SQLiteFile.schemaRow("away", Self.away + " VirtualText('/etc/hostname')"))
    for layer in ["pts", "away"] {
      #expect(throws: GDALError.self) { try VectorFeatureReader(path: path, layer: layer) }
      #expect(throws: GDALError.self) { try VectorPointReader(path: path, layer: layer) }
      #expect(throws: (any Error).self) { try FenceFile(path + ":" + layer) }
    }
    #expect(throws: GDALError.self) { try GDALRasterSource(path: path) }
    #expect(try VectorFeatureReader(path: path, layer: "pts", access: .anywhere).fields.count == 1)
    #expect(try Self.failure("p.gpkg#pts", in: folder, access: .anywhere) == nil)
    // A full-text index is ignored and not read.
    let texts = folder.path("t.gpkg")
    try SQLiteFile.package(at: texts, "CREATE VIRTUAL TABLE f USING fts5(a)")
    #expect(try VectorFeatureReader(path: texts, layer: "pts").next(limit: 9)?.count == 2)
  }

  /// Files created by GDAL and SpatiaLite can be opened.
  @Test func standardFiles() throws {
    let folder = try TemporaryFolder()
    for (name, driver, options) in [
      ("s.sqlite", "SQLite", ["SPATIALITE=YES"]), ("p.sqlite", "SQLite", []),
      ("g.gpkg", "GPKG", []),
    ] as [(String, String, [String])] {
      try Self.write(name, driver, options, in: folder)
      #expect(try Self.failure(name, in: folder) == nil, "\(name)")
      let reader = try VectorFeatureReader(path: folder.path(name))
      #expect(try reader.next(limit: 9)?.isEmpty == false)
    }
  }

  @Test func tileSets() throws {
    let folder = try TemporaryFolder()
    let tables = """
      CREATE TABLE metadata(name TEXT, value TEXT);
      INSERT INTO metadata VALUES('format', 'png'), ('minzoom', '0'), ('maxzoom', '0');
      CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
      INSERT INTO tiles VALUES(0, 0, 0, X'89504E470D0A1A0A');
      """
    try SQLiteFile.run(tables, on: folder.path("a.mbtiles"))
    try SQLiteFile.run(
      tables + SQLiteFile.schemaRow("away", Self.away + " VirtualText('/x')"),
      on: folder.path("b.mbtiles"))
    #expect(
      try Self.failure("a.mbtiles", in: folder, type: "RasterLayer")?.contains("refused") != true)
    #expect(
      try Self.failure("b.mbtiles", in: folder, type: "RasterLayer")?.contains("refused") == true)
  }

  /// The index of a package is also a virtual table, and is allowed.
  @Test(.enabled(if: TestPaths.data != nil, "no shared data"))
  func realPackage() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: try #require(TestPaths.data) + "/vector/nc_gpkg/nc.gpkg",
      toPath: folder.path("nc.gpkg"))
    let path = try folder.write(
      "map.json",
      MapDocumentTests.map(
        ofLayers: #"{"id":"a","layerType":"ArcGISFeatureLayer","url":"nc.gpkg"}"#))
    let layer = try Map.open(path: path).layers[0]
    #expect(MapDocumentTests.failure(layer, folder) == nil)
  }
}
