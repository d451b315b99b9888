/// Features whose shapes could not be used and were left out of them.
public struct FeatureFaults: Sendable, Hashable {
  public private(set) var count = 0
  /// What was wrong with the first of them, the feature being named.
  public private(set) var first: String?

  public init() {}

  /// - Parameter message: names the feature, as `feature 3: its ring is open`.
  public mutating func add(_ message: String) {
    count += 1
    first = first ?? message
  }

  /// Forgets all of them.
  public mutating func clear() { self = FeatureFaults() }

  /// One line for people; nil when there are none.
  public var warning: String? {
    guard let first else { return nil }
    guard count > 1 else { return "the shape of a feature cannot be used: \(first)" }
    return "the shapes of \(count) features cannot be used; the first is \(first)"
  }
}
