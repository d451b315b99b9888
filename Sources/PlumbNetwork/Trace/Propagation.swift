import PlumbCore

/// Propagates a value from the controllers.
struct Propagation {
  private let propagator: Propagator
  private let attribute: Int
  private let substitution: Int?
  private let network: UtilityNetwork
  /// The value of each node so far.
  private var atNode: [UInt32: Double] = [:]
  private var failingSpans: Set<Int> = []
  private var passingSpans: Set<Int> = []

  /// Sets barriers where the tests of a plan's propagators fail, one propagator after the other.
  static func run(
    _ plan: TracePlan, _ controllers: [UInt32], within: UInt32, _ flood: inout Flood
  ) throws(NetworkError) {
    for propagator in plan.configuration.propagators {
      var propagation = try Propagation(propagator, flood.network)
      propagation.run(
        controllers, FloodRule(mark: 0, flow: plan.supply, within: within), flood)
      propagation.bar(&flood)
    }
  }

  private init(_ propagator: Propagator, _ network: UtilityNetwork) throws(NetworkError) {
    self.propagator = propagator
    self.network = network
    attribute = try network.numberAttribute(propagator.attribute)
    substitution = try propagator.substitutionAttribute.map { name throws(NetworkError) in
      try network.numberAttribute(name)
    }
    let needsBits = propagator.function == .bitwiseAnd || propagator.operator.isBitwise
    for index in [attribute, substitution ?? attribute] where needsBits {
      guard network.definition.networkAttributes[index].dataType == .integer else {
        throw NetworkError(
          .badParameters,
          "propagator of \(propagator.attribute.printable): bit tests need integer attributes")
      }
    }
    guard !needsBits || Int64(exactly: propagator.value) != nil else {
      throw NetworkError(
        .badParameters,
        "propagator of \(propagator.attribute.printable): \(propagator.value) is not an integer")
    }
  }

  private mutating func run(_ controllers: [UInt32], _ rule: FloodRule, _ flood: Flood) {
    let view = flood.view
    var queue: [UInt32] = []
    for node in controllers {
      guard let value = passed(nil, view.junction(Int(node))) else { continue }
      atNode[node] = value
      queue.append(node)
    }
    while let node = queue.popLast() {
      guard let value = atNode[node] else { continue }
      let isRoot = controllers.contains(node)
      if !holds(value) || (!isRoot && flood.stops(node: Int(node), rule)) { continue }
      let isController = flood.barriers.isStoppingController(Int(node))
      view.forEachStep(Int(node)) { step in
        guard flood.mayPass(step, Int(node), isController, rule) else { return }
        var next = value
        if step.span >= 0 {
          if flood.barriers.checksSpans, flood.stops(span: step.span, rule) { return }
          guard let brought = passed(value, network.junctionCount + view.edge(step.span)) else {
            return
          }
          next = brought
          guard holds(next) else {
            failingSpans.insert(step.span)
            return
          }
          passingSpans.insert(step.span)
        }
        let target = UInt32(step.target)
        guard let brought = step.isInside ? next : passed(next, view.junction(step.target)) else {
          return
        }
        let best = atNode[target].map { joined($0, brought) } ?? brought
        if atNode[target] != best {
          atNode[target] = best
          queue.append(target)
        }
      }
    }
  }

  /// Sets barriers at elements where the test fails.
  private func bar(_ flood: inout Flood) {
    for (node, value) in atNode where !holds(value) {
      _ = flood.nodes.set(Int(node), Mark.barrier)
    }
    for span in failingSpans.subtracting(passingSpans) {
      _ = flood.spans.set(span, Mark.barrier)
      flood.barriers.checksSpans = true
    }
  }

  // MARK: Values

  /// Returns the value that is propagated beyond an element.
  private func passed(_ value: Double?, _ element: Int?) -> Double? {
    guard let element else { return value }
    if value != nil, let substitution, let other = network.number(substitution, element),
      other != 0
    {
      return other
    }
    guard let elementValue = network.number(attribute, element) else { return value }
    guard let value else { return elementValue }
    switch propagator.function {
    case .min: return min(value, elementValue)
    case .max: return max(value, elementValue)
    case .bitwiseAnd:
      guard let a = Int64(exactly: value), let b = Int64(exactly: elementValue) else {
        return value
      }
      return Double(a & b)
    }
  }

  /// Returns the better of the values of two paths.
  private func joined(_ a: Double, _ b: Double) -> Double {
    switch propagator.function {
    case .min: return max(a, b)
    case .max: return min(a, b)
    case .bitwiseAnd:
      guard let first = Int64(exactly: a), let second = Int64(exactly: b) else { return a }
      return Double(first | second)
    }
  }

  private func holds(_ value: Double) -> Bool {
    guard propagator.operator.isBitwise else {
      return propagator.operator.holds(value, propagator.value)
    }
    guard let a = Int64(exactly: value), let v = Int64(exactly: propagator.value) else {
      return false
    }
    switch propagator.operator {
    case .includesTheValues: return a & v == v
    case .doesNotIncludeTheValues: return a & v != v
    case .includesAny: return a & v != 0
    default: return a & v == 0
    }
  }
}
