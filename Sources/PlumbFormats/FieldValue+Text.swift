import PlumbCore

extension FieldValue {
  /// The value as text; empty for null.
  package var text: String {
    switch self {
    case .null: ""
    case .text(let value), .json(let value): value
    case .integer(let value): value.description
    case .real(let value): value.description
    case .boolean(let value): value ? "true" : "false"
    }
  }
}
