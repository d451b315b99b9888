import PlumbCore
import PlumbLayers

/// Counts the rows for which remote layers failed.
struct RemoteFaults {
  private var counts: [Int] = []
  private var reasons: [MessageTemplate?] = []

  package init() {}

  /// Adds the results of some rows, one list per layer. Rows without a usable point are not counted
  /// here.
  package mutating func add(_ answers: [[RemoteLayer.Answer]]) {
    while counts.count < answers.count {
      counts.append(0)
      reasons.append(nil)
    }
    for (layer, answers) in answers.enumerated() {
      for case let error? in answers.lazy.map(\.error) where error.code != .badPoint {
        counts[layer] += 1
        reasons[layer] = reasons[layer] ?? error.line
      }
    }
  }

  /// Returns a line for each layer that failed for at least one row.
  ///
  /// - Parameter names: the layers' names.
  package func lines(_ names: [String]) -> [MessageTemplate] {
    zip(names, zip(counts, reasons)).compactMap { name, fault in
      guard let reason = fault.1 else { return nil }
      let rows = fault.0 == 1 ? "1 row has" : "\(fault.0) rows have"
      return "\(name.printable): \(rows) no result: \(reason)"
    }
  }
}
