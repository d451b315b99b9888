import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Converts the rows of a delimited feed to locations, according to its columns.
final class DelimitedTable {
  private let names: [String]
  private let delimiter: UInt8
  /// The role of each column.
  private let roles: TrivialBuffer<UInt8>
  /// The start and end of the current row's field for each role.
  private let spans: TrivialBuffer<(start: Int, end: Int)>
  private let hasID: Bool
  private let measures: [LocationRole]
  private let attributes: [Int?]

  init(names: [String], roles: [LocationRole], delimiter: UInt8, rows: inout LocationRows) {
    self.names = names
    self.delimiter = delimiter
    self.roles = TrivialBuffer(roles.map { UInt8($0.rawValue) })
    spans = TrivialBuffer(
      [(start: Int, end: Int)](repeating: (0, 0), count: LocationRole.allCases.count))
    hasID = roles.contains(.id)
    measures = [.horizontalAccuracy, .verticalAccuracy, .speed, .course].filter {
      roles.contains($0)
    }
    var numbers: [Int?] = []
    if rows.readsAttributes {
      for name in names { numbers.append(rows.field(name)) }
    }
    attributes = numbers
  }

  // MARK: Fields

  /// Finds the fields of a row.
  ///
  /// - Returns: the number of fields, and whether a quote is open in the last field.
  private func split(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> (Int, isOpen: Bool) {
    let (roles, spans, delimiter) = (self.roles.base, self.spans.base, self.delimiter)
    let (limit, last) = (range.upperBound, self.roles.count - 1)
    var position = range.lowerBound
    var field = 0
    while true {
      let span = DelimitedField(
        bytes, at: position, limit: limit, delimiter: delimiter, other: delimiter,
        lineEnd: delimiter)
      if span.isOpen { return (field + 1, true) }
      spans[Int(roles[min(field, last)])] = (span.content.lowerBound, span.content.upperBound)
      field += 1
      position = span.next
      if position >= limit { return (field, false) }
      position += 1
    }
  }

  func hasOpenQuote(_ window: FeedWindow, _ range: Range<Int>) -> Bool {
    guard memchr(window.base + range.lowerBound, 0x22, range.count) != nil else { return false }
    return split(window.base, range).isOpen
  }

  /// Whether the bytes are a row with closed quotes and as many fields as the header.
  func isComplete(_ range: Range<Int>, of window: FeedWindow) -> Bool {
    let (count, isOpen) = split(window.base, range)
    return !isOpen && count == names.count
  }

  /// Whether the bytes are a row with a time and a point.
  func isGood(_ range: Range<Int>, of window: FeedWindow) -> Bool {
    isComplete(range, of: window) && LocationTime.parse(bytes(.time, window)) != nil
      && NumberText.parse(bytes(.x, window)) != nil && NumberText.parse(bytes(.y, window)) != nil
  }

  private func bytes(_ role: LocationRole, _ window: FeedWindow) -> UnsafeBufferPointer<UInt8> {
    let span = spans.base[role.rawValue]
    return UnsafeBufferPointer(start: window.base + span.start, count: span.end - span.start)
  }

  // MARK: Rows

  /// Adds the row in a range of bytes, or the error in this row.
  func add(_ range: Range<Int>, of window: FeedWindow, to rows: inout LocationRows) {
    let (count, isOpen) = split(window.base, range)
    let line = window.line
    guard count == names.count, !isOpen else {
      rows.addBad(
        line: line,
        isOpen
          ? "a quote is not closed: \(window.sample(range))"
          : "\(count) fields, but the header has \(names.count): \(window.sample(range))")
      return
    }
    let (x, y) = (bytes(.x, window), bytes(.y, window))
    guard let px = NumberText.parse(x), let py = NumberText.parse(y) else {
      let comma = NumberText.hasDecimalComma(x) || NumberText.hasDecimalComma(y)
      rows.addBad(
        line: line,
        "invalid point: \(Self.shown(x)), \(Self.shown(y))"
          + (comma ? "; write numbers with a point, not a comma" : ""))
      return
    }
    let timeText = bytes(.time, window)
    guard let time = LocationTime.parse(timeText) else {
      rows.addBad(
        line: line,
        "invalid time: \(Self.shown(timeText)); expected ISO 8601 or Unix seconds or milliseconds")
      return
    }
    guard let entity = entity(range, window, line, &rows) else { return }
    var row = LocationRow(time: time, x: px, y: py)
    for role in measures { read(role, window, line, into: &row, &rows) }
    if rows.add(row, entity: entity, line: line), !attributes.isEmpty {
      addAttributes(range, window, &rows)
    }
  }

  private func entity(
    _ range: Range<Int>, _ window: FeedWindow, _ line: Int, _ rows: inout LocationRows
  ) -> Int32? {
    guard hasID else { return rows.entities.number(of: "") }
    let field = bytes(.id, window)
    let name = Self.trimmed(field)
    if name.isEmpty {
      rows.addBad(line: line, "no id")
      return nil
    }
    if let base = name.baseAddress, memchr(base, 0x22, name.count) != nil {
      let start = spans.base[LocationRole.id.rawValue].start
      let isQuoted = start > range.lowerBound && window.base[start - 1] == UInt8(ascii: "\"")
      return rows.entities.number(of: unquoted(field, isQuoted: isQuoted))
    }
    if let base = name.baseAddress, memchr(base, 0, name.count) == nil,
      let number = rows.entities.number(utf8: name)
    {
      return number
    }
    rows.addBad(line: line, "the id \(Self.shown(name)) is not UTF-8 text")
    return nil
  }

  private func read(
    _ role: LocationRole, _ window: FeedWindow, _ line: Int, into row: inout LocationRow,
    _ rows: inout LocationRows
  ) {
    let text = bytes(role, window)
    if text.isEmpty { return }
    if let number = NumberText.parse(text) {
      row.set(number, role)
    } else if !Self.isUnknown(text) {
      rows.note(
        line: line,
        "\(role.name) is not a number: \(Self.shown(text)); the value is treated as unknown")
    }
  }

  private func addAttributes(
    _ range: Range<Int>, _ window: FeedWindow, _ rows: inout LocationRows
  ) {
    let text = UnsafeBufferPointer(start: window.base + range.lowerBound, count: range.count)
    for (index, field) in DelimitedRow.rawFields(text, delimiter: delimiter).enumerated() {
      guard index < attributes.count, let number = attributes[index] else { continue }
      let value = field.withUnsafeBufferPointer { FieldValue(undeclared: $0) }
      rows.set(value, field: number)
    }
  }

  // MARK: Texts

  /// Whether the text denotes a missing value.
  static func isUnknown(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let word = trimmed(text)
    guard word.count <= 4 else { return false }
    return ["", "nan", "null", "none", "na"].contains(
      String(decoding: word, as: UTF8.self).lowercased())
  }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var (start, end) = (0, text.count)
    while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
    while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
    return UnsafeBufferPointer(rebasing: text[start..<end])
  }

  /// Returns the text of a field that contains quotes, decoded and without surrounding blanks.
  ///
  /// - Parameter isQuoted: whether the quotes around the field have been removed.
  private func unquoted(_ text: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> String {
    let quote = UInt8(ascii: "\"")
    let quoted = isQuoted ? [quote] + Array(text) + [quote] : Array(text)
    let field = quoted.withUnsafeBufferPointer {
      DelimitedRow.rawFields($0, delimiter: delimiter).first ?? []
    }
    return field.withUnsafeBufferPointer {
      String(decoding: Self.trimmed($0), as: UTF8.self)
    }
  }

  private static func shown(_ text: UnsafeBufferPointer<UInt8>) -> String {
    let start = String(decoding: text.prefix(40), as: UTF8.self).printable
    return "\"" + start + (text.count > 40 ? "…" : "") + "\""
  }
}

extension LocationRow {
  /// Sets one of the optional numbers.
  mutating func set(_ number: Double, _ role: LocationRole) {
    switch role {
    case .horizontalAccuracy: horizontalAccuracy = number
    case .verticalAccuracy: verticalAccuracy = number
    case .speed: speed = number
    case .course: course = number
    case .id, .time, .x, .y, .other: break
    }
  }
}
