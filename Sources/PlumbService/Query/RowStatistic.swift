import Plumb
import PlumbCore
import PlumbExpressions
import PlumbIO

/// A statistic over rows, as defined by `outStatistics`.
struct RowStatistic: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case count, sum, min, max, avg, stddev, `var`
  }

  var kind: Kind
  /// The field name; `*` is also valid for `count`.
  var field: String
  /// The name of the result field.
  var name: String

  init(kind: Kind, field: String, name: String) {
    (self.kind, self.field, self.name) = (kind, field, name)
  }

  init(_ tree: JSONTree) throws(ServiceError) {
    guard let word = tree.member("statisticType")?.text,
      let kind = Kind(rawValue: word.lowercased()),
      let field = tree.member("onStatisticField")?.text, !field.isEmpty
    else {
      throw ServiceError(
        "'outStatistics' parameter is invalid: each needs onStatisticField and a statisticType, one "
          + "of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.kind = kind
    self.field = field
    name = tree.member("outStatisticFieldName")?.text ?? "\(kind.rawValue)_\(field)"
  }

  /// Returns the result field for a source field.
  func output(of field: EsriField?) -> EsriField {
    switch kind {
    case .count: EsriField(name: name, kind: .integer)
    case .min, .max:
      EsriField(
        name: name, kind: field?.kind == .objectID ? .integer : field?.kind ?? .double,
        length: field?.length)
    case .sum, .avg, .stddev, .var: EsriField(name: name, kind: .double)
    }
  }

  /// Returns the statistic of some values; null if there are no values.
  func result(_ values: [FieldValue]) -> FieldValue {
    let present = values.filter { !$0.isNull }
    switch kind {
    case .count: return .integer(Int64(present.count))
    case .min: return present.min { $0.precedes($1) } ?? .null
    case .max: return present.max { $0.precedes($1) } ?? .null
    case .sum, .avg, .stddev, .var: break
    }
    let numbers = present.compactMap(\.esri.doubleValue)
    guard !numbers.isEmpty else { return .null }
    let sum = numbers.reduce(0, +)
    let mean = sum / Double(numbers.count)
    switch kind {
    case .sum: return .real(sum)
    case .avg: return .real(mean)
    default:
      // The result is the sample variance, as in databases.
      guard numbers.count > 1 else { return .null }
      let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      let variance = squares / Double(numbers.count - 1)
      return .real(kind == .var ? variance : variance.squareRoot())
    }
  }
}
