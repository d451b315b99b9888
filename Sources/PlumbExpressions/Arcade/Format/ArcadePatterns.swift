/// The formats of numbers that one evaluator read last: a program uses the same few again and again.
final class ArcadePatterns {
  private var known: [(text: String, pattern: ArcadeNumberPattern)] = []
  private var next = 0
  /// So few that to compare is faster than to hash.
  private static let limit = 4

  func number(_ text: String) throws(ArcadeFailure) -> ArcadeNumberPattern {
    for entry in known where entry.text == text { return entry.pattern }
    let pattern = try ArcadeNumberPattern(text)
    if known.count < Self.limit {
      known.append((text, pattern))
    } else {
      known[next] = (text, pattern)
      next = (next + 1) % Self.limit
    }
    return pattern
  }
}
