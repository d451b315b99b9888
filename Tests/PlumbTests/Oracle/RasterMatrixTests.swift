import CGDAL
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// TIFFs of every pixel type in every layout, compared with GDAL's 1 x 1 reads and with the written
/// cells.
@Suite struct RasterMatrixTests {
  @Test func agreesWithGDALInEveryLayout() throws {
    let compressions = RasterRecipe.compressions.filter { Self.driverOptions.contains(">\($0)<") }
    #expect(compressions.count >= 4)
    let recipes = RasterRecipe.allPairs(compressions: compressions)
    let folder = try TemporaryFolder()
    let (width, height) = (70, 50)
    var check = OracleCheck()
    for (number, recipe) in recipes.enumerated() {
      let path = folder.path("matrix-\(number).tif")
      var generator = SeededGenerator(seed: UInt64(number))
      let bands = try recipe.write(to: path, width: width, height: height, using: &generator)
      let route = try check.check(
        path: path, seed: UInt64(number), written: recipe.isLossy ? nil : bands)
      let examples = check.removeExamples()
      #expect(examples.isEmpty, "\(recipe)\n\(examples.joined(separator: "\n"))")
      // Plain files have to use the fast code path; otherwise it is not tested here.
      let isPlain =
        ["NONE", "PACKBITS", "LZW", "DEFLATE"].contains(recipe.compression)
        && !recipe.isBigEndian
      if isPlain { #expect(route == "Plumb", "\(recipe)") }
    }
    report("oracle, matrix: \(check.summary); compressions \(compressions.joined(separator: " "))")
    #expect(check.files == recipes.count)
  }

  /// The driver's creation options, from GDAL.
  static let driverOptions: String = {
    GDALLibrary.start()
    let driver = GDALGetDriverByName("GTiff")
    return GDALGetMetadataItem(driver, "DMD_CREATIONOPTIONLIST", nil)
      .map { String(cString: $0) } ?? ""
  }()
}
