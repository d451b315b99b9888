/// The distinct values of an area's cells with their coverage, for quantiles and modes.
package struct ZonalDistribution: Sendable {
  /// A distinct value.
  package struct Entry: Sendable, Hashable {
    /// The value.
    package var value: Double
    /// The sum of the coverage of its cells.
    package var weight: Double

    /// Creates a value with its coverage.
    package init(value: Double, weight: Double) { (self.value, self.weight) = (value, weight) }
  }

  /// The distinct values in ascending order.
  package private(set) var entries: [Entry] = []
  /// The values of the cells and their coverage, in the order in which they were read; empty unless they are
  /// kept.
  package private(set) var cells: [Entry] = []
  private let keepsCells: Bool
  /// The number of entries at which equal values are merged.
  private var limit = Self.leastLimit
  private static let leastLimit = 1 << 16

  /// - Parameter keepsCells: whether the cells are kept in their order.
  package init(keepsCells: Bool = false) { self.keepsCells = keepsCells }

  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    limit = Self.leastLimit
  }

  @inline(__always)
  mutating func add(_ value: Double, weight: Double) {
    entries.append(Entry(value: value, weight: weight))
    if keepsCells { cells.append(Entry(value: value, weight: weight)) }
    if entries.count >= limit {
      finish()
      limit = max(Self.leastLimit, entries.count * 2)
    }
  }

  /// Merges equal values.
  mutating func finish() {
    entries.sort { $0.value < $1.value }
    var last = 0
    for index in entries.indices.dropFirst() {
      if entries[index].value == entries[last].value {
        entries[last].weight += entries[index].weight
      } else {
        last += 1
        entries[last] = entries[index]
      }
    }
    if !entries.isEmpty { entries.removeSubrange((last + 1)...) }
  }

  /// Returns a quantile of the values, weighted by coverage: for n distinct values v with the coverage w, value
  /// k is at the position (k − 1) · w(k) + (n − 1) · (w(1) + … + w(k − 1)), and values between two positions
  /// are interpolated linearly. NaN without values.
  ///
  /// - Parameter share: from 0 to 1.
  package func quantile(_ share: Double) -> Double {
    guard let last = entries.last else { return .nan }
    let steps = Double(entries.count - 1)
    let before = entries.dropLast().reduce(0) { $0 + $1.weight }
    let wanted = share * (steps * last.weight + steps * before)
    var (sum, position, value) = (0.0, 0.0, entries[0].value)
    for (index, entry) in entries.enumerated() {
      let next = Double(index) * entry.weight + steps * sum
      if next >= wanted {
        guard next > position, index > 0 else { return entry.value }
        let part = (wanted - position) / (next - position)
        return value + (entry.value - value) * part
      }
      (position, value) = (next, entry.value)
      sum += entry.weight
    }
    return last.value
  }

  /// The value with the greatest coverage, the greatest of several; NaN without values.
  package var majority: Double {
    var found = Entry(value: .nan, weight: -1)
    for entry in entries where entry.weight >= found.weight { found = entry }
    return found.value
  }

  /// The value with the least coverage, the least of several; NaN without values.
  package var minority: Double {
    var found = Entry(value: .nan, weight: .infinity)
    for entry in entries where entry.weight < found.weight { found = entry }
    return found.value
  }
}
