import PlumbCore

/// Values that run from the controllers outward.
extension Tracer {
  /// Makes barriers of what a propagated value's test fails at.
  func propagate(
    _ controllers: [UInt32], _ plan: TracePlan, within: UInt32
  ) throws(NetworkError) {
    for propagator in plan.configuration.propagators {
      let attribute = try network.numberAttribute(propagator.attribute)
      let substitution = try propagator.substitutionAttribute.map { name throws(NetworkError) in
        try network.numberAttribute(name)
      }
      let needsBits = propagator.function == .bitwiseAnd || propagator.operator.isBitwise
      for index in [attribute, substitution ?? attribute] where needsBits {
        guard network.definition.networkAttributes[index].dataType == .integer else {
          throw NetworkError(
            .badParameters,
            "propagator of \(propagator.attribute.printable): bits need integer attributes")
        }
      }
      guard !needsBits || Int64(exactly: propagator.value) != nil else {
        throw NetworkError(
          .badParameters,
          "propagator of \(propagator.attribute.printable): \(propagator.value) has no bits")
      }
      propagate(
        controllers, plan, within, propagator, attribute: attribute, substitution: substitution)
    }
  }

  private func propagate(
    _ controllers: [UInt32], _ plan: TracePlan, _ within: UInt32, _ propagator: Propagator,
    attribute: Int, substitution: Int?
  ) {
    let isBits = propagator.function == .bitwiseAnd
    /// What an element makes of what it gets.
    func passed(_ value: Double?, _ element: Int?) -> Double? {
      guard let element else { return value }
      if value != nil, let substitution, let other = network.number(substitution, element),
        other != 0
      {
        return other
      }
      guard let own = network.number(attribute, element) else { return value }
      guard let value else { return own }
      switch propagator.function {
      case .min: return min(value, own)
      case .max: return max(value, own)
      case .bitwiseAnd:
        guard let a = Int64(exactly: value), let b = Int64(exactly: own) else { return value }
        return Double(a & b)
      }
    }
    /// The better of what two ways bring.
    func joined(_ a: Double, _ b: Double) -> Double {
      switch propagator.function {
      case .min: return max(a, b)
      case .max: return min(a, b)
      case .bitwiseAnd:
        guard let first = Int64(exactly: a), let second = Int64(exactly: b) else { return a }
        return isBits ? Double(first | second) : a
      }
    }
    func holds(_ value: Double) -> Bool {
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
    var rule = FloodRule(mark: 0, flow: plan.supply, within: within)
    rule.stopMarks = 0
    var atNode: [UInt32: Double] = [:]
    var failingSpans: Set<Int> = []
    var passingSpans: Set<Int> = []
    var queue: [UInt32] = []
    for node in controllers {
      guard let value = passed(nil, junction(Int(node))) else { continue }
      atNode[node] = value
      queue.append(node)
    }
    while let node = queue.popLast() {
      guard let value = atNode[node] else { continue }
      let isRoot = controllers.contains(node)
      if !holds(value) || (!isRoot && stops(node: Int(node), rule)) { continue }
      let isController = isStoppingController(Int(node))
      forEachStep(Int(node)) { step in
        guard mayPass(step, Int(node), isController, rule) else { return }
        var next = value
        if step.span >= 0 {
          if asksSpans, stops(span: step.span, rule) { return }
          guard let brought = passed(value, network.junctionCount + edge(step.span)) else { return }
          next = brought
          guard holds(next) else {
            failingSpans.insert(step.span)
            return
          }
          passingSpans.insert(step.span)
        }
        let target = UInt32(step.target)
        let isSame = step.isInside
        guard let brought = isSame ? next : passed(next, junction(step.target)) else { return }
        let best = atNode[target].map { joined($0, brought) } ?? brought
        if atNode[target] != best {
          atNode[target] = best
          queue.append(target)
        }
      }
    }
    for (node, value) in atNode where !holds(value) { _ = nodes.set(Int(node), Mark.barrier) }
    for span in failingSpans.subtracting(passingSpans) {
      _ = spans.set(span, Mark.barrier)
      asksSpans = true
    }
  }
}
