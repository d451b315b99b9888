import PlumbRaster
import PlumbTestSupport
import Testing

@testable import PlumbGDAL

@Suite struct GRIBGridTests {
  /// A grid description section of edition 1 with a grid of latitudes and longitudes.
  ///
  /// - Parameters:
  ///   - levels: the number of vertical coordinates.
  ///   - lengths: the lengths of the rows of a reduced grid.
  private static func section(
    levels: Int = 0, lengths: [Int] = [], changing octets: [Int: UInt8] = [:]
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes[3] = UInt8(levels)
    bytes[4] = levels == 0 && lengths.isEmpty ? 255 : 33
    (bytes[7], bytes[9]) = (16, 8)
    for (octet, value) in octets { bytes[octet - 1] = value }
    bytes += (0..<4 * levels).map { UInt8($0 & 0xFF) }
    for length in lengths { bytes += [UInt8(length >> 8), UInt8(length & 0xFF)] }
    (bytes[1], bytes[2]) = (UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF))
    return bytes
  }

  private static func isSame(_ a: [UInt8], _ b: [UInt8]) throws -> Bool {
    let (first, second) = try (
      #require(GRIBGrid(edition1: a)), #require(GRIBGrid(edition1: b))
    )
    #expect(first.isSame(as: second) == second.isSame(as: first))
    return first.isSame(as: second)
  }

  @Test func levelsAndFlagsDoNotPlaceCells() throws {
    #expect(try Self.isSame(Self.section(), Self.section(levels: 60)))
    #expect(try Self.isSame(Self.section(), Self.section(changing: [17: 0x88])))
    #expect(try !Self.isSame(Self.section(), Self.section(changing: [17: 0x40])))
    let lengths = [18, 25, 36]
    #expect(
      try Self.isSame(Self.section(lengths: lengths), Self.section(levels: 3, lengths: lengths)))
    for octet in (6...28) where octet != 17 {
      #expect(try !Self.isSame(Self.section(), Self.section(changing: [octet: 1])))
    }
    #expect(
      try !Self.isSame(Self.section(lengths: lengths), Self.section(lengths: [18, 25, 40])))
    #expect(!GRIBGrid(predefined: 3).isSame(as: GRIBGrid(predefined: 4)))
  }

  @Test func incrementsLeadToTheLastCell() throws {
    // The octets of latitudes and longitudes of 16 x 8 cells in thousandths of a degree, whose signs are
    // separate bits.
    let corners: [(octet: Int, bytes: Int, value: Int)] = [
      (11, 3, 70_000), (14, 3, 0), (18, 3, 1 << 23 | 70_000), (21, 3, 337_500),
    ]
    func section(column: Int, row: Int, flags: UInt8 = 0x80, representation: Int = 0) -> [UInt8] {
      var octets: [Int: UInt8] = [6: UInt8(representation), 17: flags]
      for (octet, count, value) in corners + [(24, 2, column), (26, 2, row)] {
        for index in 0..<count {
          octets[octet + index] = UInt8(value >> (8 * (count - 1 - index)) & 0xFF)
        }
      }
      return Self.section(changing: octets)
    }
    func contradict(_ section: [UInt8]) throws -> Bool {
      try #require(GRIBGrid(edition1: section)?.corners).contradictIncrements
    }
    #expect(try !contradict(section(column: 22_500, row: 20_000)))
    #expect(try !contradict(section(column: 22_501, row: 19_999)))
    #expect(try contradict(section(column: 22_503, row: 20_000)))
    #expect(try contradict(section(column: 22_500, row: 19_997)))
    // Increments that the flags do not declare, and missing ones, mean nothing.
    #expect(try !contradict(section(column: 1, row: 1, flags: 0)))
    #expect(try !contradict(section(column: 0xFFFF, row: 0xFFFF)))
    // The number in the place of the rows' distance is that of the parallels of a Gaussian grid.
    #expect(try !contradict(section(column: 22_500, row: 4, representation: 4)))
    let found = try #require(GRIBGrid(edition1: section(column: 0xFFFF, row: 0xFFFF))?.corners)
    let expected = GridTransform(coefficients: [-11.25, 22.5, 0, 80, 0, -20])
    #expect(found.transform(nil) == expected && found.transform(.identity) == expected)
    #expect(found.transform(expected) == expected)
  }

  /// GDAL's columns of a full circle begin at -180 degrees.
  @Test func columnsAreWhereTheCornersAre() throws {
    // GDAL's first longitude, the first longitude of the grid, and the longitude of GDAL's first column.
    let cases: [(given: Double, first: Double, place: Double)] = [
      (-180, 0, -180), (-180, 0.25, -179.75), (-180, 0.499, -179.501), (-180, 180, -180),
      (0, 0, 0), (-10, 350, -10), (3, 10, 10), (-2137.48, -10, -10), (-180, -180, -180),
    ]
    for (given, first, place) in cases { try checkPlace(given, first, place) }
  }

  private func checkPlace(_ given: Double, _ first: Double, _ place: Double) throws {
    let corners = GRIBCorners(
      kind: .regular, columns: 720, rows: 3, first: SIMD2(first, -10),
      last: SIMD2(first + 359.5, 10), increments: (0.5, 10))
    for row in [-10.0, 1e-6, -65.535] {
      let known = try #require(
        GridTransform(coefficients: [given - 0.25, 0.5, 0, 10 - row / 2, 0, row]))
      let found = try #require(corners.transform(known))
      let cell = found.coordinates(column: 0.5, row: 0.5)
      #expect((cell.x - place).magnitude < 1e-9 && (cell.y - 10).magnitude < 1e-9)
      #expect((found.columnX, found.rowY) == (0.5, -10))
    }
  }

  @Test func singleColumnsNeedAnIncrement() {
    func transform(_ increment: Double?) -> GridTransform? {
      GRIBCorners(
        kind: .regular, columns: 1, rows: 3, first: SIMD2(5, 10), last: SIMD2(5, 0),
        increments: (increment, nil)
      ).transform(.identity)
    }
    #expect(transform(nil) == nil)
    #expect(transform(2) == GridTransform(coefficients: [4, 2, 0, 12.5, 0, -5]))
  }

  /// Sections of random bytes and lengths are read without a trap.
  @Test func anyBytes() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<100, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let grid = GRIBGrid(edition1: bytes)
      #expect((grid == nil) == (count < 28))
      #expect((GRIBGrid(edition2: bytes) == nil) == (count < 38))
    }
  }
}
