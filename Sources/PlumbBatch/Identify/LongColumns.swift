import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster

/// The columns of a table with a row for each date of a series: `stack`, `band`, `date`, `value` and `status`.
struct LongColumns: Sendable {
  /// The names of the columns.
  static let names = ["stack", "band", "date", "value", "status"]

  /// The columns of values, one for each band of each date.
  let columns: ResultColumns
  /// The stack, the number of the band and the date of each column of values.
  let labels: [(stack: String, band: Int64, date: String)]

  init(_ columns: ResultColumns, _ stacks: StackSource) {
    self.columns = columns
    labels = columns.columns.map { column in
      guard let label = stacks.label(of: column) else { return ("", 0, "") }
      return (label.stack, Int64(label.band), label.date.text)
    }
  }

  /// - Throws: if the input has a column with one of the names.
  static func checkNames(against input: [String]) throws(PlumbError) {
    if let name = input.first(where: names.contains) {
      throw PlumbError("the input has a column \(name.printable) already; rename it")
    }
  }

  /// The columns for typed formats.
  var fields: [Field] {
    let kinds = Set(columns.columns.map(\.kind))
    let kind: FieldKind = kinds.contains(.text) ? .text : kinds == [.integer] ? .integer : .real
    return zip(Self.names, [.text, .integer, .text, kind, .text]).map { Field(name: $0, kind: $1) }
  }

  /// The values of a row of the table, for typed formats.
  func values(_ index: Int, row: Int, _ answers: MapAnswers) -> [FieldValue] {
    let (column, label) = (columns.columns[index], labels[index])
    var value = columns.fieldValue(column, row: row, answers, isJSON: false)
    switch (fields[3].kind, value) {
    case (.text, .integer), (.text, .real): value = .text(value.text)
    case (.real, .integer(let number)): value = .real(Double(number))
    default: break
    }
    let status = SampleStatus(rawValue: statuses(index, answers).pointer[row])?.name ?? ""
    return [.text(label.stack), .integer(label.band), .text(label.date), value, .text(status)]
  }

  /// The statuses of a column of values.
  func statuses(_ index: Int, _ answers: MapAnswers) -> SharedPointer<UnsafePointer<UInt8>> {
    let column = columns.columns[index]
    let values = answers.rasters[column.part].columns[column.content.bandPosition]
    return SharedPointer(UnsafePointer(values.status.base))
  }

  /// The name of each status, by its raw value.
  static let statusNames: TextPieces = {
    var builder = TextPieces.Builder()
    for status in SampleStatus.allCases { _ = builder.add { $0.append(status.name) } }
    return builder.pieces
  }()
}
