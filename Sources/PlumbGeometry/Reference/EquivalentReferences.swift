import Synchronization

/// A cache of which references are equivalent by PROJ, since each comparison takes a tenth of a
/// millisecond.
final class EquivalentReferences: Sendable {
  static let shared = EquivalentReferences()

  private struct Pair: Hashable {
    var first: String
    var second: String
  }

  private let known = Mutex<[Pair: Bool]>([:])
  /// The limit of cached pairs: definitions come from files and requests.
  private static let limit = 256

  /// The answer for two definitions, computed by `ask` if it is not in the cache.
  func answer(_ first: String, _ second: String, _ ask: () -> Bool) -> Bool {
    let pair = Pair(first: first, second: second)
    if let known = known.withLock({ $0[pair] }) { return known }
    let answer = ask()
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[pair] = answer
    }
    return answer
  }
}
