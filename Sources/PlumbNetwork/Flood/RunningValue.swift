/// The running value of a function.
struct RunningValue {
  private var count = 0
  private var sum = 0.0
  private var minimum = Double.infinity
  private var maximum = -Double.infinity
  private var first = 0.0

  mutating func include(_ value: Double) {
    if count == 0 { first = value }
    count += 1
    sum += value
    minimum = min(minimum, value)
    maximum = max(maximum, value)
  }

  /// Returns the result of a function over the values so far. Without values, a sum and a count are
  /// 0, and other results are nil.
  func value(_ type: TraceFunctionType) -> Double? {
    switch type {
    case .add: sum
    case .count: Double(count)
    case .average: count > 0 ? sum / Double(count) : nil
    case .min: count > 0 ? minimum : nil
    case .max: count > 0 ? maximum : nil
    case .subtract: count > 0 ? first - (sum - first) : nil
    }
  }
}

/// A function barrier bound to a network.
struct BoundFunctionBarrier: Sendable {
  var barrier: FunctionBarrier
  var attribute: Int?
  var isApportionable: Bool
  var scope: TraversabilityScope

  init(
    _ barrier: FunctionBarrier, _ scope: TraversabilityScope, _ network: UtilityNetwork
  ) throws(NetworkError) {
    self.barrier = barrier
    self.scope = scope
    guard !barrier.operator.isBitwise, !barrier.value.isNaN else {
      throw NetworkError(
        .badParameters,
        "a function barrier needs a comparison with a number, not \(barrier.operator.rawValue) "
          + "\(barrier.value)")
    }
    attribute = try network.functionAttribute(barrier.attribute, barrier.type)
    isApportionable =
      attribute.map { network.definition.networkAttributes[$0].isApportionable } ?? false
  }
}

extension UtilityNetwork {
  /// Returns the index of a function's attribute; nil if the function counts all elements.
  func functionAttribute(
    _ name: String?, _ type: TraceFunctionType
  ) throws(NetworkError) -> Int? {
    guard let name else {
      guard type == .count else {
        throw NetworkError(.badParameters, "function \(type.rawValue) needs a network attribute")
      }
      return nil
    }
    return type == .count ? try attributeIndex(name) : try numberAttribute(name)
  }

  /// Returns the index of a numeric attribute.
  func numberAttribute(_ name: String) throws(NetworkError) -> Int {
    let index = try attributeIndex(name)
    guard definition.networkAttributes[index].dataType != .text else {
      throw NetworkError(
        .badParameters, "network attribute \(name.printable) is text: a number is needed")
    }
    return index
  }
}
