import PlumbCore

/// The type in which Parquet stores the values of a column.
enum StoredType: Hashable {
  case boolean, int32, int64, float, double, byteArray
  /// Values of this number of bytes each.
  case fixed(Int)

  /// The type in Parquet's metadata.
  var physical: PhysicalType {
    switch self {
    case .boolean: .boolean
    case .int32: .int32
    case .int64: .int64
    case .float: .float
    case .double: .double
    case .byteArray: .byteArray
    case .fixed: .fixedByteArray
    }
  }

  /// The number of bytes of a value in memory; nil if values have different lengths.
  var width: Int? {
    switch self {
    case .boolean: 1
    case .int32, .float: 4
    case .int64, .double: 8
    case .byteArray: nil
    case .fixed(let width): width
    }
  }
}

/// A column without members: one of the table's columns, or a member of one.
struct LeafColumn {
  let path: [String]
  let kind: ColumnKind
  /// Whether a value may be missing, because the column or the structure that contains it may be null.
  let isOptional: Bool
  /// Whether the column itself may be null.
  let isNullable: Bool
  var type: StoredType

  init(path: [String], field: ColumnField, isOptional: Bool) throws {
    (self.path, kind, isNullable) = (path, field.kind, field.isNullable)
    self.isOptional = isOptional
    type = try Self.usualType(of: field)
  }

  /// The type in which the values of a kind are stored, unless the first values have another one.
  private static func usualType(of field: ColumnField) throws -> StoredType {
    switch field.kind {
    case .boolean: .boolean
    case .integer(let bits, _): bits > 32 ? .int64 : .int32
    case .float(let bits): bits == 16 ? .fixed(2) : bits == 32 ? .float : .double
    case .text, .json, .binary, .geometry: .byteArray
    case .fixed(let width): .fixed(width)
    case .uuid: .fixed(16)
    case .decimal(let precision, _):
      precision <= 9
        ? .int32
        : precision <= 18 ? .int64 : .fixed(ColumnKind.decimalWidth(precision: precision))
    case .date: .int32
    case .time(let unit): unit == .seconds || unit == .milliseconds ? .int32 : .int64
    case .timestamp: .int64
    case .structure:
      throw PlumbError(
        "column \(field.name.printable): a structure within a structure cannot be written",
        code: .unsupported)
    }
  }
}

// MARK: The schema

extension LeafColumn {
  /// Appends the column's element of the schema.
  func append(to writer: inout ThriftWriter, name: String) {
    writer.structure { element in
      element.field(1, type.physical.rawValue)
      if case .fixed(let width) = type { element.field(2, Int32(clamping: width)) }
      element.field(3, Int32(isNullable ? 1 : 0))
      element.field(4, name)
      if let converted { element.field(6, converted) }
      if case .decimal(let precision, let scale) = kind {
        element.field(7, Int32(clamping: scale))
        element.field(8, Int32(clamping: precision))
      }
      appendLogicalType(to: &element)
    }
  }

  /// The converted type that corresponds to the logical type, for readers without support for
  /// logical types; nil if there is none.
  private var converted: Int32? {
    switch kind {
    case .text: 0
    case .decimal: 5
    case .date: 6
    case .time(.seconds), .time(.milliseconds): 7
    case .time(.microseconds): 8
    case .timestamp(.seconds, isUTC: true), .timestamp(.milliseconds, isUTC: true): 9
    case .timestamp(.microseconds, isUTC: true): 10
    case .integer(8, false): 11
    case .integer(16, false): 12
    case .integer(32, false): 13
    case .integer(64, false): 14
    case .integer(8, true): 15
    case .integer(16, true): 16
    case .json: 19
    default: nil
    }
  }

  private func appendLogicalType(to element: inout ThriftWriter) {
    let logical: (number: Int16, body: (inout ThriftWriter) -> Void)
    switch kind {
    case .text: logical = (1, { _ in })
    case .decimal(let precision, let scale):
      logical = (
        5,
        {
          $0.field(1, Int32(clamping: scale))
          $0.field(2, Int32(clamping: precision))
        }
      )
    case .date: logical = (6, { _ in })
    case .time(let unit): logical = (7, Self.time(unit, isUTC: false))
    case .timestamp(let unit, let isUTC): logical = (8, Self.time(unit, isUTC: isUTC))
    case .integer(let bits, let isSigned) where bits < 32 || !isSigned:
      logical = (
        10,
        {
          $0.field(1, byte: Int8(clamping: bits))
          $0.field(2, isSigned)
        }
      )
    case .json: logical = (12, { _ in })
    case .uuid: logical = (14, { _ in })
    case .float(16): logical = (15, { _ in })
    default: return
    }
    element.field(10) { $0.field(logical.number, logical.body) }
  }

  private static func time(_ unit: TimeUnit, isUTC: Bool) -> (inout ThriftWriter) -> Void {
    let number: Int16 =
      switch unit {
      // Parquet has no seconds, which are written as milliseconds.
      case .seconds, .milliseconds: 1
      case .microseconds: 2
      case .nanoseconds: 3
      }
    return {
      $0.field(1, isUTC)
      $0.field(2) { $0.field(number) { _ in } }
    }
  }
}
