import Foundation
import PlumbTestSupport
import Testing

/// `identify --at` with a cell that cannot be read: the other values are printed, and the exit
/// status reports the error.
struct ReadErrorTests {
  @Test func `a read error ends with status 1 after the values`() throws {
    let fixture = try Fixture()
    try fixture.brokenTile("r.tif")
    try fixture.folder.write(
      "m.json",
      #"{"operationalLayers":[{"id":"r","layerType":"RasterLayer","url":"r.tif"}]}"#)
    for target in ["r.tif", "m.json"] {
      for format in target == "r.tif" ? ["text", "json"] : ["tree", "json"] {
        let arguments = ["identify", fixture.path(target), "--format", format, "--at", "1.5,-0.5"]
        let good = try plumb(arguments)
        #expect(good.status == 0 && good.output.contains("7919"), "\(good)")
        let bad = try plumb(arguments + ["--at", "63.5,-63.5"])
        #expect(bad.status == 1 && bad.output.contains("7919"), "\(bad)")
        #expect(bad.output.contains("read_error"), "\(bad)")
        #expect(bad.errors.contains("cannot be read"), "\(bad)")
      }
    }
  }

  /// Runs `identify --points` at points in the readable and broken quarters of a raster.
  private func batch(
    _ fixture: Fixture, _ targets: [String], good: Int, bad: Int, _ more: [String] = []
  ) throws -> ProgramRun {
    let rows = (0..<good).map { "\($0).5,-0.5\n" } + (0..<bad).map { "\($0 + 32).5,-63.5\n" }
    return try plumb(
      ["identify"] + targets.map(fixture.path) + ["--points", "-"] + more,
      input: "x,y\n" + rows.joined() + "500,500\nhere,there\n")
  }

  @Test func `rows of a batch that cannot be read are one warning with their count`() throws {
    let fixture = try Fixture()
    try fixture.brokenTile("r.tif")
    let map = #"{"operationalLayers":[{"id":"r","layerType":"RasterLayer","url":"r.tif"}]}"#
    try fixture.folder.write("m.json", map)
    for target in ["r.tif", "m.json"] {
      for (count, words) in [(1, "r: 1 row is read_error; "), (9, "r: 9 rows are read_error; ")] {
        let run = try batch(fixture, [target], good: 2, bad: count)
        #expect(run.status == 0 && run.lines.count == 5 + count, "\(run)")
        let lines = run.errors.split(separator: "\n").filter { $0.contains("read") }
        #expect(lines.count == 1 && lines[0].hasPrefix("plumb: warning: " + words), "\(run)")
        #expect(lines.first?.contains("r.tif: cells from column 32, row 32 cannot be read") == true)
        let strict = try batch(fixture, [target], good: 2, bad: count, ["--strict"])
        strict.expectRefusalAfterWarnings(words.dropLast(2) + "; --strict refuses that")
      }
      let good = try batch(fixture, [target], good: 2, bad: 0)
      #expect(good.status == 0 && !good.errors.contains("read_error"), "\(good)")
    }
  }

  @Test func `a batch without a readable row fails`() throws {
    let fixture = try Fixture()
    try fixture.brokenTile("r.tif")
    try fixture.raster(
      "s.tif", .uint8, width: 64, bands: [[UInt8](repeating: 3, count: 64 * 64)])
    let map = #"{"operationalLayers":[{"id":"r","layerType":"RasterLayer","url":"r.tif"}]}"#
    try fixture.folder.write("m.json", map)
    for target in ["r.tif", "m.json"] {
      for more in [[], ["--strict"]] {
        let run = try batch(
          fixture, [target], good: 0, bad: 3, more + ["-o", fixture.path("o.csv")])
        run.expectRefusalAfterWarnings("no row could be read: r: 3 rows are read_error; ")
        #expect(run.errors.components(separatedBy: "read_error").count == 2, "\(run)")
        #expect(try !fixture.names.contains("o.csv"))
      }
    }
    // Another raster can be read.
    let other = try batch(fixture, ["r.tif", "s.tif"], good: 0, bad: 3)
    #expect(other.status == 0 && other.errors.contains("r: 3 rows are read_error"), "\(other)")
    // If no point is on the raster, the run succeeds.
    let none = try batch(fixture, ["r.tif"], good: 0, bad: 0)
    #expect(none.status == 0 && !none.errors.contains("could be read"), "\(none)")
  }

  /// A row's status is `ok` when any band has a value.
  @Test func `a band that cannot be read is counted, although others have values`() throws {
    let fixture = try Fixture()
    let values = (0..<64 * 64).map { UInt16(truncatingIfNeeded: $0 &* 7919) }
    try fixture.raster(
      "r.tif", .uint16, width: 64, bands: [values, values],
      options: [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "32"), ("BLOCKYSIZE", "32"),
        ("INTERLEAVE", "BAND"),
      ])
    var bytes = Array(try fixture.bytes("r.tif"))
    for index in bytes.count - 40..<bytes.count { bytes[index] = 0xFF }
    try fixture.write("r.tif", bytes: bytes)
    let run = try batch(fixture, ["r.tif"], good: 1, bad: 4, ["--status"])
    #expect(run.status == 0 && run.lines.filter { $0.hasSuffix(",ok") }.count == 5, "\(run)")
    #expect(run.errors.contains("r: 4 rows could not be read in all bands; /"), "\(run)")
    let strict = try batch(fixture, ["r.tif"], good: 1, bad: 4, ["--strict"])
    strict.expectRefusalAfterWarnings("r: 4 rows could not be read in all bands; --strict refuses")
  }
}
