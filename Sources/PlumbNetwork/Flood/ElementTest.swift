import PlumbCore
import PlumbExpressions

/// A condition bound to a network. For most elements, the type alone determines the result.
struct ElementTest: Sendable {
  /// The result for each type of the catalog: 0 for false, 1 for true, 2 if the result depends on
  /// the element.
  private(set) var byType: [UInt8]
  private let test: Part

  indirect enum Part: Sendable {
    case never
    /// The result depends only on the type.
    case types([Bool])
    case comparison(attribute: Int, AttributeOperator, Operand)
    case expression(BoundCondition, attributes: [Int], categoryWords: Int)
    case all([Part])
    case any([Part])
  }

  enum Operand: Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case attribute(Int)
  }

  init(_ condition: TraceCondition?, _ network: UtilityNetwork) throws(NetworkError) {
    guard let condition else {
      test = .never
      byType = Array(repeating: 0, count: network.catalog.types.count)
      return
    }
    let part = try Self.part(condition, network, depth: 0)
    test = part
    byType = network.catalog.types.indices.map { type in
      part.decided(type).map { $0 ? 1 : 0 } ?? 2
    }
  }

  /// Returns the tests of a condition in a scope; empty if no element can pass.
  static func tests(
    _ condition: TraceCondition?, _ scope: TraversabilityScope, _ network: UtilityNetwork
  ) throws(NetworkError) -> [ElementTest] {
    guard let condition else { return [] }
    let test = try ElementTest(condition, network).limited { type in
      let isEdge = network.catalog.sources[network.catalog.types[type].source].usage.isEdge
      return scope != (isEdge ? .junctions : .edges)
    }
    return test.isNever ? [] : [test]
  }

  /// Returns the same test, limited to some types.
  private func limited(_ keeps: (Int) -> Bool) -> ElementTest {
    var result = self
    for type in byType.indices where !keeps(type) { result.byType[type] = 0 }
    return result
  }

  private var isNever: Bool { byType.allSatisfy { $0 == 0 } }

  func holds(_ element: Int, type: Int, _ network: UtilityNetwork) -> Bool {
    switch byType[type] {
    case 0: false
    case 1: true
    default: test.holds(element, type, network)
    }
  }

  private static func part(
    _ condition: TraceCondition, _ network: UtilityNetwork, depth: Int
  ) throws(NetworkError) -> Part {
    guard depth < 128 else {
      throw NetworkError(.badParameters, "a condition nests deeper than 128 levels")
    }
    switch condition {
    case .category(let name, let exists):
      let category = try network.categoryIndex(name)
      return .types(network.catalog.types.map { $0.categories.contains(category) == exists })
    case .attribute(let name, let comparison, let operand):
      return try Self.comparison(name, comparison, operand, network)
    case .expression(let condition): return try expression(condition, network)
    case .all(let list), .any(let list):
      var parts: [Part] = []
      for condition in list { parts.append(try part(condition, network, depth: depth + 1)) }
      if case .all = condition { return .all(parts) }
      return .any(parts)
    }
  }

  private static func comparison(
    _ name: String, _ comparison: AttributeOperator, _ operand: TraceCondition.Operand,
    _ network: UtilityNetwork
  ) throws(NetworkError) -> Part {
    let index = try network.attributeIndex(name)
    let attribute = network.definition.networkAttributes[index]
    func wrong(_ what: String) -> NetworkError {
      NetworkError(
        .badParameters,
        "network attribute \(attribute.name.printable) is \(attribute.dataType.rawValue): \(what)")
    }
    guard !comparison.isBitwise || attribute.dataType == .integer else {
      throw wrong("\(comparison.rawValue) needs an integer")
    }
    switch operand {
    case .attribute(let other):
      let second = try network.attributeIndex(other)
      let type = network.definition.networkAttributes[second].dataType
      guard (type == .text) == (attribute.dataType == .text),
        !comparison.isBitwise || type == .integer
      else {
        throw wrong("it cannot be compared with \(other.printable), which is \(type.rawValue)")
      }
      return .comparison(attribute: index, comparison, .attribute(second))
    case .value(let value):
      if attribute.dataType == .text {
        guard case .text(let text) = value else { throw wrong("it needs a string to compare with") }
        return .comparison(attribute: index, comparison, .text(text))
      }
      let number: Operand?
      switch value {
      case .integer(let integer): number = .integer(integer)
      case .boolean(let boolean): number = .integer(boolean ? 1 : 0)
      case .real(let real):
        number = Int64(exactly: real).map { .integer($0) } ?? (real.isNaN ? nil : .real(real))
      case .text(let text):
        number =
          Int64(text).map { .integer($0) }
          ?? Double(text).flatMap { $0.isNaN ? nil : .real($0) }
      case .null, .json: number = nil
      }
      guard let number else { throw wrong("it needs a number to compare with") }
      if comparison.isBitwise {
        guard case .integer = number else { throw wrong("\(comparison.rawValue) needs an integer") }
      }
      return .comparison(attribute: index, comparison, number)
    }
  }

  private static func expression(
    _ condition: Condition, _ network: UtilityNetwork
  ) throws(NetworkError) -> Part {
    let fields = network.definition.networkAttributes.map { attribute in
      let kind: FieldKind =
        switch attribute.dataType {
        case .integer: .integer
        case .real: .real
        case .text: .text
        }
      return Field(name: attribute.name, kind: kind)
    }
    let categories = network.catalog.categories
    do {
      // Bind all fields first, so that an error message can list them; then bind only the fields that are
      // used.
      _ = try condition.bound(to: fields, categories: categories)
      var used: [Int] = []
      for name in condition.fieldNames {
        guard let index = try? network.attributeIndex(name), !used.contains(index) else { continue }
        used.append(index)
      }
      let bound = try condition.bound(to: used.map { fields[$0] }, categories: categories)
      return .expression(bound, attributes: used, categoryWords: (categories.count + 62) / 63)
    } catch {
      throw NetworkError(
        .badParameters, "condition \(condition.text.printable): \(error.message)", cause: error)
    }
  }
}

extension ElementTest.Part {
  /// Returns the result for all elements of a type; nil if the result depends on the element.
  func decided(_ type: Int) -> Bool? {
    switch self {
    case .never: return false
    case .types(let types): return types[type]
    case .comparison, .expression: return nil
    case .all(let parts):
      let decisions = parts.map { $0.decided(type) }
      if decisions.contains(false) { return false }
      return decisions.contains(nil) ? nil : true
    case .any(let parts):
      let decisions = parts.map { $0.decided(type) }
      if decisions.contains(true) { return true }
      return decisions.contains(nil) ? nil : false
    }
  }

  func holds(_ element: Int, _ type: Int, _ network: UtilityNetwork) -> Bool {
    switch self {
    case .never: return false
    case .types(let types): return types[type]
    case .all(let parts): return parts.allSatisfy { $0.holds(element, type, network) }
    case .any(let parts): return parts.contains { $0.holds(element, type, network) }
    case .comparison(let attribute, let comparison, let operand):
      return Self.compare(attribute, comparison, operand, element, network)
    case .expression(let condition, let attributes, let words):
      var row = attributes.map { network.value($0, element) }
      let categories = network.catalog.types[type].categories
      for word in 0..<words {
        var bits: Int64 = 0
        for category in categories where category / 63 == word {
          bits |= 1 << Int64(category % 63)
        }
        row.append(.integer(bits))
      }
      return condition.isTrue(row)
    }
  }

  private static func compare(
    _ attribute: Int, _ comparison: AttributeOperator, _ operand: ElementTest.Operand,
    _ element: Int, _ network: UtilityNetwork
  ) -> Bool {
    switch (network.value(attribute, element), operand) {
    case (.null, _): return false
    case (let value, .attribute(let other)):
      switch network.value(other, element) {
      case .integer(let integer):
        return compare(value, comparison, .integer(integer))
      case .real(let real): return compare(value, comparison, .real(real))
      case .text(let text): return compare(value, comparison, .text(text))
      default: return false
      }
    case (let value, _): return compare(value, comparison, operand)
    }
  }

  private static func compare(
    _ value: FieldValue, _ comparison: AttributeOperator, _ operand: ElementTest.Operand
  ) -> Bool {
    switch (value, operand) {
    case (.integer(let a), .integer(let v)):
      switch comparison {
      case .includesTheValues: return a & v == v
      case .doesNotIncludeTheValues: return a & v != v
      case .includesAny: return a & v != 0
      case .doesNotIncludeAny: return a & v == 0
      default: return comparison.holds(a, v)
      }
    case (.integer(let a), .real(let v)):
      // Compare as integers and then by the fraction, because the conversion of a large integer to
      // a double would round the integer.
      guard abs(v) < 0x1p62 else { return comparison.holds(Double(a), v) }
      let whole = Int64(v.rounded(.down))
      return a == whole ? comparison.holds(Double(whole), v) : comparison.holds(a, whole)
    case (.real(let a), .integer(let v)): return comparison.holds(a, Double(v))
    case (.real(let a), .real(let v)): return comparison.holds(a, v)
    case (.text(let a), .text(let v)):
      let order =
        Array(a.utf8) == Array(v.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(v.utf8) ? -1 : 1
      return comparison.holds(order, 0)
    default: return false
    }
  }
}

extension AttributeOperator {
  @inline(__always)
  func holds<T: Comparable>(_ a: T, _ v: T) -> Bool {
    switch self {
    case .equal: a == v
    case .notEqual: a != v
    case .greaterThan: a > v
    case .greaterThanEqual: a >= v
    case .lessThan: a < v
    case .lessThanEqual: a <= v
    default: false
    }
  }
}

extension UtilityNetwork {
  func categoryIndex(_ name: String) throws(NetworkError) -> Int {
    if let index = catalog.categoryIndex[name] { return index }
    let folded = catalog.categories.indices.filter {
      catalog.categories[$0].lowercased() == name.lowercased()
    }
    if folded.count == 1 { return folded[0] }
    throw NetworkError(
      .unknownName,
      "there is no category \(name.printable)"
        + NameSuggestions.advice(name, among: catalog.categories))
  }
}
