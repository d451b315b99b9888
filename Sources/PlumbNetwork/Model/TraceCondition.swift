import PlumbCore
import PlumbExpressions

/// A test of an element. The test fails if the element lacks the tested attribute.
public indirect enum TraceCondition: Sendable, Hashable {
  /// Whether the element's asset type has the category, or lacks the category if `exists` is false.
  case category(String, exists: Bool = true)
  /// Compares a network attribute, by name, with a value or with another attribute.
  case attribute(String, AttributeOperator, Operand)
  /// A condition in SQL on network attributes, with `category('Isolating')`,
  /// `includes(attribute, value)` and `includesAny(attribute, value)`. An unknown result counts as
  /// false.
  case expression(Condition)
  /// True if all conditions are true; true if there are none.
  case all([TraceCondition])
  /// True if any condition is true; false if there are none.
  case any([TraceCondition])

  /// The right-hand side of a comparison.
  public enum Operand: Sendable, Hashable {
    /// A number or, for text attributes, a string.
    case value(FieldValue)
    /// Another attribute of the same element, by name.
    case attribute(String)
  }
}

/// The comparison of an attribute `a` with a value `v`.
public enum AttributeOperator: String, Sendable, Hashable, CaseIterable {
  /// Comparisons of numbers with numbers, and of strings with strings.
  case equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual
  /// `(a & v) == v`
  case includesTheValues
  /// `(a & v) != v`
  case doesNotIncludeTheValues
  /// `(a & v) != 0`
  case includesAny
  /// `(a & v) == 0`
  case doesNotIncludeAny

  /// Whether the operator compares bits, which requires integers.
  public var isBitwise: Bool {
    switch self {
    case .includesTheValues, .doesNotIncludeTheValues, .includesAny, .doesNotIncludeAny: true
    default: false
    }
  }
}
