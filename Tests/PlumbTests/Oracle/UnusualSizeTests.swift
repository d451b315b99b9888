import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Rasters of a single cell, a single row, and with a cell count beyond 32 bits.
@Suite struct UnusualSizeTests {
  @Test func tinyRasters() throws {
    let folder = try TemporaryFolder()
    var check = OracleCheck()
    var number = 0
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (16, 32), (17, 33)] {
      for layout in RasterRecipe.Layout.allCases {
        for compression in ["NONE", "DEFLATE"] {
          let recipe = RasterRecipe(
            type: number % 2 == 0 ? .int16 : .float64, layout: layout,
            bands: number % 3 == 0 ? .pixel : .one, compression: compression, predictor: 1,
            isBig: false, isBigEndian: number % 5 == 0, hasNoData: number % 4 == 0)
          let path = folder.path("tiny-\(number).tif")
          var generator = SeededGenerator(seed: UInt64(number))
          let bands = try recipe.write(
            to: path, width: width, height: height, using: &generator)
          try check.check(path: path, seeded: 50, seed: UInt64(number), written: bands)
          let examples = check.removeExamples()
          #expect(examples.isEmpty, "\(recipe)\n\(examples.joined(separator: "\n"))")
          number += 1
        }
      }
    }
    report("oracle, tiny rasters: \(check.summary)")
    #expect(check.files == number)
  }

  /// Nine billion cells, nearly all of them in tiles that are not in the file.
  @Test(arguments: ["NONE", "DEFLATE"])
  func hugeSparseRaster(compression: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("huge.tif")
    let (width, height) = (100_000, 90_000)
    var writer = try RasterWriter(
      path: path, width: width, height: height, bandCount: 2, pixelType: .uint8,
      options: [
        ("TILED", "YES"), ("BLOCKXSIZE", "128"), ("BLOCKYSIZE", "128"), ("BIGTIFF", "YES"),
        ("SPARSE_OK", "TRUE"), ("COMPRESS", compression), ("INTERLEAVE", "BAND"),
      ])
    try writer.setGeotransform([18, 1.0 / 3600, 0, -34, 0, -1.0 / 3600])
    var generator = SeededGenerator(seed: 90)
    let bytes = CellPattern(type: .uint8).cells(64, using: &generator)
    for (column, row) in [(0, 0), (width - 8, 0), (0, height - 8), (width - 8, height - 8)] {
      try writer.write(bytes, band: 2, column: column, row: row, width: 8, height: 8)
    }
    try writer.close()
    var check = OracleCheck()
    let route = try check.check(path: path, seeded: 40)
    #expect(route == "Plumb")
    #expect(check.removeExamples().isEmpty)

    // The value of the last cell is the one that was written.
    let raster = try Raster.open(path)
    let answer = try RasterIdentifier([raster]).sample(
      x: [18 + (Double(width) - 0.5) / 3600], y: [-34 - (Double(height) - 0.5) / 3600],
      keepsProvenance: true)[0]
    #expect(answer.columns[1][0] == .unsigned(UInt64(bytes[63])))
    #expect(answer.columns[0][0] == .unsigned(0))
    #expect(answer.provenance?.column[0] == Int32(width - 1))
    #expect(answer.provenance?.row[0] == Int32(height - 1))
  }
}
