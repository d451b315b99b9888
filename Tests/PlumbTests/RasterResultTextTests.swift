import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Compares results that are written directly with results that are built and then written: the
/// bytes are the same.
@Suite struct RasterResultTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write<Value: BitwiseCopyable>(
    _ name: String, _ type: PixelType, bands: Int = 1, options: [(String, String)] = [],
    _ value: () -> Value, _ describe: (inout RasterWriter) throws -> Void
  ) throws -> Raster {
    var writer = try RasterWriter(
      path: folder.path(name + ".tif"), width: 12, height: 9, bandCount: bands, pixelType: type,
      options: options)
    try describe(&writer)
    for band in 1...bands {
      try writer.write((0..<108 * (type.isComplex ? 2 : 1)).map { _ in value() }, band: band)
    }
    try writer.close()
    return try Raster.open(folder.path(name + ".tif"))
  }

  /// Queries rasters at random points on and outside of them, in the CRS; some points are invalid.
  private func compare(
    _ requests: [RasterSampler.Request], _ reference: String?, x: ClosedRange<Double>,
    y: ClosedRange<Double>, seed: UInt64, resampling: Resampling = .nearest
  ) throws {
    var random = SeededGenerator(seed: seed)
    let count = 300
    let xs = (0..<count).map { $0 % 41 == 5 ? .nan : Double.random(in: x, using: &random) }
    let ys = (0..<count).map { $0 % 53 == 6 ? 1e9 : Double.random(in: y, using: &random) }
    let identifier = try RasterIdentifier(
      requests, reference: try reference.map { try SpatialReference($0) }, resampling: resampling)
    let answers = identifier.sample(x: xs, y: ys, keepsProvenance: true)
    let names: [Setting: String] = [:]
    let maker = try IdentifyResultMaker(identifier)
    let writer = try RasterResultText(identifier, names: names, workers: 2)
    let memory = RasterResultText.Answers(answers)
    var filled = 0
    for row in 0..<count {
      let (expected, found) = (TextBuffer(), TextBuffer())
      let results = maker.results(at: row, of: answers, x: xs[row])
      IdentifyJSON.append(results, names, to: expected)
      writer.append(row, of: memory, x: xs[row], worker: row % 2, to: found)
      filled += results.contains { !$0.geoElements.isEmpty } ? 1 : 0
      #expect(
        String(decoding: found.bytes, as: UTF8.self)
          == String(decoding: expected.bytes, as: UTF8.self), "row \(row)")
    }
    #expect(filled > count / 5, "\(filled) of \(count) rows hold something")
  }

  @Test func everyTypeScaledAndNot() throws {
    var random = SeededGenerator(seed: 1)
    let place = { @Sendable (writer: inout RasterWriter) in
      try writer.setGeotransform([10, 0.5, 0, 3, 0, -0.25])
      try writer.setReference("EPSG:4326")
    }
    var rasters = [
      try write("u8", .uint8, bands: 3, { UInt8.random(in: 0...3, using: &random) }) { writer in
        try place(&writer)
        try writer.setNodata(.double(2))
        try writer.setUnit("m \"s\"", band: 2)
      },
      try write("i8", .int8, { Int8.random(in: .min ... .max, using: &random) }, place),
      try write("u16", .uint16, { UInt16.random(in: 0 ... .max, using: &random) }, place),
      try write("i16", .int16, { Int16.random(in: .min ... .max, using: &random) }) { writer in
        try place(&writer)
        try writer.setScale(0.0001)
        try writer.setOffset(-3)
        try writer.setUnit("EVI")
      },
      try write("u32", .uint32, { UInt32(truncatingIfNeeded: random.next()) }, place),
      try write("i32", .int32, { Int32(truncatingIfNeeded: random.next()) }, place),
      try write("u64", .uint64, { random.next() }, place),
      try write("i64", .int64, { Int64(bitPattern: random.next()) }, place),
    ]
    rasters += [
      try write(
        "f32", .float32,
        { Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }, place),
      try write("f64", .float64, bands: 2, { Double(bitPattern: random.next()) }) { writer in
        try place(&writer)
        try writer.setScale(1e10, band: 2)
      },
      try write("c64", .complexFloat32, { Float.random(in: -9...9, using: &random) }, place),
      try write("classes", .uint8, { UInt8.random(in: 0...5, using: &random) }) { writer in
        try place(&writer)
        try writer.setCategoryNames(["none", "wood", "\"water\"", "ä"])
      },
    ]
    for (index, raster) in rasters.enumerated() {
      try compare(
        [RasterSampler.Request(raster)], index % 2 == 0 ? nil : "EPSG:4326", x: 8...18, y: -1...4,
        seed: UInt64(index))
    }
    // All bands together, some bands alone, other bands again, and interpolated values.
    try compare(
      rasters.map { RasterSampler.Request($0, bands: [$0.bands.count - 1]) }, "EPSG:4326",
      x: 9...17, y: 0...4, seed: 100)
    try compare(
      [RasterSampler.Request(rasters[0], bands: [2, 0])], nil, x: 9...17, y: 0...4, seed: 101)
    try compare(
      rasters.prefix(5).map { RasterSampler.Request($0) }, nil, x: 9...17, y: 0...4, seed: 102,
      resampling: .bilinear)
  }

  /// Cells in CRSs that differ from the points', on grids that are rotated or upside down, with
  /// control points, and shifted by a period.
  @Test func outlines() throws {
    var random = SeededGenerator(seed: 2)
    let value = { Int16.random(in: -9...9, using: &random) }
    let metric = try write("utm", .int16, value) { writer in
      try writer.setGeotransform([500_000, 5000, 300, 6_250_000, -200, -4000])
      try writer.setReference("EPSG:32734")
    }
    try compare(
      [RasterSampler.Request(metric)], "EPSG:4326", x: 20.9...21.8, y: -34.3 ... -33.8, seed: 1)
    let upward = try write("up", .int16, value) { writer in
      try writer.setGeotransform([0, 10, 0, -40, 0, 5])
      try writer.setReference("EPSG:4326")
    }
    try compare([RasterSampler.Request(upward)], nil, x: -20...500, y: -50...20, seed: 2)
    let tied = try write("tied", .int16, value) { writer in
      try writer.setControlPoints(
        [(0, 0, 18, -33), (12, 0, 19, -33.1), (12, 9, 19.1, -34), (0, 9, 18.1, -33.9)].map {
          RasterWriter.ControlPoint(column: $0.0, row: $0.1, x: $0.2, y: $0.3)
        }, reference: "EPSG:4326")
    }
    try compare(
      [RasterSampler.Request(tied), RasterSampler.Request(metric)], "EPSG:4326", x: 17.9...19.2,
      y: -34.1 ... -32.9, seed: 3)
  }

  /// Files of one mosaic that differ in type, unit and CRS.
  @Test func mosaics() throws {
    var random = SeededGenerator(seed: 3)
    let tiles = folder.path("tiles")
    try FileManager.default.createDirectory(atPath: tiles, withIntermediateDirectories: true)
    for (index, type) in [PixelType.uint8, .int16, .uint8].enumerated() {
      var writer = try RasterWriter(
        path: tiles + "/\(index).tif", width: 10, height: 10, pixelType: type)
      try writer.setGeotransform(
        index < 2
          ? [Double(index) * 10, 1, 0, 10, 0, -1] : [2_300_000, 100_000, 0, 1_000_000, 0, -90_000])
      try writer.setReference(index < 2 ? "EPSG:4326" : "EPSG:3857")
      if index == 1 { try writer.setUnit("dm") }
      if type == .uint8 {
        try writer.write((0..<100).map { _ in UInt8.random(in: 0...9, using: &random) })
      } else {
        try writer.write((0..<100).map { _ in Int16.random(in: -9...9, using: &random) })
      }
      try writer.close()
    }
    let raster = try Raster.open(tiles)
    #expect(raster.members.count == 3)
    try compare([RasterSampler.Request(raster)], "EPSG:4326", x: -1...31, y: -1...11, seed: 4)
  }

  /// Rows whose tile cannot be read have an error.
  @Test func unreadableTiles() throws {
    let values = (0..<64 * 64).map { UInt16(truncatingIfNeeded: $0 &* 7919) }
    let path = folder.path("broken.tif")
    var writer = try RasterWriter(
      path: path, width: 64, height: 64, pixelType: .uint16,
      options: [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "32"), ("BLOCKYSIZE", "32"),
      ])
    try writer.setGeotransform([0, 1, 0, 64, 0, -1])
    try writer.write(values)
    try writer.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in bytes.count - 40..<bytes.count { bytes[index] = 0xFF }
    try bytes.write(to: URL(fileURLWithPath: path))
    try compare(
      [RasterSampler.Request(try Raster.open(path))], nil, x: -5...70, y: -5...70, seed: 5)
  }
}
