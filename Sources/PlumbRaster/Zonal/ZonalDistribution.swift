/// The distinct values of an area's cells with their coverage, for quantiles and modes.
package struct ZonalDistribution: Sendable {
  /// A distinct value.
  package struct Entry: Sendable, Hashable {
    /// The value.
    package var value: Double
    /// The sum of the coverage of its cells.
    package var weight: Double
    /// The size of the covered parts of its cells in m²; 0 unless sizes are needed.
    package var area = 0.0

    /// Creates a value with its coverage.
    package init(value: Double, weight: Double, area: Double = 0) {
      (self.value, self.weight, self.area) = (value, weight, area)
    }
  }

  /// The distinct values in ascending order.
  package private(set) var entries: [Entry] = []
  /// The values of the cells and their coverage, in the order in which they were read; empty unless they are
  /// kept.
  package private(set) var cells: [Entry] = []
  /// Whether there were more values than allowed; the entries and cells are then incomplete.
  package private(set) var isOverLimit = false
  private let keepsCells: Bool
  private let entryLimit: Int
  /// The number of entries at which equal values are merged.
  private var limit = Self.leastLimit
  private static let leastLimit = 1 << 16

  /// - Parameters:
  ///   - keepsCells: whether the cells are kept in their order.
  ///   - entryLimit: the maximum number of distinct values, and of cells.
  package init(keepsCells: Bool = false, entryLimit: Int = .max) {
    (self.keepsCells, self.entryLimit) = (keepsCells, entryLimit)
  }

  mutating func removeAll() {
    isOverLimit = false
    cells.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    limit = Self.leastLimit
  }

  @inline(__always)
  mutating func add(_ value: Double, weight: Double, area: Double = 0) {
    entries.append(Entry(value: value, weight: weight, area: area))
    if keepsCells { cells.append(Entry(value: value, weight: weight)) }
    if entries.count >= limit {
      finish()
      if max(entries.count, cells.count) > entryLimit {
        removeAll()
        isOverLimit = true
      }
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
        entries[last].area += entries[index].area
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
