import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Properties of a raster that are read on demand share one dataset, which only one thread at a
/// time may use.
@Suite struct LazyFactsTests {
  @Test func referenceUnitAndPeriodAreReadOneAtATime() throws {
    let folder = try TemporaryFolder()
    var writer = try RasterWriter(
      path: folder.path("r.tif"), width: 2, height: 2, pixelType: .int16)
    try writer.setGeotransform([0, 1, 0, 2, 0, -1])
    try writer.setReference("EPSG:4267")
    try writer.setUnit("m")
    try writer.write([1, 2, 3, 4] as [Int16])
    try writer.close()
    for _ in 0..<50 {
      let raster = try Raster.open(folder.path("r.tif"))
      Workers(count: 4).run(4) { _, job in
        switch job {
        case 0: #expect(raster.references == ["EPSG:4267"])
        case 1: #expect(raster.bands[0].unit == "m")
        case 2: #expect(raster.members[0].profile.longitudePeriod == 360)
        default: raster.members[0].profile.settle()
        }
      }
    }
  }
}
