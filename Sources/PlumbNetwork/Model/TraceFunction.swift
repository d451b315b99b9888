/// The aggregation of several values. For the values 20 and 30, in this order: min 20, max 30, add
/// 50, average 25, count 2, subtract −10.
public enum TraceFunctionType: String, Sendable, Hashable, CaseIterable {
  /// The sum, the mean, the count, the minimum, the maximum, and the first value minus all other
  /// values.
  case add, average, count, min, max, subtract
}

/// A function over all elements of a result, or over the elements that pass a condition.
///
/// Values are processed in element order. The value of an apportionable attribute for a part of an
/// edge is proportional to the part's length. Elements without the attribute do not count.
public struct TraceFunction: Sendable, Hashable {
  /// The aggregation.
  public var type: TraceFunctionType
  /// The name of the network attribute. The name is optional for `count`; without a name, all
  /// elements count.
  public var attribute: String?
  /// The condition that determines which elements count; nil for all elements.
  public var condition: TraceCondition?

  /// Creates a function over the elements of a result.
  public init(
    _ type: TraceFunctionType, attribute: String?, condition: TraceCondition? = nil
  ) {
    self.type = type
    self.attribute = attribute
    self.condition = condition
  }
}

/// A barrier where a running value passes a test.
///
/// The traversal is breadth first, in element order at equal distance. The running value of an
/// element includes the value of the element and the values on the path that first reaches the
/// element from a start.
public struct FunctionBarrier: Sendable, Hashable {
  /// The aggregation of the running value.
  public var type: TraceFunctionType
  /// The name of the network attribute; optional for `count`.
  public var attribute: String?
  /// The comparison; bitwise operators are not allowed.
  public var `operator`: AttributeOperator
  /// The right-hand side of the comparison.
  public var value: Double
  /// If true, each start has a separate value, which continues separately on each path. If false,
  /// one value runs over the whole traversal.
  public var useLocalValues: Bool

  /// Creates a barrier where the running value passes the comparison.
  public init(
    _ type: TraceFunctionType, attribute: String?, _ operator: AttributeOperator, _ value: Double,
    useLocalValues: Bool = true
  ) {
    self.type = type
    self.attribute = attribute
    self.operator = `operator`
    self.value = value
    self.useLocalValues = useLocalValues
  }
}

/// A value propagated from the controllers; traversal continues while its test passes.
///
/// If several paths lead to an element, the best value is used: the greatest of the minima, the least of the
/// maxima, or the union of the bits. An element without the attribute does not change the value.
public struct Propagator: Sendable, Hashable {
  /// The combination of values along a path.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    /// The minimum so far, the maximum so far, and the bits that all values have in common.
    case min, max, bitwiseAnd
  }

  /// The name of the network attribute.
  public var attribute: String
  /// The combination of values along a path.
  public var function: Function
  /// The test that must pass for traversal to continue.
  public var `operator`: AttributeOperator
  /// The right-hand side of the test.
  public var value: Double
  /// The name of a network attribute whose value replaces the propagated value at elements where
  /// the attribute is neither null nor 0; nil for none.
  public var substitutionAttribute: String?

  /// Creates a propagator.
  public init(
    attribute: String, _ function: Function, _ operator: AttributeOperator, _ value: Double,
    substitutionAttribute: String? = nil
  ) {
    self.attribute = attribute
    self.function = function
    self.operator = `operator`
    self.value = value
    self.substitutionAttribute = substitutionAttribute
  }
}
