/// Counts features whose invalid geometry is omitted.
package struct FeatureFaults: Sendable, Hashable {
  package private(set) var count = 0
  /// The fault of the first feature, with the feature's name.
  package private(set) var first: String?
  /// The numbers of the counted features that may be added again.
  private var numbers: Set<Int64> = []

  package init() {}

  /// - Parameters:
  ///   - message: the fault with the feature's name, for example `feature 3: its ring is open`.
  ///   - number: the feature's number if the feature may be added more than once; such a feature is
  ///     counted once.
  package mutating func add(_ message: String, number: Int64? = nil) {
    if let number, !numbers.insert(number).inserted { return }
    count += 1
    first = first ?? message
  }

  /// Adds the faults of another list, except the faults of features that are already counted here.
  package mutating func formUnion(_ others: FeatureFaults) {
    count += others.count - others.numbers.intersection(numbers).count
    numbers.formUnion(others.numbers)
    first = first ?? others.first
  }

  /// Removes all faults.
  package mutating func clear() { self = FeatureFaults() }

  /// A warning in one line; nil if there are no faults.
  package var warning: String? {
    guard let first else { return nil }
    guard count > 1 else { return "the shape of a feature cannot be used: \(first)" }
    return "the shapes of \(count) features cannot be used; the first is \(first)"
  }
}
