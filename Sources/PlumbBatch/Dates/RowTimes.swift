import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster
import PlumbSources

/// The times of rows, read from a column.
package struct RowTimes: Sendable {
  private enum Format: Sendable {
    /// ISO 8601, or a number of at least 10^8 in seconds or milliseconds.
    case automatic
    /// A number of units of time since 1970. The value is the length of the unit in microseconds.
    case epoch(Double)
    case pattern(DatePattern)
  }

  /// The value for a row without a time.
  static var none: Int64 { .min }

  private let index: Int
  private let name: String
  private let format: Format
  /// The number of rows that were read, the number of rows without a time, and the first row
  /// without a time, counted from 1.
  private var rowCount = 0
  private var badCount = 0
  private var firstBad: Int?
  /// Whether any row has a date without a time of day.
  private var hasNoon = false

  /// - Parameter text: the name of a column, or `NAME:FORMAT`. The format is the unit `s`, `ms`, `us` or
  ///   `ns` of a number that counts from 1970, or a pattern of `DatePattern`.
  /// - Throws: if there is no such column, and for an invalid format.
  init(_ text: String, in fields: [Field]) throws(PlumbError) {
    var (column, format) = (text, Format.automatic)
    if !fields.contains(where: { $0.name == text }),
      let colon = text.firstIndex(of: ":")
    {
      column = String(text[..<colon])
      format = try Self.format(String(text[text.index(after: colon)...]))
    }
    guard let index = fields.firstIndex(where: { $0.name == column }) else {
      throw PlumbError(
        messageTemplate: "\(.when): there is no column \(column.printable); the input has "
          + "\(fields.isEmpty ? "no columns" : fields.map(\.name.printable).joined(separator: ", "))",
        code: .badOption)
    }
    (self.index, name, self.format) = (index, column, format)
  }

  private static func format(_ text: String) throws(PlumbError) -> Format {
    switch text {
    case "s": return .epoch(1e6)
    case "ms": return .epoch(1e3)
    case "us": return .epoch(1)
    case "ns": return .epoch(1e-3)
    case _ where text.contains("%"):
      return .pattern(try DatePattern(text, hasWildcards: false))
    default:
      throw PlumbError(
        messageTemplate:
          "\(.when): \(text.printable) is not a format of times: s, ms, us, ns, or a "
          + "pattern such as %d/%m/%Y", code: .badOption)
    }
  }

  private var advice: MessageTemplate {
    "; give the format of the times, for example \(.when) '\(name.printable):%d/%m/%Y'"
  }

  /// A line about rows without a time, and a line about dates that count as noon.
  ///
  /// - Parameter isNoon: whether dates of rasters count as noon.
  func warnings(isNoon: Bool) -> [MessageTemplate] {
    var lines: [MessageTemplate] = []
    if let firstBad {
      let (rows, verb) = badCount == 1 ? ("row", "has") : ("rows", "have")
      lines.append(
        "\(badCount) \(rows) \(verb) no time in the column \(name.printable); the first is row \(firstBad)"
          + "\(badCount == rowCount ? advice : "")")
    }
    if isNoon || hasNoon {
      let subject =
        isNoon ? hasNoon ? "rasters and rows" : "rasters" : "rows"
      lines.append("dates of \(subject) without a time of day count as 12:00 UTC")
    }
    return lines
  }

  // MARK: Reading

  /// Returns the times of a batch's rows in microseconds since 1970, and counts the rows.
  mutating func read(_ batch: PointBatch, workers: Workers) -> [Int64] {
    let times = times(of: batch, workers: workers)
    for (row, time) in times.values.enumerated() where time == Self.none {
      badCount += 1
      if firstBad == nil { firstBad = rowCount + row + 1 }
    }
    rowCount += times.values.count
    hasNoon = hasNoon || times.hasNoon
    return times.values
  }

  /// Returns the times of a batch's rows in microseconds since 1970.
  func values(of batch: PointBatch, workers: Workers) -> [Int64] {
    times(of: batch, workers: workers).values
  }

  private func times(of batch: PointBatch, workers: Workers) -> Times {
    var all = Times(count: batch.count)
    switch batch.rows {
    case .delimited(let rows):
      let column = self
      let times = workers.map(rows.parts.count) { _, number in
        let part = rows.parts[number]
        var times = Times(count: part.rows.count)
        for row in part.rows {
          times.append(column.date(in: rows.record(row), rows.delimiter))
        }
        return times
      }
      for part in times { all.append(part) }
    case .geoJSON(let features):
      for row in 0..<batch.count {
        let field = features.fields(at: row).first { $0.name == name }
        all.append(field.flatMap { date(of: $0.value) })
      }
    case .vector(let features):
      for row in 0..<batch.count {
        let values = features.values(at: row)
        all.append(
          index < values.count ? date(of: values[values.startIndex + index]) : nil)
      }
    case .columnar(let table):
      guard index < table.columnCount else {
        for _ in 0..<batch.count { all.append(nil) }
        break
      }
      for value in table.values(of: index, in: 0..<batch.count) { all.append(date(of: value)) }
    }
    return all
  }

  /// The times of consecutive rows.
  private struct Times: Sendable {
    var values: [Int64] = []
    var hasNoon = false

    init(count: Int) { values.reserveCapacity(count) }

    mutating func append(_ date: ImageDate?) {
      values.append(date?.microseconds ?? RowTimes.none)
      if let date, !date.hasTime { hasNoon = true }
    }

    mutating func append(_ other: Times) {
      values += other.values
      hasNoon = hasNoon || other.hasNoon
    }
  }

  /// The time in a record of delimited text.
  private func date(
    in bytes: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8
  ) -> ImageDate? {
    guard let record = bytes.baseAddress else { return nil }
    let count = bytes.count
    let isSpaced = delimiter == DelimitedHeader.space
    var (position, number) = (0, 0)
    while true {
      if isSpaced {
        while position < count, record[position] == 0x20 || record[position] == 0x09 {
          position += 1
        }
        if position >= count { return nil }
      }
      let field = DelimitedField(
        record, at: position, limit: count, delimiter: delimiter,
        other: isSpaced ? 0x09 : delimiter, lineEnd: delimiter)
      if number == index {
        if field.quote >= 0 {
          return field.text(in: record).withUnsafeBufferPointer { date(of: $0) }
        }
        let content = field.content
        return date(
          of: UnsafeBufferPointer(start: record + content.lowerBound, count: content.count))
      }
      if field.next >= count { return nil }
      position = field.next + 1
      number += 1
    }
  }

  private func date(of value: FieldValue) -> ImageDate? {
    switch value {
    case .text(let text), .json(let text):
      var text = text
      return text.withUTF8 { date(of: $0) }
    case .integer(let number): return date(of: number)
    case .real(let number):
      // An integer column with missing values may have become a column of real numbers.
      if case .pattern = format, let whole = Int64(exactly: number) { return date(of: whole) }
      return date(of: number)
    case .null, .boolean: return nil
    }
  }

  private func date(of bytes: UnsafeBufferPointer<UInt8>) -> ImageDate? {
    switch format {
    case .automatic:
      ImageDate(bytes) ?? NumberText.parse(bytes).flatMap { date(of: $0) }
    case .epoch: NumberText.parse(bytes).flatMap { date(of: $0) }
    case .pattern(let pattern): pattern.match(bytes).map { ImageDate($0) }
    }
  }

  private func date(of number: Int64) -> ImageDate? {
    guard case .pattern = format else { return date(of: Double(number)) }
    // Numbers such as 20250322 match the same patterns as their text.
    var text = String(number)
    return text.withUTF8 { date(of: $0) }
  }

  private func date(of number: Double) -> ImageDate? {
    let unit: Double
    switch format {
    case .automatic:
      // Smaller numbers are more likely to be years, or dates such as 20250322.
      guard number.magnitude >= 1e8 else { return nil }
      unit = number.magnitude >= 1e11 ? 1e3 : 1e6
    case .epoch(let microseconds): unit = microseconds
    case .pattern: return nil
    }
    let time = (number * unit).rounded(.down)
    guard time.magnitude < Double(ImageDate.limit) else { return nil }
    return ImageDate(microseconds: Int64(time), hasTime: true)
  }
}

extension RasterAnswer.Dates {
  /// The days from 1970-01-01 to the date of a row; nil for a row without a date.
  package func day(at row: Int) -> Int32? {
    let time = time[row]
    guard time != RowTimes.none else { return nil }
    return Int32(time.floorDivided(by: ImageDate.day))
  }
}
