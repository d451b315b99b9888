/// Features whose shapes could not be used and were left out of them.
package struct FeatureFaults: Sendable, Hashable {
  package private(set) var count = 0
  /// What was wrong with the first of them, the feature being named.
  package private(set) var first: String?
  /// Those that may come again.
  private var numbers: Set<Int64> = []

  package init() {}

  /// - Parameters:
  ///   - message: names the feature, as `feature 3: its ring is open`.
  ///   - number: of a feature that may come again, and counts once.
  package mutating func add(_ message: String, number: Int64? = nil) {
    if let number, !numbers.insert(number).inserted { return }
    count += 1
    first = first ?? message
  }

  /// Adds those that are not among these yet.
  package mutating func formUnion(_ others: FeatureFaults) {
    count += others.count - others.numbers.intersection(numbers).count
    numbers.formUnion(others.numbers)
    first = first ?? others.first
  }

  /// Forgets all of them.
  package mutating func clear() { self = FeatureFaults() }

  /// One line for people; nil when there are none.
  package var warning: String? {
    guard let first else { return nil }
    guard count > 1 else { return "the shape of a feature cannot be used: \(first)" }
    return "the shapes of \(count) features cannot be used; the first is \(first)"
  }
}
