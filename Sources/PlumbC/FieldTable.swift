import Plumb

/// The fields of a layer's features, loaded column by column on demand.
///
/// Only one thread at a time may use a table.
final class FieldTable {
  /// One field of all features, ready for copying.
  private enum Values: Sendable {
    case integers([Int64?])
    case reals([Double?])
    case flags([Bool?])
    case texts(ByteStore)
  }

  let features: FeatureSet
  private var known: [Int: Values] = [:]

  init(_ features: FeatureSet) { self.features = features }

  /// A column with one field of each row's feature.
  ///
  /// - Parameters:
  ///   - position: the index of the field.
  ///   - feature: returns the index of a row's feature; nil if the row has no feature.
  func column(
    _ column: ResultColumns.Column, _ position: Int, count: Int, workers: Workers,
    _ feature: @Sendable (_ row: Int) -> Int?
  ) throws -> ArrowColumn {
    let values = known[position] ?? self.values(position, column.kind)
    known[position] = values
    switch values {
    case .integers(let numbers):
      return try .fixed(column.name, "l", Int64.self, count: count, workers: workers) {
        row, value in
        guard let number = feature(row).flatMap({ numbers[$0] }) else { return false }
        value = number
        return true
      }
    case .reals(let numbers):
      return try .fixed(column.name, "g", Double.self, count: count, workers: workers) {
        row, value in
        guard let number = feature(row).flatMap({ numbers[$0] }) else { return false }
        value = number
        return true
      }
    case .flags(let flags):
      return try .flags(column.name, count: count, workers: workers) { row in
        feature(row).flatMap { flags[$0] }
      }
    case .texts(let texts):
      return try .texts(column.name, count: count, workers: workers) { row in
        feature(row).flatMap { texts[$0] }
      }
    }
  }

  /// Returns the values of a field in the field's kind, or as strings if a value has another kind.
  private func values(_ position: Int, _ kind: FieldKind) -> Values {
    let values = features.features.map { $0.attributes[position] }
    switch kind {
    case .integer:
      let numbers = Self.all(values) { if case .integer(let value) = $0 { value } else { nil } }
      if let numbers { return .integers(numbers) }
    case .real:
      if let numbers = Self.all(values, { $0.number }) { return .reals(numbers) }
    case .boolean:
      let flags = Self.all(values) { if case .boolean(let value) = $0 { value } else { nil } }
      if let flags { return .flags(flags) }
    case .text: break
    }
    return .texts(ByteStore(values.map { $0.isNull ? nil : $0.text }))
  }

  /// Returns the results of `body` for all non-null values; nil if a value cannot be converted.
  private static func all<Value>(
    _ values: [FieldValue], _ body: (FieldValue) -> Value?
  ) -> [Value?]? {
    var result: [Value?] = []
    result.reserveCapacity(values.count)
    for value in values {
      if value.isNull {
        result.append(nil)
      } else if let made = body(value) {
        result.append(made)
      } else {
        return nil
      }
    }
    return result
  }
}
