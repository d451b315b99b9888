import PlumbCore
import PlumbExpressions

/// A test of an element. It fails if the element lacks the tested attribute.
public indirect enum TraceCondition: Sendable, Hashable {
  /// Whether the element's asset type has the category.
  case category(String, exists: Bool = true)
  /// Compares a network attribute, by name, with a value or with another attribute.
  case attribute(String, AttributeOperator, Operand)
  /// A condition in SQL on network attributes, with `category('Isolating')`,
  /// `includes(attribute, value)` and `includesAny(attribute, value)`; unknown is not true.
  case expression(Condition)
  /// True if all are true; true if empty.
  case all([TraceCondition])
  /// True if any is true; false if empty.
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
  /// Numbers are compared with numbers, and strings with strings.
  case equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual
  /// `(a & v) == v`
  case includesTheValues
  /// `(a & v) != v`
  case doesNotIncludeTheValues
  /// `(a & v) != 0`
  case includesAny
  /// `(a & v) == 0`
  case doesNotIncludeAny

  /// Whether it compares bits; only for integers.
  public var isBitwise: Bool {
    switch self {
    case .includesTheValues, .doesNotIncludeTheValues, .includesAny, .doesNotIncludeAny: true
    default: false
    }
  }
}
