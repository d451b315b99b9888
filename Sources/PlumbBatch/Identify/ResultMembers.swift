import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Writes results as members of JSON objects: one object with all columns for each row, or one
/// object for each date.
struct ResultMembers: Sendable {
  /// The names of the members.
  let names: [String]
  private let columns: ResultColumns
  private let long: LongColumns?
  /// The text before each value.
  private let keys: TextPieces

  /// - Parameter long: the columns of dates that have separate objects; nil if each row has one
  ///   object.
  init(_ columns: ResultColumns, _ long: LongColumns?) {
    (self.columns, self.long) = (columns, long)
    names = long == nil ? columns.names : LongColumns.names
    var builder = TextPieces.Builder()
    for (index, name) in columns.names.enumerated() {
      _ = builder.add { text in
        guard let label = long?.labels[index] else { return text.append(key: name) }
        text.append(key: "stack")
        text.append(json: label.stack)
        text.append(literal: ",\"band\":")
        text.append(signed: label.band)
        text.append(literal: ",\"date\":")
        text.append(json: label.date)
        text.append(literal: ",\"value\":")
      }
    }
    keys = builder.pieces
  }

  /// The number of objects for each row.
  var objectCount: Int { long == nil ? 1 : columns.columns.count }

  /// The members of a batch's rows.
  func rows(of answers: MapAnswers) -> Rows {
    Rows(
      members: self, answers: answers,
      writers: columns.columns.indices.map { ColumnWriter($0, columns.columns[$0], answers, nil) },
      statuses: long.map { long in
        columns.columns.indices.map { long.statuses($0, answers) }
      } ?? [])
  }

  struct Rows: Sendable {
    fileprivate let members: ResultMembers
    fileprivate let answers: MapAnswers
    fileprivate let writers: [ColumnWriter]
    fileprivate let statuses: [SharedPointer<UnsafePointer<UInt8>>]

    /// Whether an object has members.
    var isEmpty: Bool { writers.isEmpty }

    /// Appends the members of an object.
    ///
    /// - Parameters:
    ///   - object: the index of the object of the row.
    ///   - isFirst: whether the object does not yet have a member.
    func append(_ row: Int, object: Int, isFirst: Bool, to text: TextBuffer) {
      guard members.long != nil else {
        for index in writers.indices {
          append(index, row, isFirst: isFirst && index == 0, to: text)
        }
        return
      }
      append(object, row, isFirst: isFirst, to: text)
      text.append(literal: ",\"status\":\"")
      LongColumns.statusNames.append(Int(statuses[object].pointer[row]), to: text)
      text.append(UInt8(ascii: "\""))
    }

    private func append(_ index: Int, _ row: Int, isFirst: Bool, to text: TextBuffer) {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      members.keys.append(index, to: text)
      if writers[index].appendJSON(row, to: text) != nil {
        let columns = members.columns
        text.append(
          json: columns.fieldValue(columns.columns[index], row: row, answers, isJSON: true))
      }
    }
  }
}
