import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbParquet

/// A column of a Parquet or Arrow table, or a member of a structure, as an attribute of rows.
struct ColumnAttribute: Sendable {
  let name: String
  let kind: ColumnKind
  /// The index of the column among the columns that are read, and the indices of the members below it.
  let path: [Int]

  /// The attributes of a column; those of a structure are named `column.member`.
  static func attributes(
    of field: ColumnField, at path: [Int], prefix: String = ""
  ) -> [ColumnAttribute] {
    let name = prefix + field.name
    guard case .structure(let members) = field.kind else {
      return [ColumnAttribute(name: name, kind: field.kind, path: path)]
    }
    return members.enumerated().flatMap { index, member in
      attributes(of: member, at: path + [index], prefix: name + ".")
    }
  }

  /// The attribute as a column of OGR.
  var vectorField: VectorField {
    let kind: VectorField.Kind =
      switch kind {
      case .boolean: .boolean
      case .integer(let bits, let isSigned):
        bits < 32 || bits == 32 && isSigned ? .integer32 : .integer64
      case .float(let bits): bits == 64 ? .real : .float32
      case .decimal(let precision, let scale): scale == 0 && precision <= 18 ? .integer64 : .real
      case .date: .date
      case .timestamp: .dateTime
      case .text, .json, .binary, .fixed, .uuid, .time, .geometry, .structure: .text
      }
    return VectorField(name: name, kind: kind)
  }

  /// The column of the attribute in a batch.
  func column(_ batch: ColumnBatch) -> ValueColumn? {
    guard let first = path.first, batch.columns.indices.contains(first) else { return nil }
    var column = batch.columns[first]
    for index in path.dropFirst() {
      guard case .structure(let members) = column.values, members.indices.contains(index) else {
        return nil
      }
      column = members[index]
    }
    return column
  }

  /// Writes the values of rows to every `step`th element.
  func write(
    _ batch: ColumnBatch, _ rows: Range<Int>, into values: inout [FieldValue], from start: Int,
    step: Int
  ) {
    column(batch)?.write(rows, into: &values, from: start, step: step)
  }
}
