import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbParquet

extension ColumnField {
  /// A column for the values of a table's field.
  package init(_ field: Field) {
    let kind: ColumnKind =
      switch field.kind {
      case .text: .text
      case .integer: .integer(bits: 64, isSigned: true)
      case .real: .float(bits: 64)
      case .boolean: .boolean
      }
    self.init(name: field.name, kind: kind, isNullable: true)
  }

  /// A column for the values of a layer's field.
  package init(_ field: VectorField) {
    self.init(field.field)
    switch field.kind {
    case .integer32: kind = .integer(bits: 32, isSigned: true)
    case .float32: kind = .float(bits: 32)
    default: break
    }
  }
}
