import Foundation
import PlumbTestSupport
import Testing

/// Rasters with wrong headers.
struct BadRasterTests {
  private func check(
    _ tiff: RawTIFF, refusedBy words: String?, location: SourceLocation = #_sourceLocation
  ) throws {
    let fixture = try Fixture()
    try fixture.write("r.tif", bytes: tiff.bytes)
    for arguments in [
      ["info", fixture.path("r.tif")],
      ["identify", fixture.path("r.tif"), "--pixel", "1,1", "--pixel", "2e9,0"],
    ] {
      let run = try MeasuredRun(arguments, folder: fixture.folder.path)
      #expect(run.isSound, "\(run)", sourceLocation: location)
      guard let words else { continue }
      #expect(run.status == 1, "\(run)", sourceLocation: location)
      #expect(
        run.errors.contains(words), "\(run)",
        sourceLocation: location)
    }
  }

  @Test func `a plain handmade file is read`() throws {
    let fixture = try Fixture()
    try fixture.write("r.tif", bytes: RawTIFF(width: 8, height: 8).bytes)
    let run = try plumb(["identify", fixture.path("r.tif"), "--pixel", "1.5,1.5"])
    #expect(run.lines.contains("  Band_0: 7"), "\(run)")
  }

  @Test func `absurd sizes`() throws {
    try check(RawTIFF(width: 1 << 31, height: 8), refusedBy: "r.tif")
    try check(RawTIFF(width: 1 << 31 - 1, height: 1 << 31 - 1), refusedBy: "r.tif")
    try check(RawTIFF(width: 0, height: 8), refusedBy: "r.tif")
    try check(
      RawTIFF(width: 400_000, height: 400_000, tile: (320_000, 320_000)), refusedBy: "r.tif")
    try check(RawTIFF(width: 30_000, height: 30_000, tile: (30_000, 30_000)), refusedBy: "MB")
    try check(RawTIFF(width: 16, height: 16, tile: (0, 0)), refusedBy: "r.tif")
    var bands = RawTIFF(width: 8, height: 8)
    bands.set(277, 65535)
    try check(bands, refusedBy: nil)
    var rows = RawTIFF(width: 1, height: 1 << 31 - 1)
    rows.set(278, 1)
    try check(rows, refusedBy: nil)
  }

  @Test(arguments: [false, true])
  func `cyclic directories`(isBig: Bool) throws {
    var tiff = RawTIFF(width: 8, height: 8)
    tiff.isBig = isBig
    tiff.nextDirectory = tiff.directoryOffset
    try check(tiff, refusedBy: nil)
    tiff.set(330, tiff.directoryOffset)
    try check(tiff, refusedBy: nil)
    tiff.nextDirectory = 1 << 31
    try check(tiff, refusedBy: nil)
  }

  @Test func `offsets and lengths beyond the file`() throws {
    for (offset, length) in [
      (16, UInt64.max), (.max, 64), (.max - 32, 64), (1 << 62, 1 << 62), (16, 1 << 40), (16, 0),
      (0, 64),
    ] as [(UInt64, UInt64)] {
      var tiff = RawTIFF(width: 8, height: 8)
      tiff.isBig = true
      tiff.set(273, offset)
      tiff.set(279, length)
      try check(tiff, refusedBy: nil)
    }
  }

  @Test func `a cut-off file is refused or its cells are read errors`() throws {
    let fixture = try Fixture()
    let values = (0..<64 * 64).map { UInt16(truncatingIfNeeded: $0 &* 7919) }
    try fixture.raster(
      "whole.tif", .uint16, width: 64, bands: [values], options: [("COMPRESS", "DEFLATE")])
    let bytes = Array(try fixture.bytes("whole.tif"))
    for share in stride(from: 0.0, to: 1.0, by: 0.09) {
      try fixture.write("cut.tif", bytes: Array(bytes[..<Int(Double(bytes.count) * share)]))
      let arguments = ["identify", fixture.path("cut.tif"), "--at", "63.5,-63.5"]
      let run = try plumb(arguments)
      #expect(run.status == 1, "\(run)")
      #expect(run.errors.hasPrefix("plumb: ") && run.errors.contains("cut.tif"), "\(run)")
      if !run.output.isEmpty {
        #expect(run.output.contains("Error: read_error"), "\(run)")
        #expect(try plumb(arguments + ["--strict"]).status == 1)
      }
    }
  }

  /// If a file is truncated within its tags, GDAL emits the same warning each time the file is
  /// opened, both with and without the file name.
  @Test func `a warning that is emitted twice is one line with the file's name`() throws {
    let fixture = try Fixture()
    try fixture.raster(
      "r.tif", .int16, width: 16, bands: [(0..<256).map { Int16($0) }], left: 18, top: -33)
    let bytes = Array(try fixture.bytes("r.tif"))
    var count = 0
    for length in stride(from: 200, to: bytes.count - 512, by: 12) {
      try fixture.write("cut.tif", bytes: Array(bytes[..<length]))
      let run = try plumb(["identify", fixture.path("cut.tif"), "--at", "18.5,-33.5"])
      let start = "plumb: warning: "
      let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix(start) }
        .map { String($0.dropFirst(start.count)) }
      for line in lines where line.contains("TIFFFetchNormalTag") {
        #expect(line.contains("cut.tif: "), "\(run)")
        #expect(lines.filter { $0.hasSuffix(": " + line) || $0 == line }.count == 1, "\(run)")
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test func `an unreadable tile affects only its own points`() throws {
    let fixture = try Fixture()
    try fixture.brokenTile("r.tif")
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n63.5,-63.5\n1.5,-0.5\n")
    let arguments = ["identify", "r.tif", "--points", "p.csv", "--status"]
    let run = try plumb(arguments, folder: fixture.folder.path)
    #expect(run.status == 0)
    #expect(
      run.lines.dropFirst() == ["0.5,-0.5,0,ok", "63.5,-63.5,,read_error", "1.5,-0.5,7919,ok"])
    let line = "plumb: warning: r: 1 row is read_error; r.tif: cells from column 32, row 32 cannot"
    #expect(run.errors.hasPrefix(line) && run.errors.filter { $0 == "\n" }.count == 1)
    let strict = try plumb(arguments + ["--strict", "-o", "o.csv"], folder: fixture.folder.path)
    strict.expectRefusalAfterWarnings("read_error")
    #expect(try fixture.names == ["p.csv", "r.tif"])
  }

  @Test(arguments: [1e308, 1e-300 * 1e-20, 1e-300, -1e300, .ulpOfOne])
  func `cells of any size and points anywhere`(step: Double) throws {
    let fixture = try Fixture()
    try fixture.grid("a.tif")
    for name in ["v1.vrt", "v2.vrt"] {
      try fixture.folder.write(
        name,
        """
        <VRTDataset rasterXSize="4" rasterYSize="3"><GeoTransform>0,\(step),0,0,0,\(step)\
        </GeoTransform><VRTRasterBand dataType="Int16" band="1"><SimpleSource>
        <SourceFilename relativeToVRT="1">a.tif</SourceFilename></SimpleSource>
        </VRTRasterBand></VRTDataset>
        """)
    }
    try fixture.folder.write(
      "p.csv", "x,y\n0,0\n1e308,1e308\n-1e308,1e-320\n1e-320,1e-320\n2e-300,2e-300\n1e300,-1e300\n")
    for raster in ["v1.vrt", "v*.vrt"] {
      for method in ["nearest", "cubic"] {
        let run = try MeasuredRun(
          [
            "identify", fixture.path(raster), "--points", fixture.path("p.csv"), "-r", method,
            "--explain",
          ], folder: fixture.folder.path)
        #expect(run.isSound, "\(raster) \(run)")
      }
    }
  }
}
