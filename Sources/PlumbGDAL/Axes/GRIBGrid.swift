/// A grid definition of a GRIB message.
struct GRIBGrid {
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

  /// The edition of the message.
  private let edition: Int
  private let columns: Int
  private let rows: Int
  /// The bytes of the definition that place the cells.
  private let definition: [UInt8]
  /// Whether the points of a row run from east to west.
  private(set) var runsWestward = false
  /// Whether the distance between two cells is not that which follows from the first and the last cell.
  private(set) var hasOtherIncrements = false
  /// The definition of a Gaussian grid; nil for other grids.
  private(set) var gaussian: Gaussian?

  /// Whether the cells of another grid have the same places. Grids of different editions are compared
  /// by their sizes, because the editions round coordinates differently.
  func isSame(as other: GRIBGrid) -> Bool {
    edition == other.edition
      ? definition == other.definition : (columns, rows) == (other.columns, other.rows)
  }

  // MARK: Edition 1

  /// - Parameter section: the grid description section of a message of edition 1.
  init?(edition1 section: [UInt8]) {
    guard section.count >= 28 else { return nil }
    edition = 1
    let representation = section[5]
    (columns, rows) = (Self.number(section, 6, 2), Self.number(section, 8, 2))
    // The list of vertical coordinates differs between levels, and follows the definition. The flags
    // in octet 17 do not place cells.
    let list = section[4] == 255 ? section.count : min(section.count, Int(section[4]) - 1)
    let rest = min(section.count, max(28, list) + 4 * Int(section[3]))
    var definition = Array(section[5..<max(28, list)] + section[rest...])
    definition[11] = 0
    self.definition = definition
    guard Self.representationsWithRows.contains(representation) else { return }
    runsWestward = section[27] & 0x80 != 0
    let spans = Spans(
      section, unit: 1e-3, size: 3, longitudes: (13, 20), latitudes: (10, 17), incrementSize: 2,
      increments: (23, 25))
    if [0, 4, 10, 14].contains(representation) {
      hasOtherIncrements = spans.differ(columns, rows, isGaussian: representation % 10 == 4)
    }
    guard representation == 4 else { return }
    gaussian = Gaussian(
      columns: columns == 0xFFFF ? 0 : columns, rows: rows,
      first: Double(Self.signed(section, 10, 3)) / 1000,
      last: Double(Self.signed(section, 17, 3)) / 1000,
      parallels: Self.number(section, 25, 2))
  }

  /// - Parameter number: the number of a grid that a message of edition 1 does not describe.
  init(predefined number: UInt8) {
    (edition, columns, rows, definition) = (1, 0, 0, [number])
  }

  /// The representations of edition 1 whose octet 28 is the scanning mode: latitudes and longitudes, Mercator,
  /// Lambert, Gaussian, polar stereographic, rotated, oblique and perspective grids.
  private static let representationsWithRows: Set<UInt8> = [0, 1, 3, 4, 5, 10, 13, 14, 90]

  // MARK: Edition 2

  /// - Parameter section: the grid definition section of a message of edition 2.
  init?(edition2 section: [UInt8]) {
    guard section.count >= 38 else { return nil }
    edition = 2
    let template = Self.number(section, 12, 2)
    (columns, rows) = (Self.number(section, 30, 4), Self.number(section, 34, 4))
    var definition = Array(section[5...])
    let octets = Self.octets[template]
    if let flags = octets?.flags, flags <= section.count { definition[flags - 6] = 0 }
    self.definition = definition
    guard let mode = octets?.mode, mode <= section.count else { return }
    runsWestward = section[mode - 1] & 0x80 != 0
    guard mode == 72 else { return }
    // Other units of angles are rare.
    if [0, 0xFFFF_FFFF].contains(Self.number(section, 38, 4)) {
      let spans = Spans(
        section, unit: 1e-6, size: 4, longitudes: (50, 59), latitudes: (46, 55), incrementSize: 4,
        increments: (63, 67))
      hasOtherIncrements = spans.differ(columns, rows, isGaussian: template >= 40)
    }
    guard template == 40 else { return }
    gaussian = Gaussian(
      columns: columns == 0xFFFF_FFFF ? 0 : columns, rows: rows,
      first: Double(Self.signed(section, 46, 4)) / 1e6,
      last: Double(Self.signed(section, 55, 4)) / 1e6,
      parallels: Self.number(section, 67, 4))
  }

  /// The octets of the flags of resolution, which do not place cells, and of the scanning mode, by the
  /// templates of edition 2.
  private static let octets: [Int: (flags: Int, mode: Int)] = [
    0: (55, 72), 1: (55, 72), 2: (55, 72), 3: (55, 72), 10: (47, 60), 12: (47, 60), 20: (47, 65),
    30: (47, 65), 31: (47, 65), 40: (55, 72), 41: (55, 72), 42: (55, 72), 43: (55, 72),
    90: (47, 64), 140: (55, 64),
  ]

  // MARK: Increments

  /// The corners of a grid of longitudes and latitudes, and the distances between its cells, in degrees.
  private struct Spans {
    let longitudes: (first: Double, last: Double)
    let latitudes: (first: Double, last: Double)
    /// Nil if missing. The distance between the rows of a Gaussian grid has another meaning.
    let increments: (column: Double?, row: Double?)

    /// The difference of increments from which on GDAL uses them instead of the corners, in degrees.
    private static let tolerance = 0.002

    /// - Parameters:
    ///   - unit: the unit of the numbers in degrees.
    ///   - size: the number of bytes of a coordinate.
    ///   - longitudes: the offsets of the first and the last longitude.
    ///   - increments: the offsets of the distances between columns and between rows.
    init(
      _ section: [UInt8], unit: Double, size: Int, longitudes: (Int, Int), latitudes: (Int, Int),
      incrementSize: Int, increments: (Int, Int)
    ) {
      func angle(_ offset: Int) -> Double { Double(signed(section, offset, size)) * unit }
      func increment(_ offset: Int) -> Double? {
        let value = number(section, offset, incrementSize)
        return value == (1 << (8 * incrementSize)) - 1 ? nil : Double(value) * unit
      }
      self.longitudes = (angle(longitudes.0), angle(longitudes.1))
      self.latitudes = (angle(latitudes.0), angle(latitudes.1))
      self.increments = (increment(increments.0), increment(increments.1))
    }

    /// Whether the increments of a grid of this size differ from those between its corners.
    func differ(_ columns: Int, _ rows: Int, isGaussian: Bool) -> Bool {
      if columns > 1, let increment = increments.column {
        var span = (longitudes.last - longitudes.first).truncatingRemainder(dividingBy: 360)
        if span <= 0 { span += 360 }
        if (span / Double(columns - 1) - increment).magnitude > Self.tolerance { return true }
      }
      guard !isGaussian, rows > 1, let increment = increments.row else { return false }
      let span = (latitudes.last - latitudes.first).magnitude
      return (span / Double(rows - 1) - increment).magnitude > Self.tolerance
    }
  }

  // MARK: Numbers

  /// Reads a big-endian unsigned integer.
  static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a big-endian integer in sign-magnitude form.
  private static func signed(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    let value = number(bytes, offset, count)
    let sign = 1 << (8 * count - 1)
    return value & sign == 0 ? value : -(value & (sign - 1))
  }
}
