import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Blocks that cannot be read completely: the readable part is used.
struct BrokenBlockTests {
  private let fixture = try! Fixture()

  /// The points of all cells of a raster of `width` x `height` cells of size 1, downwards from (0,
  /// 0).
  private func rows(width: Int, height: Int) -> String {
    "x,y\n"
      + (0..<width * height).map { "\($0 % width).5,-\($0 / width).5\n" }.joined()
  }

  private func identified(_ path: String, width: Int, height: Int) throws -> [String] {
    let run = try plumb(
      ["identify", "R=" + path, "--points", "-", "--status"],
      input: rows(width: width, height: height))
    #expect(run.status == 0, "\(run)")
    return run.lines.dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst(2).joined(separator: ",")
    }
  }

  @Test func `tiles with data only within the image`() throws {
    // 16 x 10 cells in a tile of 16 x 16: ten rows of PackBits, and nothing for the others.
    var tiff = RawTIFF(width: 16, height: 10, tile: (16, 16))
    tiff.set(259, 32773)
    tiff.data = (0..<10).flatMap { row in
      [15] + (0..<16).map { UInt8(row * 16 + $0) }
    }
    tiff.set(325, UInt64(tiff.data.count))
    try fixture.write("r.tif", bytes: tiff.bytes)
    let run = try plumb(
      ["identify", fixture.path("r.tif"), "--pixels", "-", "--status"],
      input: "x,y\n0.5,0.5\n15.5,9.5\n3.5,4.5\n15.5,10.5\n")
    #expect(
      run.lines.dropFirst()
        == ["0.5,0.5,0,ok", "15.5,9.5,159,ok", "3.5,4.5,67,ok", "15.5,10.5,,outside"], "\(run)")
  }

  /// The blocks of a VRT have 128 x 128 cells. An inner strip has a source; the strips at the edges
  /// do not.
  @Test(arguments: [true, false]) func `a source within a block of missing ones is read`(
    isUpright: Bool
  ) throws {
    let values = (0..<128 * 40).map { Int16($0) }
    try fixture.raster("a.tif", .int16, width: isUpright ? 40 : 128, bands: [values])
    func source(_ name: String, _ start: Int, _ size: Int) -> String {
      let (x, y) = isUpright ? (start, 0) : (0, start)
      let (width, height) = isUpright ? (size, 128) : (128, size)
      return """
        <SimpleSource><SourceFilename relativeToVRT="1">\(name)</SourceFilename><SourceBand>1\
        </SourceBand><SrcRect xOff="0" yOff="0" xSize="\(width)" ySize="\(height)"/><DstRect \
        xOff="\(x)" yOff="\(y)" xSize="\(width)" ySize="\(height)"/></SimpleSource>
        """
    }
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="128" rasterYSize="128"><GeoTransform>0,1,0,0,0,-1</GeoTransform>
      <VRTRasterBand dataType="Int16" band="1">\(source("gone.tif", 0, 50))\
      \(source("a.tif", 50, 40))\(source("gone.tif", 90, 38))</VRTRasterBand></VRTDataset>
      """)
    let found = try identified(fixture.path("v.vrt"), width: 128, height: 128)
    let expected = (0..<128 * 128).map { cell in
      let (column, row) = (cell % 128, cell / 128)
      let point = isUpright ? column : row
      guard (50..<90).contains(point) else { return ",read_error" }
      return isUpright ? "\(row * 40 + column - 50),ok" : "\((row - 50) * 128 + column),ok"
    }
    #expect(found == expected)
  }

  @Test func `a missing source of a VRT affects only its own cells`() throws {
    try fixture.raster("a.tif", .int16, width: 20, bands: [(0..<400).map { Int16($0) }])
    func source(_ name: String, _ column: Int, _ row: Int, _ size: Int) -> String {
      """
      <SimpleSource><SourceFilename relativeToVRT="1">\(name)</SourceFilename><SourceBand>1\
      </SourceBand><SrcRect xOff="0" yOff="0" xSize="\(size)" ySize="\(size)"/><DstRect \
      xOff="\(column)" yOff="\(row)" xSize="\(size)" ySize="\(size)"/></SimpleSource>
      """
    }
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="40" rasterYSize="40"><GeoTransform>0,1,0,0,0,-1</GeoTransform>
      <VRTRasterBand dataType="Int16" band="1">\(source("a.tif", 0, 0, 20))\
      \(source("gone.tif", 20, 0, 20))\(source("a.tif", 20, 20, 20))</VRTRasterBand></VRTDataset>
      """)
    let found = try identified(fixture.path("v.vrt"), width: 40, height: 40)
    let expected = (0..<1600).map { cell in
      let (column, row) = (cell % 40, cell / 40)
      if column >= 20, row < 20 { return ",read_error" }
      if column < 20, row >= 20 { return "0,ok" }
      return "\(row % 20 * 20 + column % 20),ok"
    }
    #expect(found == expected)
    // A single point with bilinear interpolation, and a point between a valid and a missing source.
    let one = try plumb(
      ["identify", fixture.path("v.vrt"), "--points", "-", "-r", "bilinear", "--status"],
      input: "x,y\n5.5,-5.5\n25.5,-25.5\n19.9,-5.5\n")
    #expect(
      one.lines.dropFirst()
        == ["5.5,-5.5,105.0,ok", "25.5,-25.5,105.0,ok", "19.9,-5.5,,read_error"], "\(one)")
  }

  @Test(arguments: ["EHdr", "ENVI"])
  func `a truncated file is read up to its end`(driver: String) throws {
    let path = fixture.path("r." + ["EHdr": "bil", "ENVI": "img"][driver]!)
    var writer = try RasterWriter(
      path: path, width: 30, height: 30, pixelType: .uint8, driver: driver)
    try writer.setGeotransform([0, 1, 0, 0, 0, -1])
    try writer.write((0..<900).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) })
    try writer.close()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    let header = size - 900
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: UInt64(header + 455))
    try handle.close()
    let found = try identified(path, width: 30, height: 30)
    let whole = 450
    #expect(
      found.prefix(whole)
        == ArraySlice(
          (0..<whole).map { "\(UInt8(truncatingIfNeeded: $0 &* 7 &+ 1)),ok" }))
    // In the row at which the file ends, the result depends on GDAL's reading of single cells.
    for line in found.dropFirst(whole + 30) { #expect(line == ",read_error" || line == "0,ok") }
  }

  /// GDAL's driver for such grids takes twice as long for each row after the truncated row as for
  /// the row before.
  @Test func `a truncated text grid is read up to its end`() throws {
    let head = "ncols 40\nnrows 300\nxllcorner 0\nyllcorner -300\ncellsize 1\n"
    let rows = (0..<300).map { row in
      (0..<40).map { String((row * 40 + $0) % 251) }.joined(separator: " ") + "\n"
    }
    try fixture.folder.write("r.asc", head + rows[..<150].joined() + "7 7 7")
    try fixture.folder.write("p.csv", self.rows(width: 40, height: 300))
    let run = try boundedShell(
      "\"$PLUMB\" identify R=r.asc --points p.csv --status", folder: fixture.folder.path)
    #expect(run.status == 0, "\(run.errors)")
    let found = run.lines.dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst(2).joined(
        separator: ",")
    }
    #expect(found == (0..<12_000).map { $0 < 6000 ? "\($0 % 251),ok" : ",read_error" })
  }

  @Test func `a truncated file without compression is read where it has bytes`() throws {
    try fixture.raster(
      "r.tif", .uint16, width: 64, bands: [(0..<64 * 64).map { UInt16($0) }],
      options: [("BLOCKYSIZE", "64")])
    let bytes = Array(try fixture.bytes("r.tif"))
    // The cells are at the end of the file.
    try fixture.write("r.tif", bytes: Array(bytes[..<(bytes.count - 2000)]))
    let found = try identified(fixture.path("r.tif"), width: 64, height: 64)
    #expect(found == (0..<4096).map { $0 < 3096 ? "\($0),ok" : ",read_error" })
  }

  /// The table of offsets or byte counts is beyond the end of the file. libtiff reports this once
  /// and then returns 0, as for a block without data. GDAL reads cells of four bits.
  @Test(arguments: [UInt64(8), 4], [false, true])
  func `a block whose offset or length cannot be read has no value however often it is read`(
    bits: UInt64, isBig: Bool
  ) throws {
    for lost: [UInt16] in [[273], [279], [273, 279]] {
      var tiff = RawTIFF(width: 100, height: 100_000)
      tiff.isBig = isBig
      (tiff.counts[273], tiff.counts[279]) = (100_000, 100_000)
      tiff.set(258, bits)
      tiff.set(278, 1)
      for tag: UInt16 in [273, 279] { tiff.set(tag, lost.contains(tag) ? 1 << 30 : 16) }
      // Lengths and offsets, if any: an offset of 64, and a length of less than a row.
      tiff.data = (0..<100_000).flatMap { _ in isBig ? [64, 0, 0, 0, 0, 0, 0, 0] : [64, 0, 0, 0] }
      try fixture.write("r.tif", bytes: tiff.bytes)
      let points = ["0.5,0.5", "1.5,0.5", "0.5,1.5", "0.5,0.5", "50.5,99999.5", "0.5,1.5"]
      let run = try plumb(
        ["identify", fixture.path("r.tif"), "--pixels", "-", "--status"],
        input: (["x,y"] + points).joined(separator: "\n") + "\n")
      #expect(run.lines.dropFirst() == ArraySlice(points.map { $0 + ",,read_error" }), "\(run)")
      let at = try plumb(["identify", fixture.path("r.tif"), "--pixel", "0,0", "--pixel", "0,0"])
      #expect(at.status == 1, "\(at)")
    }
  }

  @Test func `warnings of a library name the file`() throws {
    // One row of PackBits instead of ten.
    var tiff = RawTIFF(width: 16, height: 10, tile: (16, 16))
    tiff.set(259, 32773)
    tiff.data = [15] + (0..<16).map { UInt8($0) }
    tiff.set(325, UInt64(tiff.data.count))
    try fixture.write("odd name.tif", bytes: tiff.bytes)
    let run = try plumb(["identify", fixture.path("odd name.tif"), "--pixel", "0,9"])
    let warnings = run.errors.split(separator: "\n").filter { $0.hasPrefix("plumb: warning: ") }
    #expect(warnings.contains { $0.contains("PackBitsDecode") }, "\(run)")
    for warning in warnings { #expect(warning.contains("odd name.tif"), "\(warning)") }
  }

  @Test func `a broken block is not decoded again`() throws {
    // One tile of 16 million cells that no library decodes, queried at many of its cells.
    var tiff = RawTIFF(width: 4096, height: 4096, tile: (4096, 4096))
    tiff.set(259, 8)
    try fixture.write("r.tif", bytes: tiff.bytes)
    let points = "x,y\n" + (0..<20_000).map { "\($0 % 4096).5,\($0 / 4096).5\n" }.joined()
    let run = try plumb(
      ["identify", fixture.path("r.tif"), "--pixels", "-", "--status"], input: points)
    #expect(run.lines.count == 20_001 && run.lines.last?.hasSuffix(",read_error") == true)
  }
}
