import PlumbCore
import PlumbGDAL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sample rasters, all of the same world.
struct Samples {
  let world: World
  let seed: UInt64

  private static let tiled = [
    ("TILED", "YES"), ("BLOCKXSIZE", "256"), ("BLOCKYSIZE", "256"), ("COMPRESS", "DEFLATE"),
    ("ZLEVEL", "9"),
  ]

  /// EVI in the form of MODIS: `int16` of 1/10000, sinusoidal cells of 231.656 m; the sea and some
  /// clouds have no value.
  func writeVegetationIndex(_ path: String) throws {
    let cell = 231.65635826395825
    let side = 600
    // The grid has a cell corner at 0, 0, as for MODIS, and 18.62° E, 34.1° S in its middle.
    let grid = SampleGrid(
      width: side, height: side, left: 7116 * cell, top: -15995 * cell, cell: cell,
      projection: .sinusoidal)
    let clouds = GradientNoise(seed: seed &+ 41, wavelength: 0.16, octaves: 5)
    let cells = grid.render { column, row -> Int16 in
      let sight = grid.look(at: world, column: column, row: row)
      let place = grid.degrees(column: column, row: row)
      let cloud = clouds(place.longitude, place.latitude) + min(sight.elevation, 1500) / 9000
      if sight.isSea || cloud > 0.74 { return -3000 }
      let index = mean(grid, column, row) + 0.012 * grain(column, row, 42)
      return Int16((index * 10000).rounded())
    }
    var writer = try RasterWriter(
      path: path, width: side, height: side, pixelType: .int16,
      options: Self.tiled + [("PREDICTOR", "2")])
    try place(writer, grid)
    try writer.setNodata(.double(-3000))
    try writer.setScale(0.0001)
    try writer.setOffset(0)
    try writer.setUnit("EVI")
    try writer.setDescription("250m 8 days EVI (synthetic)")
    try writer.write(cells)
    try writer.close()
    report(path)
  }

  /// NDVI in web Mercator: `float32`, NaN in the sea.
  func writeWebMercatorIndex(_ path: String) throws {
    let grid = SampleGrid(
      width: 500, height: 500, left: 2_026_000, top: -3_990_000, cell: 200,
      projection: .webMercator)
    let cells = grid.render { column, row -> Float in
      if grid.look(at: world, column: column, row: row).isSea { return .nan }
      let index = mean(grid, column, row) + 0.012 * grain(column, row, 43)
      // The usual relation of the two indices: NDVI saturates first.
      let ndvi = index <= 0 ? 1.5 * index : 1.46 * pow(index, 0.82)
      return Float((min(0.98, ndvi) * 10000).rounded() / 10000)
    }
    var writer = try RasterWriter(
      path: path, width: grid.width, height: grid.height, pixelType: .float32,
      options: Self.tiled + [("PREDICTOR", "3")])
    try place(writer, grid)
    try writer.setNodata(.double(.nan))
    try writer.setDescription("NDVI (synthetic)")
    try writer.write(cells)
    try writer.close()
    report(path)
  }

  /// One square degree of heights: `int16` metres, 0 in the sea, a few voids in the steepest places.
  func writeElevation(_ path: String, west: Int, south: Int) throws {
    let side = 400
    let grid = SampleGrid(
      width: side, height: side, left: Double(west), top: Double(south + 1),
      cell: 1 / Double(side), projection: .degrees)
    let cells = grid.render { column, row -> Int16 in
      func height(_ across: Double, _ down: Double) -> Double {
        let place = grid.degrees(column: column, row: row, across: across, down: down)
        return world.elevation(longitude: place.longitude, latitude: place.latitude)
      }
      let middle = height(0.5, 0.5)
      // Radar has no values for the steepest faces.
      if middle > 500, abs(height(1.5, 0.5) - height(-0.5, 0.5)) > 610 { return .min }
      return Int16(middle.rounded())
    }
    var writer = try RasterWriter(
      path: path, width: side, height: side, pixelType: .int16,
      options: Self.tiled + [("PREDICTOR", "2")])
    try place(writer, grid)
    try writer.setNodata(.double(-32768))
    try writer.setUnit("m")
    try writer.setDescription("Elevation (synthetic)")
    try writer.write(cells)
    try writer.close()
    report(path)
  }

  /// Land cover on UTM cells of 100 m: `uint8` classes with colours and an attribute table.
  func writeLandCover(_ path: String) throws {
    let grid = SampleGrid(
      width: 1000, height: 900, left: 240_000, top: 6_280_000, cell: 100, projection: .utm34South)
    let cells = grid.render { column, row in
      grid.look(at: world, column: column, row: row).cover.rawValue
    }
    var writer = try RasterWriter(
      path: path, width: grid.width, height: grid.height, pixelType: .uint8, options: Self.tiled)
    try place(writer, grid)
    try writer.setNodata(.double(0))
    try writer.setDescription("Land cover (synthetic)")
    let none = RasterWriter.Color(0, 0, 0, alpha: 0)
    try writer.setColorTable(
      [none]
        + Cover.allCases.map { .init($0.color.red, $0.color.green, $0.color.blue) })
    try writer.setAttributeTable(attributes(of: cells))
    try writer.write(cells)
    try writer.close()
    report(path)
  }

  private func attributes(of cells: [UInt8]) -> RasterWriter.AttributeTable {
    var counts = [Int32](repeating: 0, count: 256)
    for cell in cells { counts[Int(cell)] += 1 }
    let covers = Cover.allCases
    return RasterWriter.AttributeTable(columns: [
      .init("Value", .value, .integers(covers.map { Int32($0.rawValue) })),
      .init("Class", .name, .texts(covers.map(\.name))),
      .init("Count", .count, .integers(covers.map { counts[Int($0.rawValue)] })),
      .init("Red", .red, .integers(covers.map { Int32($0.color.red) })),
      .init("Green", .green, .integers(covers.map { Int32($0.color.green) })),
      .init("Blue", .blue, .integers(covers.map { Int32($0.color.blue) })),
    ])
  }

  private func place(_ writer: borrowing RasterWriter, _ grid: SampleGrid) throws {
    try writer.setGeotransform(grid.geotransform)
    try writer.setReference(grid.projection.reference)
  }

  /// The greenness of a cell as seen by a sensor: the mean of the land at four positions in it.
  private func mean(_ grid: SampleGrid, _ column: Int, _ row: Int) -> Double {
    var (sum, count) = (0.0, 0.0)
    for (across, down) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5)] {
      let sight = grid.look(at: world, column: column, row: row, across: across, down: down)
      if !sight.isSea { (sum, count) = (sum + sight.greenness, count + 1) }
    }
    return count > 0 ? sum / count : 0
  }

  /// Sensor noise, -1 to 1.
  private func grain(_ column: Int, _ row: Int, _ salt: UInt64) -> Double {
    let bits = latticeHash(column, row, seed: seed &+ salt)
    return unitInterval(bits) - unitInterval(scramble(bits))
  }
}
