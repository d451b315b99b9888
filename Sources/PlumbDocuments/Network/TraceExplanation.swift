import PlumbCore
import PlumbNetwork

extension OpenedNetwork {
  /// Returns the settings of a trace, one line each: the network, the tier, the start, and the
  /// conditions that stop the trace.
  public func explanation(of parameters: UtilityTraceParameters) -> [String] {
    let configuration =
      parameters.traceConfiguration ?? tierConfiguration(
        domain: parameters.domainNetwork, tier: parameters.tier) ?? TraceConfiguration()
    var lines = [
      "\(path.printable): \(form.rawValue), \(network.junctionCount) junctions and "
        + "\(network.edgeCount) edges, \(controllers.count) controllers"
    ]
    for (what, locations) in [
      ("start", parameters.startingLocations), ("barrier", parameters.barriers),
      ("filter barrier", parameters.filterBarriers),
    ] {
      lines += locations.map { "\(what): \(network.name(at: $0))" }
    }
    lines += parameters.inoperable.map { "not operable: \(network.name(of: $0))" }
    for (what, condition, functions) in [
      (
        "stops traversal", configuration.traversability.barriers,
        configuration.traversability.functionBarriers
      ),
      (
        "is a filter barrier", configuration.filter.barriers,
        configuration.filter.functionBarriers
      ),
    ] {
      if let condition {
        let count = network.count(of: condition)
        lines.append(
          "\(what): \(condition.text)" + (count.map { ", \($0) elements" } ?? ""))
      }
      for function in functions {
        lines.append(
          "\(what): \(function.type.rawValue) of \((function.attribute ?? "all").printable) "
            + "\(function.operator.rawValue) \(function.value)")
      }
    }
    return lines
  }
}

extension UtilityNetwork {
  /// Returns the number of elements with the category; nil unless the condition tests a single
  /// category.
  fileprivate func count(of condition: TraceCondition) -> Int? {
    guard case .category(let name, true) = condition else { return nil }
    return elements.count { describe($0).categories.contains(name) }
  }
}

extension TraceCondition {
  /// The condition in command-line syntax.
  package var text: String {
    switch self {
    case .category(let name, let exists):
      (exists ? "" : "NOT ") + "category('\(name.printable)')"
    case .attribute(let name, let comparison, let operand):
      "\(name.printable) \(comparison.rawValue) \(operand.text)"
    case .expression(let condition): condition.text.printable
    case .all(let list):
      list.isEmpty ? "TRUE" : list.map { "(\($0.text))" }.joined(separator: " AND ")
    case .any(let list):
      list.isEmpty ? "FALSE" : list.map { "(\($0.text))" }.joined(separator: " OR ")
    }
  }
}

extension TraceCondition.Operand {
  fileprivate var text: String {
    switch self {
    case .attribute(let name): name.printable
    case .value(.text(let text)), .value(.json(let text)): "'\(text.printable)'"
    case .value(let value): value.identifier ?? "\(value)"
    }
  }
}
