/// What is made of many values. Of 20 and then 30: min 20, max 30, add 50, average 25, count 2,
/// subtract −10.
public enum TraceFunctionType: String, Sendable, Hashable, CaseIterable {
  /// Sum; mean; how many; least; greatest; the first less all others.
  case add, average, count, min, max, subtract
}

/// A value over all elements of a result, those of a condition alone when there is one.
///
/// Values are taken in element order. Part of an edge counts with its part of an apportionable
/// attribute; an element without the attribute does not count.
public struct TraceFunction: Sendable, Hashable {
  /// What is made of the values.
  public var type: TraceFunctionType
  /// The network attribute, by name. `count` may have none: then all elements count.
  public var attribute: String?
  /// Only elements that pass it count; nil for all.
  public var condition: TraceCondition?

  /// A function over the elements of a result.
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
/// The traversal is breadth first, elements equally far in element order. A value is running from a
/// start along the way on which an element is first reached, that element's own value with it.
public struct FunctionBarrier: Sendable, Hashable {
  /// What runs.
  public var type: TraceFunctionType
  /// The network attribute, by name; `count` may have none.
  public var attribute: String?
  /// A comparison; the bitwise ones are an error here.
  public var `operator`: AttributeOperator
  /// What the running value is compared with, on the right.
  public var value: Double
  /// True: the value starts afresh at each start and branches with the way. False: one value runs
  /// over the whole traversal.
  public var useLocalValues: Bool

  /// A barrier where the running value passes the comparison.
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

/// A value that runs from the controllers outward; traversal goes on while a test of it holds.
///
/// Where several ways lead to an element it has what the best brings: the greatest of the minima,
/// the least of the maxima, the union of the bits. An element without the attribute passes on what it
/// gets.
public struct Propagator: Sendable, Hashable {
  /// How values are joined along the way.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    /// The least so far; the greatest so far; the bits that all had.
    case min, max, bitwiseAnd
  }

  /// The network attribute, by name.
  public var attribute: String
  /// How values are joined along the way.
  public var function: Function
  /// The test that has to hold for traversal to go on.
  public var `operator`: AttributeOperator
  /// What the value is tested against, on the right.
  public var value: Double
  /// A network attribute, by name: where an element has it, and it is not 0, it stands for what was
  /// propagated so far.
  public var substitutionAttribute: String?

  /// A value of a network attribute that runs from the controllers outward.
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
