/// The logical type of a column's values, as opposed to the type in which they are stored.
package enum ColumnKind: Sendable, Hashable {
  case boolean
  /// An integer of 8, 16, 32 or 64 bits.
  case integer(bits: Int, isSigned: Bool)
  /// A floating-point number of 16, 32 or 64 bits.
  case float(bits: Int)
  /// Text in UTF-8.
  case text
  /// JSON text in UTF-8.
  case json
  /// Bytes of any length.
  case binary
  /// Bytes of a fixed length.
  case fixed(width: Int)
  /// A UUID in 16 bytes, most significant byte first.
  case uuid
  /// An unscaled integer in two's complement, most significant byte first, in as many bytes as the
  /// value needs, or in an integer of 32 or 64 bits.
  case decimal(precision: Int, scale: Int)
  /// Days since 1970-01-01, in 32 bits.
  case date
  /// The time since midnight: in 32 bits for seconds and milliseconds, otherwise in 64 bits.
  case time(TimeUnit)
  /// The time since 1970-01-01, in 64 bits; local time unless `isUTC`.
  case timestamp(TimeUnit, isUTC: Bool)
  /// Geometries: WKB, or GeoArrow's structures of coordinates.
  case geometry(GeometryEncoding)
  /// A structure of named members.
  indirect case structure([ColumnField])

  /// The least number of bytes for decimals of this many digits.
  package static func decimalWidth(precision: Int) -> Int {
    // log2(10) is 3.3219…; one bit is for the sign.
    (precision * 33_220 / 10_000 + 1 + 8) / 8
  }
}

/// The unit of times.
package enum TimeUnit: Sendable, Hashable {
  case seconds, milliseconds, microseconds, nanoseconds

  /// The number of units in a second.
  package var perSecond: Int64 {
    switch self {
    case .seconds: 1
    case .milliseconds: 1_000
    case .microseconds: 1_000_000
    case .nanoseconds: 1_000_000_000
    }
  }
}

/// The encoding of a column of geometries.
package enum GeometryEncoding: Sendable, Hashable {
  /// Well-known binary, in `ColumnValues.bytes`.
  case wkb
  /// GeoArrow points with separate coordinates: a structure whose members are columns of doubles,
  /// named x, y and optionally z and m.
  case points
}

/// A column's name, kind and whether it may hold nulls.
package struct ColumnField: Sendable, Hashable {
  package var name: String
  package var kind: ColumnKind
  package var isNullable: Bool

  package init(name: String, kind: ColumnKind, isNullable: Bool) {
    (self.name, self.kind, self.isNullable) = (name, kind, isNullable)
  }
}
