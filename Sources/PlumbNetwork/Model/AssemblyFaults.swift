/// Faults of single features that a network was made without: counted, the first few of each kind.
package struct AssemblyFaults: Sendable {
  /// What sort of fault it is.
  package enum Kind: Int, Sendable, CaseIterable {
    /// An id that is there twice: the first feature has it.
    case duplicate
    /// An association that cannot be had and is left out.
    case association
    /// A line that meets several junctions, of which one is taken.
    case ambiguous
    /// A line's end or vertex that is left unconnected.
    case unconnected
  }

  /// The faults of a kind.
  package struct Tally: Sendable {
    package fileprivate(set) var count = 0
    package fileprivate(set) var first: [NetworkError] = []
  }

  /// How many faults of a kind are kept.
  private static let limit = 3

  /// Whether a network is made in spite of faults.
  let isLenient: Bool
  private var tallies = [Tally](repeating: Tally(), count: Kind.allCases.count)

  init(isLenient: Bool) { self.isLenient = isLenient }

  /// The faults of a kind.
  package subscript(_ kind: Kind) -> Tally { tallies[kind.rawValue] }

  /// Counts a fault.
  ///
  /// - Throws: the fault, where a network is not made in spite of it.
  mutating func note(_ kind: Kind, _ fault: NetworkError) throws(NetworkError) {
    guard isLenient, fault.kind != .tooLarge else { throw fault }
    tallies[kind.rawValue].count += 1
    if tallies[kind.rawValue].first.count < Self.limit {
      tallies[kind.rawValue].first.append(fault)
    }
  }
}
