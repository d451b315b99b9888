import Foundation
import PlumbTestSupport
import Testing

/// Real rasters, queried in every way and compared with GDAL's 1 x 1 reads.
@Suite struct RealRasterTests {
  @Test(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func agreesWithGDALOnSharedData() throws {
    let check = try Self.check(folder: try #require(TestPaths.data) + "/rasters")
    report("oracle, shared data: \(check.summary)")
    #expect(check.files > 50)
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: TestPaths.rasters), "rasters/ is not there"))
  func agreesWithGDALOnTheSamples() throws {
    let check = try Self.check(folder: TestPaths.rasters)
    report("oracle, sample rasters: \(check.summary)")
    #expect(check.files > 5)
  }

  private static func check(folder: String) throws -> OracleCheck {
    var check = OracleCheck()
    // Build results of the package in `rasters/` are not test data.
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      .filter { !$0.hasPrefix(".build") }
    for (seed, name) in names.enumerated() {
      let path = folder + "/" + name
      do {
        try check.check(path: path, seed: UInt64(seed))
      } catch {
        Issue.record("\(path): GDAL opens it and Plumb does not: \(error)")
      }
      let examples = check.removeExamples()
      #expect(examples.isEmpty, "\(examples.joined(separator: "\n"))")
    }
    return check
  }
}
