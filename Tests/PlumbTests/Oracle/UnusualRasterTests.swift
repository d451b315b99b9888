import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Unusual rasters, created here and compared with GDAL's 1 x 1 reads.
@Suite struct UnusualRasterTests {
  @Test func bitDepths() throws { try check(UnusualRaster.bits, "bit depths") }
  @Test func colours() throws { try check(UnusualRaster.colours, "colours") }
  @Test func sparseTiles() throws { try check(UnusualRaster.sparse, "sparse tiles") }
  @Test func masksAndAlpha() throws { try check(UnusualRaster.masks, "masks and alpha") }
  @Test func noDataValues() throws { try check(UnusualRaster.noData, "nodata values") }
  @Test func placements() throws { try check(UnusualRaster.placements, "placements") }

  /// Separate masks for each band, which only a virtual raster can have.
  @Test func masksOfEachBand() throws {
    let folder = try TemporaryFolder()
    var raster = UnusualRaster(description: "cells and masks", type: .uint8, bandCount: 4)
    raster.style = .below(2)
    _ = try raster.write(to: folder.path("cells.tif"), seed: 4)
    func source(_ band: Int) -> String {
      """
      <SimpleSource><SourceFilename relativeToVRT="1">cells.tif</SourceFilename>
      <SourceBand>\(band)</SourceBand></SimpleSource>
      """
    }
    let bands = [1, 2].map { band in
      """
      <VRTRasterBand dataType="Byte" band="\(band)">\(source(band))
      <MaskBand><VRTRasterBand dataType="Byte">\(source(band + 2))</VRTRasterBand></MaskBand>
      </VRTRasterBand>
      """
    }
    let path = try folder.write(
      "masks.vrt",
      """
      <VRTDataset rasterXSize="\(UnusualRaster.width)" rasterYSize="\(UnusualRaster.height)">
      <GeoTransform>18, 0.5, 0, -34, 0, -0.5</GeoTransform>\(bands.joined())</VRTDataset>
      """)
    var check = OracleCheck()
    try check.check(path: path)
    #expect(check.removeExamples().isEmpty)
    #expect(check.points[.masked] ?? 0 > 500 && check.points[.ok] ?? 0 > 500)
  }

  /// GDAL reads 24-bit floats (a sign, 7 bits of exponent, 16 of mantissa) but does not write them.
  @Test func floatsOf24Bits() throws {
    let cells: [(bits: UInt32, value: Float)] = [
      (0x3F0000, 1), (0xBF8000, -1.5), (0x000000, 0), (0x7F0000, .infinity),
      (0x400001, 2 + 0x1p-15),
      (0x7EFFFF, 0x1.FFFFp63), (0x010000, 0x1p-62), (0x000001, 0x1p-78),
    ]
    let folder = try TemporaryFolder()
    let path = folder.path("float24.tif")
    try Data(Self.tiff(of: cells.map(\.bits))).write(to: URL(fileURLWithPath: path))
    var check = OracleCheck()
    try check.check(path: path)
    #expect(check.removeExamples().isEmpty)
    #expect(check.files == 1)
    let sampler = try RasterSampler([RasterSampler.Request(try Raster.open(path).inCells())])
    let x = TrivialBuffer<Double>(cells.indices.map { Double($0) + 0.5 })
    let y = TrivialBuffer<Double>(cells.map { _ in 0.5 })
    let answer = sampler.sample([PointCoordinates(x: x.base, y: y.base, count: cells.count)])[0]
    for (index, cell) in cells.enumerated() {
      #expect(answer.columns[0][index] == .float32(cell.value), "\(cell)")
    }
  }

  /// A little-endian TIFF of one row, with 24 bits per cell.
  private static func tiff(of cells: [UInt32]) -> [UInt8] {
    let tags: [(tag: Int, type: Int, value: Int)] = [
      (256, 3, cells.count), (257, 3, 1), (258, 3, 24), (259, 3, 1), (262, 3, 1), (273, 4, 8),
      (277, 3, 1), (278, 3, 1), (279, 4, cells.count * 3), (339, 3, 3),
    ]
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file: [UInt8] = [0x49, 0x49, 42, 0] + bytes(8 + cells.count * 3, 4)
    for cell in cells { file += bytes(Int(cell), 3) }
    file += bytes(tags.count, 2)
    for entry in tags {
      file += bytes(entry.tag, 2) + bytes(entry.type, 2) + bytes(1, 4) + bytes(entry.value, 4)
    }
    return file + bytes(0, 4)
  }

  private func check(_ rasters: [UnusualRaster], _ title: String) throws {
    let folder = try TemporaryFolder()
    var check = OracleCheck()
    for (number, raster) in rasters.enumerated() {
      let path = folder.path("odd-\(number).tif")
      do {
        let written = try raster.write(to: path, seed: UInt64(number))
        let before = check.points
        try check.check(path: path, seed: UInt64(number), written: written)
        for status in raster.statuses {
          #expect(check.points[status] ?? 0 > before[status] ?? 0, "\(raster): no \(status)")
        }
      } catch {
        Issue.record("\(raster): \(error)")
      }
      let examples = check.removeExamples()
      #expect(examples.isEmpty, "\(raster)\n\(examples.joined(separator: "\n"))")
    }
    report("oracle, \(title): \(check.summary)")
    #expect(check.files == rasters.count)
  }
}
