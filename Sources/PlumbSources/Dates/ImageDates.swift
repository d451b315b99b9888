import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// The rules that determine the dates of raster files.
package struct ImageDates: Sendable {
  private enum Rule: Sendable {
    case pattern(DatePattern)
    /// The name of a metadata item.
    case tag(String)
    /// The dates in a table, by file.
    case table(path: String, [String: ImageDate])
  }

  private let rules: [Rule]
  /// The resources that GDAL may use to read the metadata of a file; nil for the default access of
  /// a file that the user names.
  private let access: @Sendable (String) throws -> GDALAccess?

  /// Whether there are no rules, so that only dates in the files count.
  var isEmpty: Bool { rules.isEmpty }

  /// - Parameter texts: one text per rule. A rule is a `DatePattern` with wildcards, which matches the name
  ///   of a file without its extension; `tag:` followed by the name of a metadata item; or the path of a
  ///   table with the columns `file` and `date`, and optionally `end`.
  /// - Throws: for an invalid pattern or table.
  package init(_ texts: [String], access: DocumentAccess = .folder) throws {
    try self.init(texts) { _ in access.named }
  }

  /// - Parameter access: called for each file whose metadata is read; throws to reject the file.
  package init(
    _ texts: [String], access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws {
    self.access = access
    rules = try texts.map { text in
      if text.hasPrefix(Self.tagPrefix) {
        return .tag(String(text.dropFirst(Self.tagPrefix.count)))
      }
      if text.contains("%") { return .pattern(try DatePattern(text, hasWildcards: true)) }
      return .table(path: text, try Self.table(text))
    }
  }

  /// Returns the dates that a file itself gives its bands: the dates of its time axis or of its messages, or
  /// the names of the bands if all names are dates.
  ///
  /// - Returns: nil if there are rules.
  /// - Throws: if a band has no date.
  func bandDates(of file: any TileSource) throws -> [ImageDate]? {
    guard rules.isEmpty else { return nil }
    let bands = file.profile.bands
    let dates = bands.map(\.namedDate)
    guard let missing = dates.firstIndex(of: nil) else { return dates.compactMap { $0 } }
    let messages = (file as? GDALRasterSource)?.details.messages ?? []
    if Set(messages.map(\.name)).count > 1, let name = messages.first?.name {
      throw PlumbError(
        "\(file.path.printable) has several parameters or levels: name one, such as "
          + "\(file.path.printable)#\(name.printable)", code: .badInput)
    }
    let band = bands.count == 1 ? "" : ", band \(missing + 1)"
    throw PlumbError(
      messageTemplate: "\(file.path.printable)\(band) has no date: set \(.dates)",
      code: .badInput)
  }

  /// The date of a file.
  ///
  /// - Throws: if no rule has a date for the file.
  func date(of file: any TileSource) throws -> ImageDate {
    let path = file.path
    for rule in rules {
      switch rule {
      case .pattern(let pattern):
        if let match = pattern.match(Self.stem(path)) { return ImageDate(match) }
      case .tag(let name):
        if let date = try Self.date(inTag: name, of: file, access) { return date }
      case .table(_, let dates):
        if let date = dates[Self.resolved(path)] ?? dates[Self.name(path)] { return date }
      }
    }
    if case .pattern(let pattern)? = rules.first {
      throw PlumbError(
        messageTemplate: "\(path.printable): the name \(Self.stem(path).printable) does not match "
          + "\(.dates, pattern.text)", code: .badInput)
    }
    if case .tag(let name)? = rules.first {
      throw PlumbError("\(path.printable) has no metadata item \(name.printable) with a date")
    }
    if case .table(let table, _)? = rules.first {
      throw PlumbError("\(table.printable) has no date for the file \(path.printable)")
    }
    throw PlumbError(
      messageTemplate: "\(path.printable) has no date: set \(.dates)", code: .badInput)
  }

  private static let tagPrefix = "tag:"

  /// The paths of the tables.
  package var tables: [String] {
    rules.compactMap { if case .table(let path, _) = $0 { path } else { nil } }
  }

  /// The rules that are paths of tables.
  package static func tables(of texts: [String]) -> [String] {
    texts.filter { !$0.contains("%") && !$0.hasPrefix(tagPrefix) }
  }

  /// The date in a metadata item of a file; nil if there is no such item.
  ///
  /// - Throws: for text that is not a date.
  private static func date(
    inTag name: String, of file: any TileSource,
    _ access: @Sendable (String) throws -> GDALAccess?
  ) throws -> ImageDate? {
    let source =
      try file as? GDALRasterSource
      ?? GDALRasterSource(path: file.path, access: access(file.path))
    guard let text = source.details.metadata.first(where: { $0.name == name })?.value else {
      return nil
    }
    // TIFF's DateTime has colons between all parts.
    if let date = ImageDate(text: text) { return date }
    if let match = try DatePattern("%Y:%m:%d %H:%M:%S", hasWildcards: false).match(text) {
      return ImageDate(match)
    }
    throw PlumbError(
      "\(file.path.printable): the metadata item \(name.printable) is \(text.printable), not a date"
    )
  }

  /// The name of a file without its folder and without the query of a URL.
  private static func name(_ path: String) -> String {
    let whole = path.contains("://") ? path.prefix { $0 != "?" } : path[...]
    return whole.split(separator: "/").last.map(String.init) ?? path
  }

  /// The name of a file without its last extension.
  private static func stem(_ path: String) -> String {
    let name = name(path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// An absolute path without `.` and `..`; a URL is returned unchanged.
  private static func resolved(_ path: String) -> String {
    if path.contains("://") { return path }
    let whole = path.hasPrefix("/") ? path : WorkingFolder.path + "/" + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  // MARK: Tables

  private static let tableLimit = 64 << 20

  /// The dates in a table, by the file's path relative to the table's folder, and by the file's
  /// name.
  private static func table(_ path: String) throws -> [String: ImageDate] {
    guard let bytes = try SmallFile.bytes(of: path, limit: tableLimit) else {
      throw PlumbError(
        "\(path.printable): the table of dates is larger than \(tableLimit >> 20) MiB")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var header: [String] = []
    var dates: [String: ImageDate] = [:]
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      var line = line
      if line.last == 0x0D { line.removeLast() }
      if index == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
      if line.isEmpty { continue }
      let fields = line.withUnsafeBufferPointer {
        DelimitedRow.fields($0, delimiter: UInt8(ascii: ","))
      }
      if header.isEmpty {
        header = fields.map { $0.lowercased() }
        guard header.contains("file"), header.contains("date") else {
          throw PlumbError(
            "\(path.printable): a table of dates has the columns file, date and optionally end")
        }
        continue
      }
      let place = "\(path.printable), line \(index + 1)"
      func field(_ name: String) -> String? {
        header.firstIndex(of: name).flatMap { $0 < fields.count ? fields[$0] : nil }
      }
      guard let file = field("file"), !file.isEmpty, let start = field("date") else {
        throw PlumbError("\(place): a file or its date is missing")
      }
      let date = try date(start, field("end"), place)
      // A name without a folder also matches files in other folders.
      var keys = [resolved(file.hasPrefix("/") || file.contains("://") ? file : folder + file)]
      if !file.contains("/") { keys.append(file) }
      for key in keys where dates.updateValue(date, forKey: key) != nil {
        throw PlumbError("\(place): \(file.printable) is listed twice")
      }
    }
    return dates
  }

  /// A date, or the middle of a period.
  private static func date(
    _ start: String, _ end: String?, _ place: String
  ) throws(PlumbError) -> ImageDate {
    guard let date = ImageDate(text: start) else {
      throw PlumbError("\(place): \(start.printable) is not a date such as 2025-03-22")
    }
    guard let end, !end.isEmpty else { return date }
    guard let last = ImageDate(text: end), let middle = ImageDate(middleFrom: date, to: last) else {
      throw PlumbError("\(place): \(end.printable) is not a date from \(start.printable) on")
    }
    return middle
  }
}

extension Band {
  /// The date of the band: its time in the file or, without a time, its name; nil if the name is not a date.
  package var namedDate: ImageDate? { date ?? ImageDate(text: name) }
}

extension ImageDate {
  /// A date without a time of day counts as noon.
  package init(_ match: DatePattern.Match) {
    self.init(
      microseconds: match.microseconds + (match.hasTime ? 0 : Self.noon), hasTime: match.hasTime)
  }

  /// The date in ISO 8601, with the time of day if the date has one.
  package var text: String {
    let day = CivilDate(daysSince1970: microseconds.floorDivided(by: Self.day))
    guard hasTime else { return ISOTime.dateText(day) }
    return ISOTime.text(milliseconds: microseconds.floorDivided(by: 1000))
  }

  /// The time as the start or end of a period: without a time of day, the first or last microsecond
  /// of the day.
  package func limit(isLast: Bool) -> Int64 {
    if hasTime { return microseconds }
    return microseconds - Self.noon + (isLast ? Self.day - 1 : 0)
  }
}
