import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Reads the rows of delimited text.
///
/// Each line is a row, except blank lines, which are skipped. A quoted field may span several lines
/// (RFC 4180). However, a quote that is never closed must not hide the rows after it. Therefore a
/// quoted field ends at a line that is a valid row by itself, or at the maximum number of lines.
/// The line with the open quote is then an invalid row, and the lines after it are read as rows.
final class DelimitedFeed: FeedReader {
  private let columns: LocationColumns
  private let path: String
  /// The delimiter; nil to detect it from the header.
  private var delimiter: UInt8?
  /// Whether no line has been consumed.
  private var isAtStart = true
  private var walk = FeedLineWalk()
  private var table: DelimitedTable?
  var hasHeader: Bool { table != nil }
  /// The end of the lines that have been scanned for the closing quote, relative to the window's
  /// start.
  private var lookedAt = 0
  private var openLines = 0
  /// Whether the line at the window's start is an invalid row because its quote is not closed.
  private var isAbandoned = false

  /// The maximum number of lines of a row with quoted fields.
  static let longestRow = 64

  init(columns: LocationColumns, path: String) {
    self.columns = columns
    self.path = path
    let isTabbed = path.lowercased().hasSuffix(".tsv") || path.lowercased().hasSuffix(".tab")
    delimiter = isTabbed ? 0x09 : nil
  }

  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    if table == nil { table = try readHeader(window, &rows) }
    guard let table else { return }
    while rows.count < limit {
      switch walk.next(window) {
      case .notThere: return
      case .tooLong: rows.addBad(line: window.line, "the line is over \(FeedWindow.limit) bytes")
      case .line(let range, let next):
        if !isAbandoned, table.hasOpenQuote(window, range) {
          guard try readOpenRow(table, window, &rows) else { return }
          continue
        }
        table.add(range, of: window, to: &rows)
        window.advancePastLine(to: next)
        isAbandoned = false
      }
    }
  }

  // MARK: Header

  private func readHeader(
    _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> DelimitedTable? {
    guard let (range, next) = try headerLine(window) else { return nil }
    do {
      let header = try DelimitedHeader(row: window.bytes(range), delimiter: delimiter)
      let (roles, note) = try columns.roles(of: header.names)
      if let note { rows.remark(note) }
      let table = DelimitedTable(
        names: header.names, roles: roles, delimiter: header.delimiter, rows: &rows)
      window.advancePastLine(to: next)
      return table
    } catch {
      throw PlumbError("\(path)", error)
    }
  }

  /// Returns the line of the header. Comments and a line such as `sep=;` before the header are
  /// consumed.
  ///
  /// - Returns: nil when more bytes are needed.
  private func headerLine(
    _ window: FeedWindow
  ) throws(PlumbError) -> (Range<Int>, next: Int)? {
    while true {
      switch walk.next(window) {
      case .line(let line, let next):
        let text = window.bytes(line)
        if isAtStart, let named = DelimitedPreamble.separator(of: text) {
          delimiter = named
        } else if DelimitedPreamble.isMarked(text) {
          guard let isHeader = isHeader(text, behind: next, window) else { return nil }
          if isHeader { return (line, next) }
        } else {
          return (line, next)
        }
        isAtStart = false
        window.advancePastLine(to: next)
      case .tooLong: throw PlumbError("\(path): the header row is over \(FeedWindow.limit) bytes")
      case .notThere:
        if window.isAtEnd { throw PlumbError("\(path) is empty; a header row was expected") }
        return nil
      }
    }
  }

  /// Whether a line that begins with `#` is the header. The line is the header if it contains the
  /// names of columns and the next line does not.
  ///
  /// - Returns: nil until the next line has arrived.
  private func isHeader(
    _ line: UnsafeBufferPointer<UInt8>, behind next: Int, _ window: FeedWindow
  ) -> Bool? {
    func isNaming(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
      guard let header = try? DelimitedHeader(row: line, delimiter: delimiter) else { return false }
      do throws(PlumbError) {
        _ = try columns.roles(of: header.names)
        return true
      } catch {
        return error.code == .ambiguous
      }
    }
    guard isNaming(line) else { return false }
    switch window.line(at: next) {
    case .line(let following, _): return !isNaming(window.bytes(following))
    case .tooLong: return true
    case .notThere: return window.isAtEnd ? true : nil
    }
  }

  // MARK: Rows over several lines

  /// Reads the row at the window's start. The first line of this row has a quote that is not
  /// closed.
  ///
  /// - Returns: false when more bytes are needed.
  private func readOpenRow(
    _ table: DelimitedTable, _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> Bool {
    while openLines < Self.longestRow {
      guard case .line(let range, let next) = window.line(at: window.start + lookedAt) else {
        if window.isAtEnd || window.isFull { break }
        return false
      }
      lookedAt = next - window.start
      openLines += 1
      if openLines == 1 { continue }
      if table.isGood(range, of: window) { break }
      let rowRange = window.start..<range.upperBound
      if table.isComplete(rowRange, of: window) {
        table.add(rowRange, of: window, to: &rows)
        window.advance(to: next)
        (lookedAt, openLines) = (0, 0)
        return true
      }
    }
    (lookedAt, openLines) = (0, 0)
    isAbandoned = true
    return true
  }
}
