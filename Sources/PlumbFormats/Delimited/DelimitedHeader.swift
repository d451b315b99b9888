/// How a delimited file is written, and its first row.
public struct DelimitedHeader: Sendable {
  public var delimiter: UInt8
  /// Column names, unquoted and trimmed.
  public var names: [String]
  /// The header row's bytes without its line end.
  public var bytes: [UInt8]
  /// `\n` or `\r\n`.
  public var lineEnd: [UInt8]
  /// A byte order mark that stood before the header.
  public var hasByteOrderMark: Bool
  /// Lines that the header takes up.
  public var lineCount: Int

  static let delimiters: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]

  /// The delimiter that occurs most often outside quotes; a tie goes to comma, semicolon, tab.
  static func guessDelimiter(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt8 {
    var counts = [Int](repeating: 0, count: delimiters.count)
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, let index = delimiters.firstIndex(of: byte) { counts[index] += 1 }
    }
    let most = counts.max() ?? 0
    return delimiters[counts.firstIndex(of: most) ?? 0]
  }
}

/// Which columns hold the places.
public struct PlaceColumns: Sendable, Hashable {
  public var x: Int
  public var y: Int
  /// Whether the names say longitude and latitude.
  public var isGeographic: Bool

  /// Pairs of usual names, x first, in lower case.
  private static let usual: [(x: [String], y: [String], isGeographic: Bool)] = [
    (["x"], ["y"], false),
    (["lon", "lng", "long"], ["lat"], true),
    (["longitude"], ["latitude"], true),
    (["easting"], ["northing"], false),
  ]

  /// Finds the columns by their usual names, or as the user names them.
  public init(names: [String], x: String?, y: String?) throws(FormatError) {
    if x != nil || y != nil {
      guard let x, let y else {
        throw FormatError("--x and --y belong together: name both columns")
      }
      let (xIndex, yIndex) = (try Self.find(x, in: names), try Self.find(y, in: names))
      guard xIndex != yIndex else { throw FormatError("--x and --y name the same column \(x)") }
      let isGeographic = Self.usual.contains { pair in
        pair.isGeographic && pair.x.contains(x.lowercased()) && pair.y.contains(y.lowercased())
      }
      (self.x, self.y, self.isGeographic) = (xIndex, yIndex, isGeographic)
      return
    }
    let lower = names.map { $0.lowercased() }
    var found: [PlaceColumns] = []
    for pair in Self.usual {
      let (xs, ys) = (
        lower.indices.filter { pair.x.contains(lower[$0]) },
        lower.indices.filter { pair.y.contains(lower[$0]) }
      )
      for x in xs {
        for y in ys { found.append(PlaceColumns(x: x, y: y, isGeographic: pair.isGeographic)) }
      }
    }
    guard let first = found.first else {
      throw FormatError(
        "no coordinate columns: expected x and y, lon and lat, longitude and latitude, or easting "
          + "and northing, but the columns are \(Self.list(names)); name them with --x and --y")
    }
    guard found.count == 1 else {
      throw FormatError(
        "several columns could hold the places (\(Self.list(names))): say which with --x and --y")
    }
    self = first
  }

  private init(x: Int, y: Int, isGeographic: Bool) {
    self.x = x
    self.y = y
    self.isGeographic = isGeographic
  }

  private static func find(_ name: String, in names: [String]) throws(FormatError) -> Int {
    let exact = names.indices.filter { names[$0] == name }
    let matches =
      exact.isEmpty ? names.indices.filter { names[$0].lowercased() == name.lowercased() } : exact
    guard let first = matches.first else {
      throw FormatError(
        "no column is called \(name.printable); the columns are \(list(names))")
    }
    guard matches.count == 1 else {
      throw FormatError("\(matches.count) columns are called \(name.printable)")
    }
    return first
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(12).map(\.printable).joined(separator: ", ")
    return names.count > 12 ? shown + ", …" : shown
  }
}
