import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The attributes of a cell in an identify result other than its value, and the choice of the cell.
@Suite struct IdentifyPointTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func cell(
    _ path: String, x: Double, y: Double, reference: SpatialReference? = nil
  ) throws -> RasterCell {
    let identifier = try RasterIdentifier([try Raster.open(path)], reference: reference)
    let answers = identifier.sample(x: [x], y: [y], keepsProvenance: true)
    let results = try IdentifyResultMaker(identifier).results(at: 0, of: answers)
    guard case .cell(let cell)? = results.first?.geoElements.first else {
      throw PlumbError("no cell there")
    }
    return cell
  }

  private func text(_ cell: RasterCell, _ name: String) -> String? {
    guard let attribute = cell.attributes.first(where: { $0.name == name }) else { return nil }
    switch attribute.value {
    case .null: return "null"
    case .text(let text): return text
    case .cell(let value): return value.description
    case .real(let value): return value.description
    }
  }

  @Test func scaleOffsetAndUnitOfEachBand() throws {
    let path = folder.path("scaled.tif")
    var writer = try RasterWriter(
      path: path, width: 2, height: 1, bandCount: 2, pixelType: .int16)
    try writer.setGeotransform([0, 1, 0, 1, 0, -1])
    try writer.setScale(0.0001, band: 1)
    try writer.setScale(0.5, band: 2)
    try writer.setOffset(-100, band: 2)
    try writer.setUnit("degC", band: 2)
    // Nodata is compared with the stored value, before scaling.
    try writer.setNodata(.double(-3000))
    try writer.write([4321, -3000] as [Int16], band: 1)
    try writer.write([7, -6000] as [Int16], band: 2)
    try writer.close()
    let first = try cell(path, x: 0.5, y: 0.5)
    #expect(text(first, "Pixel.Type") == "int16")
    #expect(text(first, "Band_0") == "4321" && text(first, "Band_1") == "7")
    #expect(text(first, "Scaled_0") == (4321 * 0.0001).description)
    #expect(text(first, "Scaled_1") == "-96.5")
    #expect(text(first, "Unit_1") == "degC" && text(first, "Unit_0") == nil)
    let second = try cell(path, x: 1.5, y: 0.5)
    #expect(second.status == [.nodata, .ok])
    #expect(text(second, "Band_0") == "null" && text(second, "Scaled_0") == "null")
    #expect(text(second, "Scaled_1") == "-3100.0")
    #expect((second.row, second.column) == (0, 1))
  }

  private func writeClasses(
    _ name: String, _ describe: (inout RasterWriter) throws -> Void
  ) throws -> [String?] {
    let path = folder.path(name)
    var writer = try RasterWriter(path: path, width: 4, height: 1, pixelType: .uint8)
    try writer.setGeotransform([0, 1, 0, 1, 0, -1])
    try describe(&writer)
    try writer.write([0, 1, 2, 200] as [UInt8])
    try writer.close()
    return try (0..<4).map { text(try cell(path, x: Double($0) + 0.5, y: 0.5), "Class_0") }
  }

  @Test func classesOfValues() throws {
    let colours = try writeClasses("colours.tif") { writer in
      try writer.setColorTable([
        RasterWriter.Color(0, 0, 0, alpha: 0), RasterWriter.Color(255, 128, 1),
        RasterWriter.Color(1, 2, 3),
      ])
    }
    // A TIFF does not store the opacity of colours.
    #expect(colours.prefix(3) == ["#000000", "#ff8001", "#010203"])
    let names = try writeClasses("names.tif") { writer in
      try writer.setCategoryNames(["sea", "", "sand"])
    }
    #expect(names == ["sea", nil, "sand", nil])
    let table = try writeClasses("table.tif") { writer in
      try writer.setColorTable([RasterWriter.Color(0, 0, 0)])
      try writer.setAttributeTable(
        RasterWriter.AttributeTable(columns: [
          .init("Value", .value, .integers([200, 2, 0])),
          .init("Count", .count, .integers([1, 1, 1])),
          .init("Class", .name, .texts(["fynbos", "dune", "water"])),
        ]))
    }
    #expect(table == ["water", nil, "dune", "fynbos"])
    let ranges = try writeClasses("ranges.tif") { writer in
      try writer.setAttributeTable(
        RasterWriter.AttributeTable(columns: [
          .init("from", .minimum, .reals([0, 1.5])), .init("to", .maximum, .reals([1, 199])),
          .init("class", .name, .texts(["low", "middle"])),
        ]))
    }
    #expect(ranges == ["low", "low", "middle", nil])
  }

  /// Tasks that share an identifier, its transformations and its open file have the same results as
  /// one task.
  @Test func severalTasksShareOneIdentifier() async throws {
    let path = folder.path("shared.tif")
    var writer = try RasterWriter(
      path: path, width: 200, height: 200, bandCount: 1, pixelType: .int16)
    try writer.setGeotransform([260_000, 100, 0, 6_250_000, 0, -100])
    try writer.setReference("EPSG:32734")
    try writer.write((0..<40_000).map { Int16(truncatingIfNeeded: $0) }, band: 1)
    try writer.close()
    let count = 40_000
    var generator = SeededGenerator(seed: 7)
    let x = (0..<count).map { _ in Double.random(in: 18.3...18.7, using: &generator) }
    let y = (0..<count).map { _ in Double.random(in: -34.2...(-33.8), using: &generator) }
    let raster = try Raster.open(path)
    func values(_ answer: RasterAnswer) -> [Int?] {
      (0..<count).map { answer.columns[0][$0]?.real.map { Int($0) } }
    }
    let expected = values(
      try RasterIdentifier([raster], reference: .wgs84).sample(x: x, y: y)[0])
    #expect(expected.contains(nil) && Set(expected).count > 5000)
    let identifier = try RasterIdentifier([raster], reference: .wgs84)
    let tasks = (0..<6).map { _ in
      Task.detached { [x, y] in
        let answers = try await identifier.identify(x: x, y: y)
        #expect(identifier.reference == .wgs84 && identifier.rasterReferences.count == 1)
        return answers[0]
      }
    }
    for task in tasks { #expect(values(try await task.value) == expected) }
    let cancelled = Task.detached { [x, y] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await identifier.identify(x: x, y: y)
    }
    await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
  }

  /// The sinusoidal projection on MODIS's sphere, in closed form. With an ellipsoid, points would
  /// be off by kilometres.
  @Test(
    .enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func degreesOnTheSinusoidalSphere() throws {
    let path = try #require(TestPaths.data) + "/rasters/ndvi/modis_sinop_ndvi_2014.tif"
    let oracle = try #require(OracleRaster(path: path))
    let c = try #require(oracle.geotransform)
    let radius = 6_371_007.181
    let degree = Double.pi / 180
    let raster = try Raster.open(path)
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster, bands: [0])], reference: .wgs84)
    var generator = SeededGenerator(seed: 2014)
    var x: [Double] = []
    var y: [Double] = []
    for _ in 0..<2000 {
      // Anywhere on the raster, by the inverse of the closed form.
      let east = c[0] + Double.random(in: 0..<50, using: &generator) * c[1]
      let north = c[3] + Double.random(in: 0..<50, using: &generator) * c[5]
      let latitude = north / radius
      x.append(east / (radius * cos(latitude)) / degree)
      y.append(latitude / degree)
    }
    let answer = identifier.sample(x: x, y: y, keepsProvenance: true)[0]
    let provenance = try #require(answer.provenance)
    var compared = 0
    for i in x.indices {
      let column = (radius * x[i] * degree * cos(y[i] * degree) - c[0]) / c[1]
      let row = (radius * y[i] * degree - c[3]) / c[5]
      // Within a millionth of a cell from a border, the result depends on rounding.
      guard (column - column.rounded()).magnitude > 1e-6, (row - row.rounded()).magnitude > 1e-6
      else { continue }
      compared += 1
      #expect(Int(provenance.column[i]) == Int(column.rounded(.down)))
      #expect(Int(provenance.row[i]) == Int(row.rounded(.down)))
      let cell = oracle.cell(band: 0, column: Int(column), row: Int(row))
      let value = Int16(truncatingIfNeeded: cell.bits.0)
      #expect(answer.columns[0][i] == (cell.status == .ok ? .signed(Int64(value)) : nil))
    }
    #expect(compared > 1900)
  }
}
