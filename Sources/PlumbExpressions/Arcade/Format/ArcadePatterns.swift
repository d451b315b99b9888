/// A cache of an evaluator's latest number formats, because programs use a few formats repeatedly.
final class ArcadePatterns {
  private var known: [(text: String, pattern: ArcadeNumberPattern)] = []
  private var next = 0
  /// The number of cached formats, small enough that comparison is faster than hashing.
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
