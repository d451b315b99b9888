import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Delimited text that has been opened: its rows, the columns of the points and the types of all columns.
struct DelimitedInput {
  package let reader: DelimitedReader
  package let columns: PointColumns
  /// The CRS that the columns of the points imply.
  package let reference: SpatialReference?
  package let fields: [Field]
  /// Notes for the user, one line each.
  package let notes: [MessageTemplate]

  /// The number of bytes that are read at once while types are detected.
  private static let blockSize = 24 << 20

  /// - Parameter isTab: whether the file's name indicates tabs between fields.
  package init(
    _ input: PeekedInput, _ options: PointInput.Options, isTab: Bool, workers: Workers
  ) throws {
    let needsForms = options.needsTypes && options.types.findsNumbers && input.isRewindable
    var forms: ColumnForms?
    if needsForms {
      let (reader, _, _) = try Self.open(input, options, isTab, readsAhead: false)
      forms = try Self.forms(reader, workers)
      try input.rewind()
    }
    var notes: [MessageTemplate] = []
    var columns: PointColumns
    (reader, columns, notes) = try Self.open(input, options, isTab, readsAhead: true)
    var reference: SpatialReference? = columns.isGeographic ? .wgs84 : nil
    if columns.isWKT, !options.hasReference {
      let first = try reader.peekFields()
      if columns.x < first.count {
        let point = Array(first[columns.x].utf8).withUnsafeBufferPointer { try? WKTPoint($0) }
        let srid = point?.srid ?? Self.srid(of: first[columns.x])
        columns.srid = srid ?? 0
        reference = try srid.map { try SpatialReference("EPSG:\($0)") }
      }
    }
    self.columns = columns
    self.reference = reference
    self.notes = notes
    fields =
      options.needsTypes
      ? try options.types.fields(names: reader.header.names, forms: forms)
      : reader.header.names.map { Field(name: $0, kind: .text) }
  }

  /// Reads the first row, which may already be data.
  private static func open(
    _ input: PeekedInput, _ options: PointInput.Options, _ isTab: Bool, readsAhead: Bool
  ) throws -> (DelimitedReader, PointColumns, [MessageTemplate]) {
    let read = try TextEncoding.reader { try input.read($0) }
    let reader = try DelimitedReader(
      delimiter: isTab ? 0x09 : nil, allowsSpaces: true,
      isRecord: { names, next in isRecord(names, before: next, options) },
      isPaused: input.isRewindable ? nil : { input.isPaused(milliseconds: $0) },
      readsAhead: readsAhead, measure: { input.input.position }
    ) { try read($0) }
    let names = reader.header.names
    if options.needsTypes, String(validating: reader.header.bytes, as: UTF8.self) == nil {
      var error = TypedField.notUTF8
      error.messageTemplate = "the header, \(error.messageTemplate)"
      throw error
    }
    let isNumber = { (name: String) in
      Array(name.utf8).withUnsafeBufferPointer { NumberText.parse($0) } != nil
    }
    let notes = commentNote(reader.commentCount)
    var columns: PointColumns
    do {
      columns = try Self.columns(names, options)
    } catch {
      guard options.x == nil, options.y == nil, names.count >= 2, isNumber(names[0]),
        isNumber(names[1])
      else { throw error }
      reader.readHeaderAsRow()
      return (
        reader, PointColumns(x: 0, y: 1, isGeographic: false),
        notes + [
          "the first row contains numbers, so there is no header: columns 1 and 2 are used as x "
            + "and y; \(.xColumn) and \(.yColumn) select others"
        ]
      )
    }
    if columns.isByNumber, isNumber(names[columns.x]), isNumber(names[columns.y]) {
      reader.readHeaderAsRow()
      columns.isGeographic = false
    }
    return (reader, columns, notes)
  }

  private static func columns(
    _ names: [String], _ options: PointInput.Options
  ) throws(FormatError) -> PointColumns {
    try PointColumns(
      names: names, x: options.x, y: options.y, allowsWKT: !options.takesCells,
      takesCells: options.takesCells)
  }

  /// Whether a line that begins with `#` is a header or a row instead of a comment. The line is the
  /// header if the line contains the names of the columns of the points and the next line does not.
  /// If the columns are given by number, any line could be the header. In this case, the line is a
  /// header or a row if it has as many fields as the next line.
  private static func isRecord(
    _ fields: [String], before next: [String], _ options: PointInput.Options
  ) -> Bool {
    func naming(_ fields: [String]) -> (isNaming: Bool, isByNumber: Bool) {
      do throws(FormatError) {
        let columns = try columns(fields, options)
        return (!columns.isByNumber, columns.isByNumber)
      } catch {
        return (error.code == .ambiguous, false)
      }
    }
    let current = naming(fields)
    if current.isByNumber { return fields.count > 1 && fields.count == next.count }
    return current.isNaming && !naming(next).isNaming
  }

  private static func commentNote(_ count: Int) -> [MessageTemplate] {
    guard count > 0 else { return [] }
    return [
      count == 1
        ? "a line before the header begins with # and is ignored"
        : "\(count) lines before the header begin with # and are ignored"
    ]
  }

  private static func forms(_ reader: DelimitedReader, _ workers: Workers) throws -> ColumnForms {
    let count = reader.header.names.count
    var forms = ColumnForms(count: count)
    let delimiter = reader.header.delimiter
    while !forms.areAllText, let block = try reader.next(size: blockSize) {
      let before = forms
      let parts = workers.map(block.parts.count) { _, job in
        let range = block.parts[job]
        var merged = before
        merged.add(
          UnsafeBufferPointer(start: block.bytes.base + range.lowerBound, count: range.count),
          delimiter: delimiter)
        return merged
      }
      for part in parts { forms.merge(part) }
    }
    return forms
  }

  /// Returns the number after `SRID=` in well-known text of a shape that is not a point; nil if
  /// there is none.
  private static func srid(of text: String) -> Int32? {
    let bytes = text.utf8.drop { $0 == UInt8(ascii: " ") }
    guard bytes.prefix(5).elementsEqual("SRID=".utf8),
      let end = bytes.firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    return Int32(String(bytes.dropFirst(5).prefix(upTo: end)) ?? "")
  }

  /// Rejects rows with a decimal comma or another CRS.
  ///
  /// - Parameter lines: the number of lines before the part.
  package static func check(_ part: DelimitedPart, _ columns: PointColumns, after lines: Int) throws
  {
    if let comma = part.decimalComma {
      throw PlumbError(
        "line \(lines + comma.line + 1): \(comma.text.printable) has a decimal comma; "
          + "write it with a point", context: FailureContext(line: lines + comma.line + 1))
    }
    if let other = part.otherReference {
      let first = columns.srid.flatMap { $0 == 0 ? nil : "SRID \($0)" } ?? "none"
      throw PlumbError(
        messageTemplate:
          "line \(lines + other.line + 1): the point has SRID \(other.srid), the first row's \(first); "
          + "write them in one CRS, or choose it with \(.crs)",
        context: FailureContext(line: lines + other.line + 1))
    }
  }
}
