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
  /// For each list around the value, starting with the outermost, the definition level of its elements.
  var lists: [Int]

  /// The repetition level of a value; 0 outside of lists.
  var repetition: Int { lists.count }
}

/// Lists or maps.
struct ParquetList: Sendable {
  /// The elements; structures of a key and a value in maps.
  var element: ParquetColumn
  var isMap: Bool
  /// For each list around an element, starting with the outermost, the definition level of its elements.
  var levels: [Int]
}

/// A column of the table, or a member of a structure.
struct ParquetColumn: Sendable {
  indirect enum Node: Sendable {
    case leaf(ParquetLeaf)
    case structure([ParquetColumn])
    /// A column of lists or maps, which is read as JSON text.
    case list(ParquetList)
    /// A column that cannot be read, and the reason.
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
    case .list(let list): list.element.leaves
    case .refused: []
    }
  }

  /// Whether the column has lists or maps.
  var isNested: Bool {
    switch node {
    case .list: true
    case .structure(let members): members.contains { $0.isNested }
    case .leaf, .refused: false
    }
  }

  /// The reason why the column cannot be read; nil if it can.
  var refusal: String? {
    if case .refused(let reason) = node { reason } else { nil }
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
    for _ in 0..<root.childCount { columns.append(try column(Place())) }
    guard next == elements.count else {
      throw ParquetFault.damaged("the schema has more elements than columns")
    }
  }

  /// The position of an element in the schema.
  private struct Place {
    var depth = 1
    /// The definition level of the structure or list around the element.
    var definition = 0
    /// The definition levels of the elements of the lists around the element.
    var lists: [Int] = []
    /// The names of the structures around the element, each followed by a period, for messages.
    var prefix = ""

    func inside(_ name: String, definition: Int) -> Place {
      // Long prefixes are cut off, so that many long names need little memory.
      Place(
        depth: depth + 1, definition: definition, lists: lists,
        prefix: prefix.utf8.count > 200 ? "" : prefix + name + ".")
    }

    /// The place of the elements of lists that begin here.
    var element: Place {
      var place = self
      place.definition += 1
      place.lists.append(place.definition)
      place.depth += 1
      return place
    }
  }

  private mutating func take(_ place: Place) throws(FormatError) -> SchemaElement {
    guard next < elements.count else { throw ParquetFault.damaged("the schema is truncated") }
    guard place.depth <= ParquetLimits.schemaDepth else {
      throw ParquetFault.damaged("the schema is nested too deeply")
    }
    let element = elements[next]
    next += 1
    guard element.type != nil || element.childCount < elements.count else {
      throw ParquetFault.damaged("the schema is truncated")
    }
    return element
  }

  /// Reads the next element and those below it.
  private mutating func column(_ place: Place) throws(FormatError) -> ParquetColumn {
    let element = try take(place)
    guard element.repetition == .repeated else { return try column(element, place) }
    // In some files, a repeated element is a list without a structure around it.
    let values = try column(element, place.element)
    return list(of: values, named: element, false, definition: place.definition, place.element)
  }

  /// Reads the elements below an element. If the element is repeated, its column is that of one list element.
  private mutating func column(
    _ element: SchemaElement, _ place: Place
  ) throws(FormatError) -> ParquetColumn {
    let level = place.definition + (element.repetition == .optional ? 1 : 0)
    guard element.type == nil else { return try leaf(element, place, level) }
    let inner = place.inside(element.name, definition: level)
    if element.logical == .list || element.converted == .list {
      return try lists(element, inner)
    }
    let isMap =
      element.logical == .map || element.converted == .map || element.converted == .mapKeyValue
    // Old writers also annotate the repeated structure of keys and values as a map.
    if isMap, element.repetition != .repeated || isAroundPairs(element) {
      return try maps(element, inner)
    }
    return group(element, try members(element, inner), level)
  }

  /// Whether the only member of an element that has just been read is a repeated structure.
  private func isAroundPairs(_ element: SchemaElement) -> Bool {
    element.childCount == 1 && next < elements.count && elements[next].repetition == .repeated
      && elements[next].type == nil
  }

  private mutating func members(
    _ element: SchemaElement, _ place: Place
  ) throws(FormatError) -> [ParquetColumn] {
    var members: [ParquetColumn] = []
    for _ in 0..<element.childCount { members.append(try column(place)) }
    return members
  }

  private mutating func leaf(
    _ element: SchemaElement, _ place: Place, _ level: Int
  ) throws(FormatError) -> ParquetColumn {
    let index = leafCount
    leafCount += 1
    guard let physical = element.type.flatMap(PhysicalType.init(rawValue:)) else {
      return refused(element, "has the unknown type \(element.type ?? 0)")
    }
    if physical == .fixedByteArray, !(1...1 << 20).contains(element.length) {
      return refused(element, "has values of \(element.length) bytes")
    }
    let kind = try ColumnKind(element, physical)
    let leaf = ParquetLeaf(
      index: index, name: place.prefix + element.name, physical: physical, width: element.length,
      kind: kind, definition: level, lists: place.lists)
    var crs: String??
    if case .geometry(let text, _)? = element.logical, physical == .byteArray { crs = .some(text) }
    return ParquetColumn(
      field: ColumnField(
        name: element.name, kind: kind, isNullable: element.repetition == .optional),
      node: .leaf(leaf), definition: level, crs: crs)
  }

  private func group(
    _ element: SchemaElement, _ members: [ParquetColumn], _ level: Int
  ) -> ParquetColumn {
    if element.logical == .variant { return refused(element, "has variants") }
    if let reason = members.lazy.compactMap(\.refusal).first { return refused(element, reason) }
    guard !members.isEmpty else { return refused(element, "has no members") }
    return ParquetColumn(
      field: ColumnField(
        name: element.name, kind: .structure(members.map(\.field)),
        isNullable: element.repetition == .optional),
      node: .structure(members), definition: level)
  }

  // MARK: Lists

  /// A column of lists or maps.
  private func list(
    of values: ParquetColumn, named element: SchemaElement, _ isMap: Bool, definition: Int,
    _ place: Place
  ) -> ParquetColumn {
    if let reason = values.refusal { return refused(element, reason) }
    return ParquetColumn(
      field: ColumnField(
        name: element.name, kind: .json, isNullable: element.repetition == .optional),
      node: .list(ParquetList(element: values, isMap: isMap, levels: place.lists)),
      definition: definition)
  }

  /// Reads the repeated element of a column of lists, and the elements below it.
  private mutating func lists(
    _ column: SchemaElement, _ place: Place
  ) throws(FormatError) -> ParquetColumn {
    guard column.childCount == 1, next < elements.count, elements[next].repetition == .repeated
    else {
      _ = try members(column, place)
      return refused(column, "has lists of an unknown form")
    }
    let repeated = elements[next]
    let element = place.element
    // A repeated structure with one member is the element itself if old writers use its name for elements,
    // or if the member is repeated.
    let isElement =
      repeated.type != nil || repeated.childCount != 1 || repeated.name == "array"
      || repeated.name == column.name + "_tuple"
      || next + 1 < elements.count && elements[next + 1].repetition == .repeated
    _ = try take(place)
    let values =
      isElement
      ? try self.column(repeated, element)
      : try self.column(element.inside(repeated.name, definition: element.definition))
    return list(of: values, named: column, false, definition: place.definition, element)
  }

  /// Reads the keys and values of a column of maps.
  private mutating func maps(
    _ column: SchemaElement, _ place: Place
  ) throws(FormatError) -> ParquetColumn {
    guard column.childCount == 1, next < elements.count, elements[next].repetition == .repeated,
      elements[next].type == nil, (1...2).contains(elements[next].childCount)
    else {
      _ = try members(column, place)
      return refused(column, "has maps of an unknown form")
    }
    let repeated = try take(place)
    let element = place.element
    let parts = try members(
      repeated, element.inside(repeated.name, definition: element.definition))
    let pairs = group(repeated, parts, element.definition)
    // Maps without values are lists of their keys.
    return parts.count == 2
      ? list(of: pairs, named: column, true, definition: place.definition, element)
      : list(of: parts[0], named: column, false, definition: place.definition, element)
  }

  private func refused(_ element: SchemaElement, _ reason: String) -> ParquetColumn {
    ParquetColumn(
      field: ColumnField(
        name: element.name, kind: .json, isNullable: element.repetition == .optional),
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
