import PlumbCore
import PlumbRaster

extension CellValue {
  /// The value as a field's value.
  ///
  /// - Parameter isJSON: whether numbers that the field types cannot represent become JSON instead
  ///   of text, and 32-bit floats become their shortest decimal representation as JSON instead of a
  ///   double.
  package func fieldValue(isJSON: Bool) -> FieldValue {
    switch self {
    case .signed(let value): .integer(value)
    case .unsigned(let value):
      Int64(exactly: value).map { .integer($0) }
        ?? (isJSON ? .json(value.description) : .text(value.description))
    case .float32(let value):
      isJSON && value.isFinite ? .json(value.description) : .real(Double(value))
    case .float64(let value): .real(value)
    case .complexInteger, .complexFloat32, .complexFloat64: .text(description)
    }
  }
}
