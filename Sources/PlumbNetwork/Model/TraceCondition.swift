import PlumbCore
import PlumbExpressions

/// A test of an element. An element without the attribute that is asked for fails it.
public indirect enum TraceCondition: Sendable, Hashable {
  /// Whether the element's asset type has the category.
  case category(String, exists: Bool = true)
  /// Compares a network attribute, by name, with a value or with another attribute.
  case attribute(String, AttributeOperator, Operand)
  /// A condition in SQL on network attributes, with `category('Isolating')`,
  /// `includes(attribute, value)` and `includesAny(attribute, value)`; unknown is not true.
  case expression(Condition)
  /// True when all are; true without any.
  case all([TraceCondition])
  /// True when any is; false without any.
  case any([TraceCondition])

  /// What an attribute is compared with.
  public enum Operand: Sendable, Hashable {
    /// A number or, for attributes that are text, a text.
    case value(FieldValue)
    /// Another attribute of the same element, by name.
    case attribute(String)
  }
}

/// How an attribute `a` is compared with a value `v`.
public enum AttributeOperator: String, Sendable, Hashable, CaseIterable {
  /// Numbers are compared with numbers, and texts with texts.
  case equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual
  /// `(a & v) == v`
  case includesTheValues
  /// `(a & v) != v`
  case doesNotIncludeTheValues
  /// `(a & v) != 0`
  case includesAny
  /// `(a & v) == 0`
  case doesNotIncludeAny

  /// Whether it works on bits, of integers only.
  public var isBitwise: Bool {
    switch self {
    case .includesTheValues, .doesNotIncludeTheValues, .includesAny, .doesNotIncludeAny: true
    default: false
    }
  }
}
