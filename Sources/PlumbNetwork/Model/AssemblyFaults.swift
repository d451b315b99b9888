/// The faults of individual features that did not prevent building the network: for each kind, the
/// number of faults and the first few messages.
package struct AssemblyFaults: Sendable {
  /// The kind of fault.
  package enum Kind: Int, Sendable, CaseIterable {
    /// A duplicate id; the first feature keeps the id.
    case duplicate
    /// An invalid association, which is omitted.
    case association
    /// A line that meets several junctions at one point; one of them is used.
    case ambiguous
    /// A line's end or vertex that is left unconnected.
    case unconnected
  }

  /// The faults of a kind.
  package struct Count: Sendable {
    package fileprivate(set) var count = 0
    package fileprivate(set) var first: [NetworkError] = []
  }

  /// The maximum number of messages that are kept for each kind.
  private static let limit = 3

  /// Whether the network is built despite faults.
  let isLenient: Bool
  private var counts = [Count](repeating: Count(), count: Kind.allCases.count)

  init(isLenient: Bool) { self.isLenient = isLenient }

  /// The faults of a kind.
  package subscript(_ kind: Kind) -> Count { counts[kind.rawValue] }

  /// Counts a fault.
  ///
  /// - Throws: the fault, unless the network is built despite faults.
  mutating func note(_ kind: Kind, _ fault: NetworkError) throws(NetworkError) {
    guard isLenient, fault.kind != .tooLarge else { throw fault }
    counts[kind.rawValue].count += 1
    if counts[kind.rawValue].first.count < Self.limit {
      counts[kind.rawValue].first.append(fault)
    }
  }
}
