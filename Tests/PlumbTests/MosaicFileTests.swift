import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Mosaics of files: their order, types, CRSs and number.
@Suite struct MosaicFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a tile whose cells are numbered from `first`; every third is nodata if a nodata value
  /// is given.
  private func write(
    _ name: String, width: Int = 4, height: Int = 4, left: Double = 0, top: Double = 4,
    step: Double = 1, type: PixelType = .int32, first: Int = 0, noData: Int? = nil,
    reference: String = "EPSG:32734", scale: Double = 1
  ) throws {
    var writer = try RasterWriter(
      path: folder.path(name), width: width, height: height, pixelType: type)
    try writer.setGeotransform([left, step, 0, top, 0, -step])
    try writer.setReference(reference)
    if scale != 1 { try writer.setScale(scale) }
    if let noData { try writer.setNodata(.double(Double(noData))) }
    let numbers = (0..<width * height).map { $0 % 3 == 0 ? noData ?? first + $0 : first + $0 }
    switch type {
    case .uint8: try writer.write(numbers.map { UInt8($0) })
    case .int16: try writer.write(numbers.map { Int16($0) })
    case .int32: try writer.write(numbers.map { Int32($0) })
    case .uint64: try writer.write(numbers.map { UInt64($0) })
    case .int64: try writer.write(numbers.map { Int64($0) })
    case .float32: try writer.write(numbers.map { Float($0) })
    default: try writer.write(numbers.map { Double($0) })
    }
    try writer.close()
  }

  private func values(_ raster: Raster, x: [Double], y: [Double]) throws -> [CellValue?] {
    let answer = try RasterIdentifier([raster]).sample(x: x, y: y)[0]
    return x.indices.map { answer.columns[0][$0] }
  }

  @Test func filesAnswerInByteOrderOfTheirPaths() throws {
    let names = ["a10.tif", "a9.tif", "B.tif", "b.tif", "é.tif", "Z.tif", "_.tif"]
    for (number, name) in names.reversed().enumerated() {
      try write(name, first: 100 * number, noData: -1)
    }
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(sorted.first == "B.tif" && sorted.last == "é.tif")
    for argument in [folder.path, folder.path("*.tif")] {
      let raster = try Raster.open(argument)
      #expect(raster.members.map { $0.path.split(separator: "/").last.map(String.init) } == sorted)
      let answer = try RasterIdentifier([raster]).sample(
        x: [1.5, 0.5], y: [3.5, 3.5], keepsProvenance: true)[0]
      // The second cell of the first file has a value; the first cell is nodata in all files.
      #expect(answer.provenance?.member[0] == 0)
      #expect(answer.provenance?.column[0] == 1 && answer.provenance?.row[0] == 0)
      #expect(answer.status(at: 1) == .nodata)
    }
  }

  @Test func typesOfMembersMeet() throws {
    try write("1.tif", type: .uint8, first: 200)
    try write("2.tif", left: 4, type: .int16, first: -300)
    #expect(try Raster.open(folder.path).bands[0].pixelType == .int16)
    try write("3.tif", left: 8, type: .float32, first: 1000)
    let raster = try Raster.open(folder.path)
    #expect(raster.bands[0].pixelType == .float32)
    #expect(
      try values(raster, x: [0.5, 4.5, 8.5, 11.5], y: [3.5, 3.5, 3.5, 0.5])
        == [.float32(200), .float32(-300), .float32(1000), .float32(1015)])
    try write("4.tif", left: 12, type: .int32, first: 1 << 30)
    #expect(
      try values(try Raster.open(folder.path), x: [0.5, 13.5], y: [3.5, 3.5])
        == [.float64(200), .float64(Double(1 << 30 + 1))])
    try write("5.tif", left: 16, type: .int64, first: 1)
    #expect(throws: RasterError.self) { try Raster.open(folder.path) }
  }

  @Test func scalesHaveToBeTheSame() throws {
    try write("1.tif", scale: 0.5)
    try write("2.tif", scale: 0.5)
    #expect(try Raster.open(folder.path).bands[0].scale == 0.5)
    try write("3.tif", scale: 0.25)
    #expect(throws: RasterError.self) { try Raster.open(folder.path) }
  }

  /// Files with two CRSs, queried with points in a third CRS: the result is as if each file were
  /// queried separately, in order.
  @Test func referencesOfMembersDiffer() throws {
    // Around 18.5° E, 34° S.
    try write(
      "1.tif", width: 60, height: 60, left: 268_000, top: 6_237_000, step: 100, first: 10_000,
      noData: -5)
    try write(
      "2.tif", width: 80, height: 80, left: 18.46, top: -33.96, step: 0.001, first: 20_000,
      noData: -5, reference: "EPSG:4326")
    try write(
      "3.tif", width: 60, height: 60, left: 271_000, top: 6_239_000, step: 100, first: 30_000)
    let raster = try Raster.open(folder.path)
    #expect(raster.references.count == 2)
    var generator = SeededGenerator(seed: 31)
    let x = (0..<4000).map { _ in Double.random(in: 18.44...18.58, using: &generator) }
    let y = (0..<4000).map { _ in Double.random(in: -34.06 ... -33.94, using: &generator) }
    func sampleValues(_ raster: Raster) throws -> RasterAnswer {
      try RasterIdentifier([RasterSampler.Request(raster)], reference: .wgs84)
        .sample(x: x, y: y, keepsProvenance: true)[0]
    }
    let whole = try sampleValues(raster)
    let parts = try ["1.tif", "2.tif", "3.tif"].map {
      try sampleValues(try Raster.open(folder.path($0)))
    }
    var answered: Set<Int32> = []
    for i in x.indices {
      let first = parts.firstIndex { $0.status(at: i) == .ok }
      let last = parts.lastIndex { $0.status(at: i) == .nodata }
      #expect(whole.columns[0][i] == first.flatMap { parts[$0].columns[0][i] })
      #expect(whole.provenance?.member[i] == Int32(first ?? last ?? -1))
      #expect(whole.status(at: i) == (first != nil ? .ok : last != nil ? .nodata : .outside))
      answered.insert(whole.provenance?.member[i] ?? -9)
    }
    #expect(answered == [-1, 0, 1, 2])
  }

  /// More files than the process may open.
  @Test func manyTilesUnderALowLimitOfFiles() throws {
    let across = 18
    for number in 0..<across * across {
      try write(
        "tile-\(number).tif", left: Double(number % across * 4), top: Double(number / across * -4),
        first: number * 100)
    }
    var generator = SeededGenerator(seed: 7)
    let locations = (0..<3000).map { _ in
      (
        Int.random(in: 0..<across * 4, using: &generator),
        Int.random(in: 0..<across * 4, using: &generator)
      )
    }
    let points = try TemporaryFolder()
    try points.write(
      "points.csv",
      "x,y\n" + locations.map { "\(Double($0.0) + 0.5),\(-Double($0.1) - 0.5)\n" }.joined())
    let script = """
      ulimit -n 64 && exec "$0" identify m="$1" --points "$2" --of csv --threads 4 -q
      """
    let run = try ProgramRun(
      "/bin/sh",
      ["-c", script, TestPaths.program("plumb"), folder.path, points.path("points.csv")])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(whereSeparator: \.isNewline).dropFirst()
    #expect(lines.count == locations.count)
    for (line, point) in zip(lines, locations) {
      let tile = point.1 / 4 * across + point.0 / 4
      let expected = tile * 100 + point.1 % 4 * 4 + point.0 % 4
      #expect(line.split(separator: ",").last == Substring(String(expected)))
    }
  }
}
