import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Converts GeoJSON features to locations, in one pass over the text of each feature.
final class GeoJSONLocations {
  private struct Column {
    /// The name in lower case.
    let name: [UInt8]
    let role: LocationRole
    /// The rank of the name among the names of the role. The name with the lowest rank is used.
    let rank: Int
  }

  private let columns: [Column]
  /// Whether properties with the usual names identify entities.
  private let hasUsualIDs: Bool
  /// The names that have been used for the id and reported in a remark.
  private var remarked: Set<[UInt8]> = []
  private var lastIDName: [UInt8] = []

  init(_ columns: LocationColumns) {
    var list: [Column] = []
    func add(_ names: [String], _ role: LocationRole) {
      for (rank, name) in names.enumerated() {
        list.append(Column(name: Array(name.lowercased().utf8), role: role, rank: rank))
      }
    }
    hasUsualIDs = columns.id == nil
    if let id = columns.id { add([id], .id) }
    add(columns.time.map { [$0] } ?? LocationColumns.defaultTimes, .time)
    for (role, names, _) in columns.measures { add(names, role) }
    self.columns = list
  }

  /// Creates a converter for JSON objects that are not GeoJSON features.
  ///
  /// - Parameters:
  ///   - names: the names for each role, the most likely first, in lower case.
  ///   - hasUsualIDs: whether members with the usual names identify entities.
  init(objects names: [(LocationRole, [String])], hasUsualIDs: Bool) {
    self.hasUsualIDs = hasUsualIDs
    columns = names.flatMap { role, names in
      names.enumerated().map { Column(name: Array($1.utf8), role: role, rank: $0) }
    }
  }

  /// The parts of a feature found so far.
  private struct Parts {
    /// Whether the object is a feature, or an object that is read like a feature.
    var isFeature = false
    /// Whether the members of an object are its properties.
    var isObject = false
    /// The entity, if no property identifies it.
    var entity: String?
    /// The factor that converts speeds to metres per second.
    var speedFactor = 1.0
    /// The name of the property that identifies entities.
    var idName = 0..<0
    var point: SIMD2<Double>?
    /// For each role, the range of bytes of its value and the rank of the value's name. The range
    /// is empty if the role has no value.
    var values: [(range: Range<Int>, rank: Int)]
  }

  /// Adds the row in a range of bytes, or the error in this row.
  ///
  /// - Throws: when two properties could be the id or the time.
  func add(
    _ range: Range<Int>, of window: FeedWindow, to rows: inout LocationRows
  ) throws(PlumbError) {
    let bytes = window.bytes(0..<range.upperBound)
    let line = window.line
    var parts = Parts(
      values: Array(repeating: (0..<0, Int.max), count: LocationRole.allCases.count))
    var properties: Int?
    do {
      var scanner = JSONScanner(bytes, at: range.lowerBound)
      guard scanner.peek() == UInt8(ascii: "{") else {
        return rows.addBad(line: line, "not a feature: \(window.sample(range))")
      }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        if scanner.isText(key, "geometry") {
          parts.point = try Self.point(&scanner, bytes)
        } else if scanner.isText(key, "properties"), scanner.peek() == UInt8(ascii: "{") {
          properties = scanner.position
          try readProperties(&scanner, bytes, &parts)
        } else if scanner.isText(key, "type") {
          let value = try scanner.skipValue()
          parts.isFeature = bytes[value].elementsEqual("\"Feature\"".utf8)
        } else {
          try scanner.skipValue()
        }
      }
      guard scanner.isAtEnd() else {
        return rows.addBad(line: line, "unexpected text after the feature: \(window.sample(range))")
      }
    } catch let error as PlumbError {
      throw PlumbError("line \(line)", error, context: FailureContext(line: line))
    } catch {
      let message = (error as? FormatError)?.message ?? "invalid JSON"
      return rows.addBad(line: line, "\(message): \(window.sample(range))")
    }
    add(parts, bytes, properties, line, to: &rows)
  }

  /// Adds the row of an object whose members are its properties, or the error in this object.
  ///
  /// - Parameters:
  ///   - entity: the name of the entity, which overrides the members; nil if the members identify
  ///     the entity.
  ///   - speedFactor: the factor that converts a speed to metres per second.
  /// - Throws: when two members could be the id or the time.
  func add(
    object range: Range<Int>, of window: FeedWindow, entity: String?, speedFactor: Double,
    to rows: inout LocationRows
  ) throws(PlumbError) {
    let bytes = window.bytes(0..<range.upperBound)
    var parts = Parts(
      values: Array(repeating: (0..<0, Int.max), count: LocationRole.allCases.count))
    (parts.isFeature, parts.isObject, parts.entity) = (true, true, entity)
    parts.speedFactor = speedFactor
    do {
      var scanner = JSONScanner(bytes, at: range.lowerBound)
      try readProperties(&scanner, bytes, &parts)
    } catch let error as PlumbError {
      throw PlumbError("line \(window.line)", error, context: FailureContext(line: window.line))
    } catch {
      let message = (error as? FormatError)?.message ?? "invalid JSON"
      return rows.addBad(line: window.line, "\(message): \(window.sample(range))")
    }
    let (x, y) = (parts.values[LocationRole.x.rawValue], parts.values[LocationRole.y.rawValue])
    if !x.range.isEmpty, !y.range.isEmpty,
      let first = withText(x.range, bytes, { NumberText.parse($0) }),
      let second = withText(y.range, bytes, { NumberText.parse($0) })
    {
      parts.point = SIMD2(first, second)
    }
    add(parts, bytes, range.lowerBound, window.line, to: &rows)
  }

  // MARK: Reading

  /// Returns the coordinates of a point, or of the only point of a multipoint; nil for any other
  /// value.
  private static func point(
    _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws -> SIMD2<Double>? {
    guard scanner.peek() == UInt8(ascii: "{") else {
      try scanner.skipValue()
      return nil
    }
    var kind = 0..<0
    var coordinates = 0..<0
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "type") {
        kind = try scanner.skipValue()
      } else if scanner.isText(key, "coordinates") {
        coordinates = try scanner.skipValue()
      } else {
        try scanner.skipValue()
      }
    }
    let isMulti = bytes[kind].elementsEqual("\"MultiPoint\"".utf8)
    guard isMulti || bytes[kind].elementsEqual("\"Point\"".utf8), !coordinates.isEmpty else {
      return nil
    }
    var inside = JSONScanner(bytes, at: coordinates.lowerBound)
    return try? position(&inside, isMulti: isMulti)
  }

  private static func position(
    _ scanner: inout JSONScanner, isMulti: Bool
  ) throws -> SIMD2<Double>? {
    try scanner.beginArray()
    if isMulti {
      guard try scanner.nextElement() else { return nil }
      try scanner.beginArray()
    }
    guard try scanner.nextElement() else { return nil }
    let x = try scanner.readDouble()
    guard try scanner.nextElement() else { return nil }
    let y = try scanner.readDouble()
    while try scanner.nextElement() { try scanner.skipValue() }
    if isMulti, try scanner.nextElement() { return nil }
    return x.isFinite && y.isFinite ? SIMD2(x, y) : nil
  }

  private func readProperties(
    _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>, _ parts: inout Parts
  ) throws {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let value = try scanner.skipValue()
      let name = UnsafeBufferPointer(
        rebasing: bytes[key.lowerBound + 1..<key.upperBound - 1])
      guard let column = column(named: name) else {
        if hasUsualIDs, let rank = EntityColumnNames.rank(of: name) {
          try readID(key, rank, value, bytes, &parts)
        }
        continue
      }
      let old = parts.values[column.role.rawValue]
      if old.rank != .max, column.role == .id || column.role == .time {
        throw PlumbError(
          messageTemplate: "two properties of a feature could hold the \(column.role.name), "
            + "among them \(String(decoding: name, as: UTF8.self).printable): "
            + "name one with \(column.role == .id ? Setting.id : .time)", code: .ambiguous)
      }
      if column.rank <= old.rank { parts.values[column.role.rawValue] = (value, column.rank) }
    }
  }

  private func readID(
    _ key: Range<Int>, _ rank: Int, _ value: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>,
    _ parts: inout Parts
  ) throws(PlumbError) {
    let old = parts.values[LocationRole.id.rawValue]
    if old.rank != .max, EntityColumnNames.areRivals(old.rank, rank) {
      let names = [parts.idName, key].map {
        String(decoding: bytes[$0.lowerBound + 1..<$0.upperBound - 1], as: UTF8.self).printable
      }
      throw PlumbError(
        messageTemplate:
          "two properties of a feature could hold the id (\(names[0]), \(names[1])): "
          + "name one with \(.id)", code: .ambiguous)
    }
    guard rank < old.rank else { return }
    parts.values[LocationRole.id.rawValue] = (value, rank)
    parts.idName = key
  }

  /// Adds a remark on a property whose name is unusual for an id, when the property is used for the
  /// first time.
  private func remark(
    _ key: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>, _ rows: inout LocationRows
  ) {
    let spelling = bytes[key.lowerBound + 1..<key.upperBound - 1]
    if spelling.elementsEqual(lastIDName) { return }
    let name = Array(spelling)
    lastIDName = name
    guard remarked.count < 16, remarked.insert(name).inserted else { return }
    let text = String(decoding: name, as: UTF8.self)
    guard !EntityColumnNames.isExpected(text) else { return }
    rows.remark(
      "the property \(text.printable) identifies the entities; another property can be specified")
  }

  private func column(named name: UnsafeBufferPointer<UInt8>) -> Column? {
    columns.first { name.isName($0.name) }
  }

  // MARK: The location

  private func add(
    _ parts: Parts, _ bytes: UnsafeBufferPointer<UInt8>, _ properties: Int?, _ line: Int,
    to rows: inout LocationRows
  ) {
    guard parts.isFeature else { return rows.addBad(line: line, "no feature") }
    guard let point = parts.point else {
      return rows.addBad(
        line: line,
        parts.isObject
          ? "invalid point: lon and lat are expected" : "the geometry is not one point")
    }
    let timeRange = parts.values[LocationRole.time.rawValue].range
    guard !timeRange.isEmpty else {
      return rows.addBad(
        line: line, "no property for the time (time or timestamp; name it with \(.time))")
    }
    guard let time = withText(timeRange, bytes, { LocationTime.parse($0) }) else {
      let shown = String(decoding: bytes[timeRange].prefix(40), as: UTF8.self).printable
      return rows.addBad(
        line: line, "invalid time: \(shown); expected ISO 8601 or Unix seconds or milliseconds")
    }
    let idRange = parts.values[LocationRole.id.rawValue].range
    let isText = !idRange.isEmpty && bytes[idRange.lowerBound] == UInt8(ascii: "\"")
    let isNumber =
      !idRange.isEmpty
      && (bytes[idRange.lowerBound] &- 48 <= 9 || bytes[idRange.lowerBound] == UInt8(ascii: "-"))
    var entity: Int32?
    if let known = parts.entity {
      entity = rows.entities.number(of: known)
    } else if idRange.isEmpty {
      entity = rows.entities.number(of: "")
    } else if isText || isNumber {
      entity = withText(idRange, bytes) { $0.isEmpty ? nil : rows.entities.number(utf8: $0) }
    }
    guard let entity else {
      let shown = String(decoding: bytes[idRange].prefix(40), as: UTF8.self).printable
      return rows.addBad(line: line, "the id is not a string or a number: \(shown)")
    }
    var row = LocationRow(time: time, x: point.x, y: point.y)
    for role in [LocationRole.horizontalAccuracy, .verticalAccuracy, .speed, .course] {
      let range = parts.values[role.rawValue].range
      if range.isEmpty || bytes[range.lowerBound] == UInt8(ascii: "n") { continue }
      if let number = withText(range, bytes, { NumberText.parse($0) }) {
        row.set(number, role)
      } else {
        let shown = String(decoding: bytes[range].prefix(40), as: UTF8.self).printable
        rows.note(
          line: line, "\(role.name) is not a number: \(shown); the value is treated as unknown")
      }
    }
    row.speed *= parts.speedFactor
    if !parts.idName.isEmpty { remark(parts.idName, bytes, &rows) }
    guard rows.add(row, entity: entity, line: line), rows.readsAttributes, let properties else {
      return
    }
    addAttributes(bytes, properties, &rows)
  }

  /// Calls `body` with the text of a string or the digits of a number.
  private func withText<Result>(
    _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result?
  ) -> Result? {
    guard bytes[range.lowerBound] == UInt8(ascii: "\"") else {
      return body(UnsafeBufferPointer(rebasing: bytes[range]))
    }
    let inside = UnsafeBufferPointer(
      rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1])
    guard inside.contains(UInt8(ascii: "\\")) else { return body(inside) }
    var text = JSONScanner(bytes).text(of: range)
    return text.withUTF8 { body($0) }
  }

  private func addAttributes(
    _ bytes: UnsafeBufferPointer<UInt8>, _ properties: Int, _ rows: inout LocationRows
  ) {
    var scanner = JSONScanner(bytes, at: properties)
    do {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let value = try scanner.readFieldValue()
        if let field = rows.field(scanner.text(of: key)) { rows.set(value, field: field) }
      }
    } catch {
      // The error cannot occur, because the text has already been scanned.
    }
  }
}
