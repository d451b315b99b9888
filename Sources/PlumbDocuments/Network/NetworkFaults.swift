import PlumbCore
import PlumbNetwork

/// The faults of single features of a network: their number, and the first few messages. These
/// faults do not prevent opening the network.
struct NetworkFaults {
  /// The effect of a fault on its feature.
  package enum Kind: Int, CaseIterable {
    /// The feature is omitted.
    case left
    /// The feature has no geometry, and is connected only by associations.
    case unplaced
  }

  /// The maximum number of faults that a warning lists for a kind.
  package static let limit = 3

  /// Whether each fault is an error.
  package let isStrict: Bool
  private var counts = [Int](repeating: 0, count: Kind.allCases.count)
  private var first = [[String]](repeating: [], count: Kind.allCases.count)

  package init(isStrict: Bool) { self.isStrict = isStrict }

  /// Records a fault of a feature.
  ///
  /// - Throws: the fault itself in strict mode, or if the network is too large or the work was
  ///   cancelled.
  package mutating func note(_ kind: Kind, _ fault: any Error, row: Int) throws {
    let error = PlumbError(fault)
    if isStrict || (fault as? NetworkError)?.kind == .tooLarge || fault is CancellationError {
      throw fault
    }
    counts[kind.rawValue] += 1
    if first[kind.rawValue].count < Self.limit {
      first[kind.rawValue].append("feature \(row): \(error.message)")
    }
  }

  /// Returns a warning for each kind of fault that occurred.
  ///
  /// - Parameters:
  ///   - layer: the layer of the features.
  ///   - item: the singular noun for a feature in the warnings, such as `association`.
  package func warnings(_ layer: String, item: String = "feature") -> [String] {
    Kind.allCases.compactMap { kind in
      let count = counts[kind.rawValue]
      if count == 0 { return nil }
      let one = count == 1
      let what =
        switch kind {
        case .left: "\(one ? "is" : "are") left out"
        case .unplaced:
          "\(one ? "has" : "have") no shape and \(one ? "connects" : "connect") by association alone"
        }
      return Self.line(
        layer, "\(count) \(item)\(one ? "" : "s") \(what)", first[kind.rawValue], count)
    }
  }

  /// Returns a line with the count and the first faults.
  static func line(_ layer: String, _ what: String, _ first: [String], _ count: Int) -> String {
    let more = count > first.count ? "; and \(count - first.count) more" : ""
    return "\(layer): \(what): \(first.joined(separator: "; "))\(more)"
  }
}

extension AssemblyFaults {
  /// Returns a warning for each kind of fault that occurred.
  ///
  /// - Parameter position: returns the position of an association by its number.
  package func warnings(_ path: String, position: (Int) -> String?) -> [String] {
    Kind.allCases.compactMap { kind in
      let (count, first) = (self[kind].count, self[kind].first)
      if count == 0 { return nil }
      let one = count == 1
      let what =
        switch kind {
        case .duplicate:
          "\(one ? "id is" : "ids are") duplicated and \(one ? "means" : "mean") the first feature"
        case .association: "\(one ? "association is" : "associations are") left out"
        case .ambiguous:
          "\(one ? "connection meets" : "connections meet") several junctions and \(one ? "takes" : "take") the first"
        case .unconnected: "\(one ? "end or vertex is" : "ends or vertices are") not connected"
        }
      return NetworkFaults.line(
        path.printable, "\(count) \(what)",
        first.map { fault in
          let point = fault.association.flatMap(position).map { "\($0): " } ?? ""
          return point + fault.message
        }, count)
    }
  }
}
