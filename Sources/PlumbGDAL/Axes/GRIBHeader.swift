import CGDAL

/// The first message of a GRIB file.
struct GRIBHeader {
  /// The definition of a Gaussian grid.
  struct Gaussian {
    /// The number of columns; 0 for a reduced grid, whose rows differ in length.
    var columns: Int
    var rows: Int
    /// The first latitude in degrees.
    var first: Double
    var last: Double
    /// The number of rows between a pole and the equator.
    var parallels: Int
  }

  let edition: Int
  /// Whether the points of a row run from east to west.
  let runsWestward: Bool
  /// The definition of a Gaussian grid; nil for other grids.
  let gaussian: Gaussian?

  /// The number of bytes of a file that are searched for its first grid.
  private static let headBytes = 1 << 16

  /// - Returns: nil for a file without a message, and for a file that cannot be read.
  init?(path: String) {
    guard let file = VSIFOpenL(path, "rb") else { return nil }
    defer { VSIFCloseL(file) }
    var bytes = [UInt8](repeating: 0, count: Self.headBytes)
    bytes.removeLast(Self.headBytes - VSIFReadL(&bytes, 1, Self.headBytes, file))
    let mark = Array("GRIB".utf8)
    guard
      let start = bytes.indices.dropLast(16).first(where: {
        bytes[$0] == mark[0] && bytes[$0..<$0 + 4].elementsEqual(mark)
      })
    else { return nil }
    edition = Int(bytes[start + 7])
    let section =
      edition == 1 ? Self.grid1(bytes, after: start + 8) : Self.grid2(bytes, after: start + 16)
    runsWestward = section?.mode.map { $0 & 0x80 != 0 } ?? false
    gaussian = section?.gaussian
  }

  /// The content of a grid definition section: the flags of the scanning mode, nil for a grid without rows, and a
  /// Gaussian grid.
  private typealias Section = (mode: UInt8?, gaussian: Gaussian?)

  /// Reads the grid definition of a message of edition 1 whose product definition section begins at
  /// an offset.
  private static func grid1(_ bytes: [UInt8], after product: Int) -> Section? {
    guard product + 8 <= bytes.count, bytes[product + 7] & 0x80 != 0 else { return nil }
    let grid = product + number(bytes, product, 3)
    guard grid + 28 <= bytes.count else { return nil }
    let representation = bytes[grid + 5]
    let mode = representationsWithRows.contains(representation) ? bytes[grid + 27] : nil
    guard representation == 4 else { return (mode, nil) }
    let columns = number(bytes, grid + 6, 2)
    return (
      mode,
      Gaussian(
        columns: columns == 0xFFFF ? 0 : columns, rows: number(bytes, grid + 8, 2),
        first: Double(signed(bytes, grid + 10, 3)) / 1000,
        last: Double(signed(bytes, grid + 17, 3)) / 1000, parallels: number(bytes, grid + 25, 2))
    )
  }

  /// The representations of edition 1 whose octet 28 is the scanning mode: latitudes and longitudes, Mercator,
  /// Lambert, Gaussian, polar stereographic, rotated, oblique and perspective grids.
  private static let representationsWithRows: Set<UInt8> = [0, 1, 3, 4, 5, 10, 13, 14, 90]

  /// Reads the grid definition of a message of edition 2 whose first section after section 0 begins
  /// at an offset.
  private static func grid2(_ bytes: [UInt8], after start: Int) -> Section? {
    var section = start
    while section + 72 <= bytes.count, bytes[section + 4] < 3 {
      section += max(5, number(bytes, section, 4))
    }
    guard section + 72 <= bytes.count, bytes[section + 4] == 3 else { return nil }
    let template = number(bytes, section + 12, 2)
    let mode = modeOctets[template].map { bytes[section + $0 - 1] }
    guard template == 40 else { return (mode, nil) }
    let columns = number(bytes, section + 30, 4)
    return (
      mode,
      Gaussian(
        columns: columns == 0xFFFF_FFFF ? 0 : columns, rows: number(bytes, section + 34, 4),
        first: Double(signed(bytes, section + 46, 4)) / 1e6,
        last: Double(signed(bytes, section + 55, 4)) / 1e6,
        parallels: number(bytes, section + 67, 4))
    )
  }

  /// The octets of the scanning mode, by the templates of edition 2.
  private static let modeOctets = [
    0: 72, 1: 72, 2: 72, 3: 72, 10: 60, 12: 60, 20: 65, 30: 65, 31: 65, 40: 72, 41: 72, 42: 72,
    43: 72, 90: 64, 140: 64,
  ]

  /// Reads a big-endian unsigned integer.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a big-endian integer in sign-magnitude form.
  private static func signed(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    let value = number(bytes, offset, count)
    let sign = 1 << (8 * count - 1)
    return value & sign == 0 ? value : -(value & (sign - 1))
  }
}
