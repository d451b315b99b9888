import PlumbIO

/// A column of values.
struct ParquetLeaf: Sendable {
  /// The index of the column in each row group.
  var index: Int
  /// The names of the column and its structures, for messages.
  var name: String
  var physical: PhysicalType
  /// The number of bytes of a fixed-size value.
  var width: Int
  var kind: ColumnKind
  /// The definition level of a value; 0 if neither the value nor a structure around it can be null.
  var definition: Int
}

/// A column of the table, or a member of a structure.
struct ParquetColumn: Sendable {
  indirect enum Node: Sendable {
    case leaf(ParquetLeaf)
    case structure([ParquetColumn])
    /// A column that cannot be read, and its description.
    case refused(String)
  }

  var field: ColumnField
  var node: Node
  /// The lowest definition level at which the value is not null; 0 if it is never null.
  var definition: Int
  /// The CRS that the type of a geometry column specifies: nil if the column does not have the
  /// type, `.some(nil)` if the type does not specify a CRS.
  var crs: String??

  /// The columns of values in the order of the schema.
  var leaves: [ParquetLeaf] {
    switch node {
    case .leaf(let leaf): [leaf]
    case .structure(let members): members.flatMap(\.leaves)
    case .refused: []
    }
  }
}

/// Builds columns from the elements of a schema.
struct ParquetSchema {
  private let elements: [SchemaElement]
  private var next = 1
  private(set) var leafCount = 0
  var columns: [ParquetColumn] = []

  init(_ elements: [SchemaElement]) throws(FormatError) {
    self.elements = elements
    guard let root = elements.first else { throw ParquetFault.damaged("the schema is empty") }
    guard root.childCount < elements.count else {
      throw ParquetFault.damaged("the schema is truncated")
    }
    for _ in 0..<root.childCount {
      columns.append(try column(depth: 1, definition: 0, prefix: ""))
    }
    guard next == elements.count else {
      throw ParquetFault.damaged("the schema has more elements than columns")
    }
  }

  private mutating func column(
    depth: Int, definition: Int, prefix: String
  ) throws(FormatError) -> ParquetColumn {
    guard next < elements.count else { throw ParquetFault.damaged("the schema is truncated") }
    guard depth <= ParquetLimits.schemaDepth else {
      throw ParquetFault.damaged("the schema is nested too deeply")
    }
    let element = elements[next]
    next += 1
    let level = definition + (element.repetition == .required ? 0 : 1)
    // The names around a name are for messages only, so that many long names need little memory.
    let name = prefix.utf8.count > 200 ? element.name : prefix + element.name
    let isNullable = element.repetition == .optional
    if element.type == nil {
      guard element.childCount < elements.count else {
        throw ParquetFault.damaged("the schema is truncated")
      }
      var members: [ParquetColumn] = []
      for _ in 0..<element.childCount {
        members.append(try column(depth: depth + 1, definition: level, prefix: name + "."))
      }
      return group(element, members, level, isNullable)
    }
    let index = leafCount
    leafCount += 1
    guard let physical = element.type.flatMap(PhysicalType.init(rawValue:)) else {
      return refused(element, "has the unknown type \(element.type ?? 0)", isNullable)
    }
    if physical == .fixedByteArray, !(1...1 << 20).contains(element.length) {
      return refused(element, "has values of \(element.length) bytes", isNullable)
    }
    let kind = try ColumnKind(element, physical)
    if element.repetition == .repeated { return refused(element, "has lists", false) }
    let leaf = ParquetLeaf(
      index: index, name: name, physical: physical, width: element.length, kind: kind,
      definition: level)
    var crs: String??
    if case .geometry(let text, _)? = element.logical, physical == .byteArray { crs = .some(text) }
    return ParquetColumn(
      field: ColumnField(name: element.name, kind: kind, isNullable: isNullable),
      node: .leaf(leaf), definition: level, crs: crs)
  }

  private func group(
    _ element: SchemaElement, _ members: [ParquetColumn], _ level: Int, _ isNullable: Bool
  ) -> ParquetColumn {
    if element.logical == .variant { return refused(element, "has variants", isNullable) }
    if element.logical == .map || element.converted == .map {
      return refused(element, "has maps", isNullable)
    }
    if element.repetition == .repeated { return refused(element, "has lists", false) }
    for member in members {
      if case .refused(let reason) = member.node { return refused(element, reason, isNullable) }
    }
    guard !members.isEmpty else { return refused(element, "has no members", isNullable) }
    return ParquetColumn(
      field: ColumnField(
        name: element.name, kind: .structure(members.map(\.field)), isNullable: isNullable),
      node: .structure(members), definition: level)
  }

  private func refused(
    _ element: SchemaElement, _ reason: String, _ isNullable: Bool
  ) -> ParquetColumn {
    ParquetColumn(
      field: ColumnField(name: element.name, kind: .json, isNullable: isNullable),
      node: .refused(reason), definition: 0)
  }
}

extension ColumnKind {
  /// The kind of a column of values; annotations that do not fit the stored type are ignored.
  fileprivate init(_ element: SchemaElement, _ physical: PhysicalType) throws(FormatError) {
    switch physical {
    case .boolean: self = .boolean
    case .float: self = .float(bits: 32)
    case .double: self = .float(bits: 64)
    case .int96: self = .timestamp(.nanoseconds, isUTC: false)
    case .int32, .int64: self = try Self.integer(element, bits: physical == .int32 ? 32 : 64)
    case .byteArray: self = try Self.bytes(element)
    case .fixedByteArray: self = try Self.fixed(element)
    }
  }

  private static func decimal(_ element: SchemaElement) throws(FormatError) -> ColumnKind? {
    var (scale, precision) = (element.scale, element.precision)
    if case .decimal(let first, let second)? = element.logical {
      (scale, precision) = (first, second)
    } else if element.converted != .decimal {
      return nil
    }
    guard precision > 0, precision <= 10_000, scale <= precision else {
      throw ParquetFault.damaged("a decimal has \(precision) digits, \(scale) of them decimals")
    }
    return .decimal(precision: precision, scale: scale)
  }

  private static func integer(
    _ element: SchemaElement, bits: Int
  ) throws(FormatError) -> ColumnKind {
    if let decimal = try decimal(element) { return decimal }
    switch (element.logical, bits) {
    case (.integer(let width, let isSigned)?, 32) where [8, 16, 32].contains(width),
      (.integer(let width, let isSigned)?, 64) where width == 64:
      return .integer(bits: width, isSigned: isSigned)
    case (.date?, 32): return .date
    case (.time(.milliseconds)?, 32): return .time(.milliseconds)
    case (.time(let unit)?, 64) where unit != .milliseconds: return .time(unit)
    case (.timestamp(let unit, let isUTC)?, 64): return .timestamp(unit, isUTC: isUTC)
    default: break
    }
    switch (element.converted, bits) {
    case (.uint8?, 32): return .integer(bits: 8, isSigned: false)
    case (.uint16?, 32): return .integer(bits: 16, isSigned: false)
    case (.uint32?, 32): return .integer(bits: 32, isSigned: false)
    case (.uint64?, 64): return .integer(bits: 64, isSigned: false)
    case (.int8?, 32): return .integer(bits: 8, isSigned: true)
    case (.int16?, 32): return .integer(bits: 16, isSigned: true)
    case (.date?, 32): return .date
    case (.timeMilliseconds?, 32): return .time(.milliseconds)
    case (.timeMicroseconds?, 64): return .time(.microseconds)
    case (.timestampMilliseconds?, 64): return .timestamp(.milliseconds, isUTC: true)
    case (.timestampMicroseconds?, 64): return .timestamp(.microseconds, isUTC: true)
    default: return .integer(bits: bits, isSigned: true)
    }
  }

  private static func bytes(_ element: SchemaElement) throws(FormatError) -> ColumnKind {
    if let decimal = try decimal(element) { return decimal }
    switch element.logical {
    case .text?, .enumeration?: return .text
    case .json?: return .json
    case .geometry?: return .geometry(.wkb)
    case .bson?: return .binary
    default: break
    }
    switch element.converted {
    case .utf8?, .enumeration?: return .text
    case .json?: return .json
    default: return .binary
    }
  }

  private static func fixed(_ element: SchemaElement) throws(FormatError) -> ColumnKind {
    if let decimal = try decimal(element) { return decimal }
    switch element.logical {
    case .float16? where element.length == 2: return .float(bits: 16)
    case .uuid? where element.length == 16: return .uuid
    default: return .fixed(width: element.length)
    }
  }
}
