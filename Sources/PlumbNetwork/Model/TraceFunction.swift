/// The aggregation of several values. For 20 and then 30: min 20, max 30, add 50, average 25, count 2,
/// subtract −10.
public enum TraceFunctionType: String, Sendable, Hashable, CaseIterable {
  /// Sum; mean; count; minimum; maximum; the first minus all others.
  case add, average, count, min, max, subtract
}

/// A value over all elements of a result, or only those that pass a condition.
///
/// Values are processed in element order. For a part of an edge, an apportionable attribute counts in
/// proportion; elements without the attribute do not count.
public struct TraceFunction: Sendable, Hashable {
  /// The aggregation.
  public var type: TraceFunctionType
  /// The name of the network attribute. It is optional for `count`: all elements count then.
  public var attribute: String?
  /// Only elements that pass the condition count; nil for all.
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
/// The traversal is breadth first, in element order at equal distance. The running value of an element
/// includes the values from a start along the path by which it is first reached, and its own value.
public struct FunctionBarrier: Sendable, Hashable {
  /// The aggregation of the running value.
  public var type: TraceFunctionType
  /// The name of the network attribute; optional for `count`.
  public var attribute: String?
  /// The comparison; bitwise operators are errors here.
  public var `operator`: AttributeOperator
  /// The right-hand side of the comparison.
  public var value: Double
  /// True: each start has its own value, which branches with the paths. False: one value runs over the
  /// whole traversal.
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
/// If several paths lead to an element, the best value is used: the greatest of the minima, the least
/// of the maxima, the union of the bits. An element without the attribute passes on the value it
/// receives.
public struct Propagator: Sendable, Hashable {
  /// The combination of values along a path.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    /// The minimum so far; the maximum so far; the bits that all values have.
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
  /// The name of a network attribute that, where an element has it and it is not 0, replaces the value
  /// propagated so far.
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
