import PlumbCore

/// Counts edges that are kept but may be mistakes: edges of zero length, and edges that start and
/// end at the same point. Each of the two kinds is reported once per layer.
struct SuspiciousEdges {
  private struct Kind {
    var first: String
    var count = 1
  }

  private var withoutLength: Kind?
  private var closed: Kind?

  /// - Parameter name: the feature with its position, such as `feature 3, pipe:c`.
  package mutating func note(_ chain: [SIMD2<Double>], _ name: @autoclosure () -> String) {
    guard let first = chain.first, chain.last == first else { return }
    if chain.allSatisfy({ $0 == first }) {
      if withoutLength == nil {
        withoutLength = Kind(first: name())
      } else {
        withoutLength?.count += 1
      }
    } else if closed == nil {
      closed = Kind(first: name())
    } else {
      closed?.count += 1
    }
  }

  /// Returns a warning for each kind that occurred.
  package func warnings(_ layer: String) -> [String] {
    [(withoutLength, "has no length"), (closed, "begins and ends at one point")].compactMap {
      kind, what in
      guard let kind else { return nil }
      let more = kind.count > 1 ? ", and \(kind.count - 1) more" : ""
      return "\(layer), \(kind.first) \(what)\(more)"
    }
  }
}
