import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// The values of one row of a feed, before they are checked.
struct LocationRow {
  /// Milliseconds since 1970.
  var time: Int64
  var x: Double
  var y: Double
  var horizontalAccuracy = Double.nan
  var verticalAccuracy = Double.nan
  var speed = Double.nan
  var course = Double.nan
}

/// Collects the locations of a batch, and the errors in rows that are not locations.
struct LocationRows {
  private(set) var batch = LocationBatch()
  /// Whether a location, or a report that a receiver has no fix, has been read so far.
  var hasRead = false
  /// Whether any row was a location.
  private(set) var hasLocation = false
  /// The number of rows of this batch, including invalid rows.
  private(set) var count = 0
  private(set) var issues: [LocationIssue] = []
  /// Remarks on how the whole feed is interpreted.
  private(set) var remarks: [String] = []
  /// The number of the next row.
  private(set) var nextIndex = 0
  /// The current time and the maximum difference by which a time may be ahead of it, in
  /// milliseconds; nil if there is no limit.
  var clock: (now: Int64, maxAhead: Int64)?
  var entities = EntityNames()
  /// The numbers of the attributes' columns by name, in the order of first occurrence; nil if
  /// attributes are not needed.
  private var fieldNumbers: [String: Int]?
  private var fields: [String] = []
  /// Whether there were more attributes than the limit.
  private var isFull = false
  /// The maximum number of attributes of a location. The number is limited because the data may
  /// contain any number of names.
  static let fieldLimit = 4096

  /// For each optional column, whether any row of this batch has a number in the column.
  private var has = (
    horizontalAccuracy: false, verticalAccuracy: false, speed: false, course: false
  )

  init(attributes: Bool) { fieldNumbers = attributes ? [:] : nil }

  var readsAttributes: Bool { fieldNumbers != nil }

  /// Returns the maximum number of rows of a batch. With attributes, this number is limited
  /// further, because any row may add a column to all rows.
  func limit(atMost limit: Int) -> Int { readsAttributes ? min(limit, 2048) : limit }

  // MARK: Rows

  /// Adds a location, or reports the error in its point.
  ///
  /// - Returns: whether the location was added, so that its attributes may be set.
  @discardableResult
  mutating func add(_ row: LocationRow, entity: Int32, line: Int?) -> Bool {
    guard row.y >= -90, row.y <= 90, row.x >= -360, row.x <= 360 else {
      addBad(
        line: line,
        "\(row.x), \(row.y) is not a longitude and latitude in degrees (x comes first)")
      return false
    }
    if let clock, row.time > clock.now + clock.maxAhead {
      addBad(
        line: line,
        "the time \(ArcadeDate(milliseconds: row.time).iso) is \((row.time - clock.now) / 1000) s "
          + "ahead of the clock: up to \(clock.maxAhead / 1000) s are allowed; \(.maxAhead) changes "
          + "the limit")
      return false
    }
    (hasRead, hasLocation) = (true, true)
    batch.index.append(nextIndex)
    if let line { batch.line.append(line) }
    batch.entity.append(entity)
    batch.time.append(row.time)
    batch.x.append(row.x > 180 ? row.x - 360 : row.x < -180 ? row.x + 360 : row.x)
    batch.y.append(row.y)
    batch.horizontalAccuracy.append(row.horizontalAccuracy)
    batch.verticalAccuracy.append(row.verticalAccuracy)
    batch.speed.append(row.speed)
    batch.course.append(row.course)
    if !row.horizontalAccuracy.isNaN { has.horizontalAccuracy = true }
    if !row.verticalAccuracy.isNaN { has.verticalAccuracy = true }
    if !row.speed.isNaN { has.speed = true }
    if !row.course.isNaN { has.course = true }
    nextIndex += 1
    count += 1
    return true
  }

  /// Counts a row that is not a location.
  mutating func addBad(line: Int?, _ messageTemplate: MessageTemplate) {
    issues.append(LocationIssue(index: nextIndex, line: line, messageTemplate: messageTemplate))
    nextIndex += 1
    count += 1
  }

  /// Reports an error that does not prevent the next row from being a location.
  mutating func note(line: Int?, _ message: String) {
    issues.append(LocationIssue(index: nextIndex, line: line, message: message))
  }

  /// Reports a row that was read but is omitted.
  mutating func report(_ issue: LocationIssue) { issues.append(issue) }

  // MARK: Attributes

  /// Returns the number of an attribute's column, and adds a missing column. Returns nil if the
  /// attribute has no column and the limit of columns is reached.
  mutating func field(_ name: String) -> Int? {
    if let known = fieldNumbers?[name] { return known }
    guard fields.count < Self.fieldLimit else {
      if !isFull {
        isFull = true
        remark("there are over \(Self.fieldLimit) attribute names: further ones are ignored")
      }
      return nil
    }
    fieldNumbers?[name] = fields.count
    fields.append(name)
    return fields.count - 1
  }

  /// Sets an attribute of the location added last.
  mutating func set(_ value: FieldValue, field: Int) {
    while batch.attributes.count <= field { batch.attributes.append([]) }
    let missing = batch.count - 1 - batch.attributes[field].count
    if missing >= 0 {
      for _ in 0..<missing { batch.attributes[field].append(.null) }
      batch.attributes[field].append(value)
    } else {
      batch.attributes[field][batch.count - 1] = value
    }
  }

  // MARK: The batch

  /// Returns the rows so far as a batch, and begins the next batch.
  mutating func removeBatch() -> LocationBatch {
    var result = LocationBatch()
    swap(&result, &batch)
    if !has.horizontalAccuracy { result.horizontalAccuracy = [] }
    if !has.verticalAccuracy { result.verticalAccuracy = [] }
    if !has.speed { result.speed = [] }
    if !has.course { result.course = [] }
    if readsAttributes {
      result.fields = fields
      while result.attributes.count < fields.count { result.attributes.append([]) }
      for column in result.attributes.indices {
        let missing = result.count - result.attributes[column].count
        result.attributes[column].append(contentsOf: repeatElement(.null, count: missing))
      }
    }
    count = 0
    has = (false, false, false, false)
    return result
  }

  /// Adds a remark on how the feed is interpreted.
  mutating func remark(_ text: String) { remarks.append(text) }

  mutating func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  mutating func drainIssues() -> [LocationIssue] {
    var result: [LocationIssue] = []
    swap(&result, &issues)
    return result
  }
}

extension FieldValue {
  /// Creates the value of text in a column without a declared type: null for empty text, a number
  /// if the text is a number in canonical form (no leading zeros, at most 15 digits), otherwise the
  /// text.
  init(undeclared bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.isEmpty {
      self = .null
      return
    }
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
    let isNumber =
      bytes.count <= 24 && digits.count { $0 &- 48 <= 9 } <= 15
      && digits.allSatisfy { $0 &- 48 <= 9 || $0 == UInt8(ascii: ".") }
      && digits.first.map { $0 &- 48 <= 9 } == true
      && digits.last.map { $0 &- 48 <= 9 } == true
      && (digits.first != 48 || digits.count == 1 || digits.dropFirst().first == 46)
    guard isNumber, let number = NumberText.parse(bytes) else {
      self = .text(String(decoding: bytes, as: UTF8.self))
      return
    }
    if !digits.contains(46), let whole = Int64(exactly: number) {
      self = .integer(whole)
    } else {
      self = .real(number)
    }
  }
}
