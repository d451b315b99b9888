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
  /// The bytes of the definition that determine the positions of the cells.
  private let definition: [UInt8]
  /// Whether the points of a row run from east to west.
  private(set) var runsWestward = false
  /// The corners of a grid of longitudes and latitudes; nil for other grids.
  private(set) var corners: GRIBCorners?
  /// The definition of a Gaussian grid; nil for other grids.
  private(set) var gaussian: Gaussian?

  /// Whether the cells of another grid have the same positions. If the editions differ, only the sizes
  /// and the known corners are compared, because the editions round coordinates differently.
  func isSame(as other: GRIBGrid) -> Bool {
    if edition == other.edition { return definition == other.definition }
    guard (columns, rows) == (other.columns, other.rows) else { return false }
    switch (corners, other.corners) {
    case (let a?, let b?): return a.kind == b.kind && a.areNear(b)
    case (nil, nil): return true
    default: return false
    }
  }

  // MARK: Edition 1

  /// - Parameter section: the grid description section of a message of edition 1.
  init?(edition1 section: [UInt8]) {
    guard section.count >= 28 else { return nil }
    edition = 1
    let representation = section[5]
    (columns, rows) = (Self.number(section, 6, 2), Self.number(section, 8, 2))
    // The list of vertical coordinates differs between levels, and follows the definition. Among the
    // flags in octet 17, only the shape of the earth affects the positions of cells.
    let list = section[4] == 255 ? section.count : min(section.count, Int(section[4]) - 1)
    let rest = min(section.count, max(28, list) + 4 * Int(section[3]))
    var definition = Array(section[5..<max(28, list)] + section[rest...])
    definition[11] &= 0x40
    self.definition = definition
    guard Self.representationsWithRows.contains(representation) else { return }
    runsWestward = section[27] & 0x80 != 0
    let kinds: [UInt8: GRIBCorners.Kind] = [0: .regular, 4: .gaussian, 10: .rotated]
    corners = kinds[representation].map {
      Self.corners(
        section, $0, columns, rows,
        CornerPlaces(
          longitudes: (13, 20), latitudes: (10, 17), increments: (23, 25),
          areGiven: (section[16] & 0x80 != 0, section[16] & 0x80 != 0), sizes: (3, 2), unit: 1e-3))
    }
    guard representation == 4 else { return }
    gaussian = Gaussian(
      columns: columns == 0xFFFF ? 0 : columns, rows: rows,
      first: Double(Self.signed(section, 10, 3)) / 1000,
      last: Double(Self.signed(section, 17, 3)) / 1000,
      parallels: Self.number(section, 25, 2))
  }

  /// - Parameter number: the number of a predefined grid. A message of edition 1 that refers to such a
  ///   grid does not contain its definition.
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
    let kinds: [Int: GRIBCorners.Kind] = [0: .regular, 1: .rotated, 40: .gaussian]
    // Other units of angles are rare.
    if let kind = kinds[template], [0, 0xFFFF_FFFF].contains(Self.number(section, 38, 4)) {
      corners = Self.corners(
        section, kind, columns, rows,
        CornerPlaces(
          longitudes: (50, 59), latitudes: (46, 55), increments: (63, 67),
          areGiven: (section[54] & 0x20 != 0, section[54] & 0x10 != 0), sizes: (4, 4), unit: 1e-6))
    }
    guard template == 40 else { return }
    gaussian = Gaussian(
      columns: columns == 0xFFFF_FFFF ? 0 : columns, rows: rows,
      first: Double(Self.signed(section, 46, 4)) / 1e6,
      last: Double(Self.signed(section, 55, 4)) / 1e6,
      parallels: Self.number(section, 67, 4))
  }

  /// For each template of edition 2, the octet of the resolution flags, which do not affect the
  /// positions of cells, and the octet of the scanning mode.
  private static let octets: [Int: (flags: Int, mode: Int)] = [
    0: (55, 72), 1: (55, 72), 2: (55, 72), 3: (55, 72), 10: (47, 60), 12: (47, 60), 20: (47, 65),
    30: (47, 65), 31: (47, 65), 40: (55, 72), 41: (55, 72), 42: (55, 72), 43: (55, 72),
    90: (47, 64), 140: (55, 64),
  ]

  // MARK: Corners

  /// The positions of numbers in a definition, which differ between the editions.
  private struct CornerPlaces {
    var longitudes: (first: Int, last: Int)
    var latitudes: (first: Int, last: Int)
    var increments: (column: Int, row: Int)
    /// Whether the resolution flags state that the increments are given.
    var areGiven: (column: Bool, row: Bool)
    /// The number of bytes of a coordinate, and of an increment.
    var sizes: (coordinate: Int, increment: Int)
    /// The unit of the numbers in degrees.
    var unit: Double
  }

  private static func corners(
    _ section: [UInt8], _ kind: GRIBCorners.Kind, _ columns: Int, _ rows: Int,
    _ places: CornerPlaces
  ) -> GRIBCorners {
    func angle(_ offset: Int) -> Double {
      Double(signed(section, offset, places.sizes.coordinate)) * places.unit
    }
    func increment(_ offset: Int, _ isGiven: Bool) -> Double? {
      guard isGiven else { return nil }
      let value = number(section, offset, places.sizes.increment)
      let missing = (1 << (8 * places.sizes.increment)) - 1
      return value == missing || value == 0 ? nil : Double(value) * places.unit
    }
    return GRIBCorners(
      kind: kind, columns: columns, rows: rows,
      first: SIMD2(angle(places.longitudes.first), angle(places.latitudes.first)),
      last: SIMD2(angle(places.longitudes.last), angle(places.latitudes.last)),
      increments: (
        increment(places.increments.column, places.areGiven.column),
        // In the definition of a Gaussian grid, this field contains the number of parallels.
        kind == .gaussian ? nil : increment(places.increments.row, places.areGiven.row)
      ))
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
