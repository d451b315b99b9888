import Synchronization

/// Caches whether two CRSs are equivalent according to PROJ, because each comparison takes 0.1 ms.
final class EquivalentReferences: Sendable {
  static let shared = EquivalentReferences()

  private struct Pair: Hashable {
    var first: String
    var second: String
  }

  private let known = Mutex<[Pair: Bool]>([:])
  /// The largest number of cached pairs. It is limited because definitions come from files and requests.
  private static let limit = 256

  /// Whether two definitions are equivalent; calls `compute` if the result is not in the cache.
  func isEquivalent(_ first: String, _ second: String, _ compute: () -> Bool) -> Bool {
    let pair = Pair(first: first, second: second)
    if let known = known.withLock({ $0[pair] }) { return known }
    let isEquivalent = compute()
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[pair] = isEquivalent
    }
    return isEquivalent
  }
}
