import Foundation
import PlumbTestSupport
import Testing

/// `plumb zonal`: arguments, faults and output. The tests of the Python package compare its numbers
/// with exactextract's.
struct ZonalCommandTests {
  private static let evi = TestPaths.rasters + "/evi_cape_town.tif"
  private static let wards = TestPaths.rasters + "/wards.geojson"

  @Test(arguments: [
    [evi], ["--areas", wards], [evi, "--areas", wards, "--stat", "men"],
    [evi, "--areas", wards, "--stat", "quantile:2"], [evi, "--areas", wards, "--stat", ""],
    [evi, "--areas", wards, "--stat", "mean,mean"], [evi, "--areas", wards, "-b", "0"],
    [evi, "--areas", wards, "--threads", "0"],
  ])
  func `wrong usage exits with 64`(arguments: [String]) throws {
    let run = try plumb(["zonal"] + arguments)
    #expect(run.status == 64 && run.output == "", "\(run.errors)")
  }

  @Test func `a mistaken statistic is corrected`() throws {
    let run = try plumb(["zonal", Self.evi, "--areas", Self.wards, "--stat", "meen"])
    #expect(run.errors.contains("unknown statistic meen; did you mean mean"), "\(run.errors)")
  }

  @Test func `the sample has values for every ward`() throws {
    let run = try plumb(["zonal", "evi=" + Self.evi, "--areas", Self.wards, "--stat", "count,mean"])
    let lines = run.output.split(separator: "\n")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(lines[0] == "WARD,NAME,POP,DENSITY,evi_count,evi_mean,evi_status,evi_valid_fraction")
    #expect(lines[1].hasPrefix("1,City Bowl,61092,1638.4,"), "\(lines[1])")
    let statuses = Set(lines.dropFirst().map { $0.split(separator: ",")[6] })
    #expect(statuses.isSubset(of: ["ok", "partial", "outside", "nodata"]), "\(statuses)")
  }

  private static let bowTie =
    #"{"type":"Polygon","coordinates":[[[18.5,-34],[18.6,-33.9],[18.6,-34],[18.5,-33.9],[18.5,-34]]]}"#

  @Test func `areas that have to be repaired are counted and can be refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":\#(Self.bowTie)},{"type":"Feature","properties":{"a":2},"geometry":null}]}"#
    )
    let arguments = ["zonal", Self.evi, "--areas", folder.path("a.geojson")]
    let run = try plumb(arguments)
    #expect(run.status == 0)
    #expect(run.errors.contains("1 area was repaired, because edges cross"), "\(run.errors)")
    #expect(run.errors.contains("1 feature has no area that can be used"), "\(run.errors)")
    #expect(run.output.contains("2,,,,,bad_area,"), "\(run.output)")
    let output = folder.path("out.csv")
    let strict = try plumb(arguments + ["--strict", "-o", output])
    #expect(strict.status == 1 && strict.errors.contains("--strict"), "\(strict.errors)")
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test func `columns do not replace those of the areas`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.geojson",
      #"{"type":"Feature","properties":{"evi_mean":1},"geometry":\#(Self.bowTie)}"#)
    let run = try plumb([
      "zonal", "evi=" + Self.evi, "--areas", folder.path("a.geojson"), "-o", folder.path("o.csv"),
    ])
    #expect(
      run.status == 1 && run.errors.contains("has a column evi_mean already"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("o.csv")))
  }

  @Test func `rasters that areas cannot be placed on are refused`() throws {
    let folder = try TemporaryFolder()
    for (name, size) in [("a", 1.0), ("b", 0.75)] {
      try folder.write(
        "\(name).asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize \(size)\n1\n")
    }
    let mosaic = try plumb(["zonal", folder.path(""), "--areas", Self.wards])
    #expect(mosaic.status == 1 && mosaic.errors.contains("not on one grid"), "\(mosaic.errors)")
    let band = try plumb(["zonal", Self.evi, "--areas", Self.wards, "-b", "9"])
    #expect(band.status == 1 && band.errors.contains("has no band 9"), "\(band.errors)")
  }
}
