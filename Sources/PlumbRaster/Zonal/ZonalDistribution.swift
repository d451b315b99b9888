/// The distinct values of an area's cells with their coverage, for quantiles and modes.
package struct ZonalDistribution: Sendable {
  /// A distinct value.
  package struct Entry: Sendable, Hashable {
    /// The value.
    package var value: Double
    /// The total coverage of the cells with this value.
    package var weight: Double
    /// The total size, in m², of the covered parts of the cells with this value; 0 unless sizes are
    /// needed.
    package var area = 0.0

    /// Creates a value with its coverage.
    package init(value: Double, weight: Double, area: Double = 0) {
      (self.value, self.weight, self.area) = (value, weight, area)
    }
  }

  /// The distinct values in ascending order. If `runs` is not nil, the array contains only the
  /// values that are not in `runs`.
  private var memory: [Entry] = []
  /// The distinct values in a file; nil if no values have been moved to a file.
  private var runs: ZonalRuns?
  /// The totals of `runs`.
  private var knownTotals: Totals?
  /// The values of the cells and their coverage, in the order in which they were read; empty unless
  /// they are kept.
  package private(set) var cells: [Entry] = []
  /// Whether there were more values than allowed. If so, the entries and cells are incomplete.
  package private(set) var isOverLimit = false
  /// The error of writing values to a file; nil if no error occurred. After an error, the values
  /// are incomplete.
  package private(set) var failure: (any Error)?
  private let keepsCells: Bool
  private let entryLimit: Int
  private let spill: Spill?
  private let sketchCount: Int?
  private var entrySort = EntrySort()
  /// A bound on the error of ranks. Each replacement of neighbouring values adds the largest
  /// coverage of a group that was replaced by one value.
  private var replacedWeight = 0.0
  /// The number of entries at which equal values are merged.
  private var limit = Self.leastLimit
  private static let leastLimit = 1 << 16

  /// - Parameters:
  ///   - keepsCells: whether the cells are kept in the order in which they are read.
  ///   - entryLimit: the maximum number of distinct values, and of cells.
  ///   - spill: the file for values that do not fit in memory; nil to keep all values in memory.
  ///   - sketchCount: the number of distinct values above which groups of neighbouring values are
  ///     replaced by one value each, so that quantiles are approximate; nil for exact quantiles.
  ///     Takes precedence over `spill`.
  package init(
    keepsCells: Bool = false, entryLimit: Int = .max, spill: Spill? = nil, sketchCount: Int? = nil
  ) {
    (self.keepsCells, self.entryLimit, self.spill) = (keepsCells, entryLimit, spill)
    self.sketchCount = sketchCount
  }

  /// Determines when and where values are moved to a file.
  package struct Spill: Sendable {
    /// The number of distinct values in memory above which the values are moved.
    package var entryCount: Int
    /// Creates an empty file.
    package var makeFile: @Sendable () throws -> any ZonalSpillFile

    /// Creates a rule for moving values to a file.
    package init(entryCount: Int, makeFile: @escaping @Sendable () throws -> any ZonalSpillFile) {
      (self.entryCount, self.makeFile) = (entryCount, makeFile)
    }
  }

  mutating func removeAll() {
    isOverLimit = false
    (runs, knownTotals, failure, replacedWeight) = (nil, nil, nil, 0)
    cells.removeAll(keepingCapacity: true)
    memory.removeAll(keepingCapacity: true)
    limit = Self.leastLimit
  }

  @inline(__always)
  mutating func add(_ value: Double, weight: Double, area: Double = 0) {
    memory.append(Entry(value: value, weight: weight, area: area))
    if keepsCells { cells.append(Entry(value: value, weight: weight)) }
    if memory.count >= limit { reduce() }
  }

  @inline(never)
  private mutating func reduce() {
    merge()
    if max(memory.count, cells.count) > entryLimit {
      removeAll()
      isOverLimit = true
    }
    limit = max(Self.leastLimit, memory.count * 2)
    if let sketchCount {
      if memory.count * 2 > sketchCount { replaceNeighbours(count: sketchCount / 2) }
      limit = min(limit, max(4, sketchCount))
    } else if let spill {
      if memory.count * 2 > spill.entryCount { moveToFile(spill) }
      limit = min(limit, max(2, spill.entryCount))
    }
  }

  /// Replaces each group of neighbouring values with one value of the group, so that about `count`
  /// values remain.
  private mutating func replaceNeighbours(count: Int) {
    let total = memory.reduce(0) { $0 + $1.weight }
    let limit = 2 * total / Double(max(1, count))
    var kept: [Entry] = []
    var start = 0
    var greatest = 0.0
    while start < memory.count {
      var sum = memory[start]
      var end = start + 1
      while end < memory.count, sum.weight + memory[end].weight <= limit {
        sum.add(memory[end])
        end += 1
      }
      if end > start + 1 {
        greatest = max(greatest, sum.weight)
        sum.value = memory[(start + end) / 2].value
      }
      kept.append(sum)
      start = end
    }
    memory = kept
    replacedWeight += greatest
  }

  /// The maximum error of the rank of a quantile, as a share of the total coverage; 0 for exact
  /// quantiles.
  package var rankError: Double {
    guard replacedWeight > 0 else { return 0 }
    // The position of a value may be anywhere within its coverage.
    let total = memory.reduce(0) { $0 + $1.weight }
    return min(1, (replacedWeight + 2 * total / Double(max(1, (sketchCount ?? 2) / 2))) / total)
  }

  private mutating func moveToFile(_ spill: Spill) {
    do {
      if runs == nil { runs = ZonalRuns(try spill.makeFile()) }
      try runs?.append(memory)
    } catch {
      failure = error
    }
    memory.removeAll(keepingCapacity: true)
  }

  /// Merges equal values. The distribution is then complete.
  mutating func finish() {
    merge()
    if let spill, runs != nil, !memory.isEmpty { moveToFile(spill) }
    if runs != nil { knownTotals = totals }
  }

  private mutating func merge() {
    entrySort.sort(&memory)
    var last = 0
    for index in memory.indices.dropFirst() {
      if memory[index].value == memory[last].value {
        memory[last].add(memory[index])
      } else {
        last += 1
        memory[last] = memory[index]
      }
    }
    if !memory.isEmpty { memory.removeSubrange((last + 1)...) }
  }

  /// Calls a function with each distinct value in ascending order, until it returns false.
  @inline(__always)
  private func forEach(_ body: (Entry) -> Bool) {
    guard let runs else {
      for entry in memory where !body(entry) { return }
      return
    }
    runs.forEach(body)
  }

  /// The distinct values in ascending order, all in memory.
  package var entries: [Entry] {
    guard runs != nil else { return memory }
    var entries: [Entry] = []
    forEach {
      entries.append($0)
      return true
    }
    return entries
  }

  /// The number of distinct values.
  package var variety: Int { runs == nil ? memory.count : totals.count }

  /// The number of distinct values, the sum of their coverage, and the greatest value.
  private struct Totals {
    var count = 0
    var weight = 0.0
    var last: Entry?
  }

  private var totals: Totals {
    if let knownTotals { return knownTotals }
    var totals = Totals()
    forEach {
      totals.count += 1
      totals.weight += $0.weight
      totals.last = $0
      return true
    }
    return totals
  }

  /// The error of reading the file of values; nil if no error occurred.
  package var readFailure: (any Error)? { runs?.failure }

  /// Returns a quantile of the values, weighted by coverage; NaN if there are no values. For n
  /// distinct values v with coverage w, value v(k) is at the position (k − 1) · w(k) + (n − 1) ·
  /// (w(1) + … + w(k − 1)). Between two positions, values are interpolated linearly.
  ///
  /// - Parameter share: the share of the quantile, from 0 to 1.
  package func quantile(_ share: Double) -> Double {
    let totals = totals
    guard let last = totals.last else { return .nan }
    let steps = Double(totals.count - 1)
    let wanted = share * (steps * last.weight + steps * (totals.weight - last.weight))
    var (sum, position, value, index) = (0.0, 0.0, 0.0, 0)
    var found: Double?
    forEach { entry in
      let next = Double(index) * entry.weight + steps * sum
      if next >= wanted {
        if next > position, index > 0 {
          found = value + (entry.value - value) * ((wanted - position) / (next - position))
        } else {
          found = entry.value
        }
        return false
      }
      (position, value) = (next, entry.value)
      sum += entry.weight
      index += 1
      return true
    }
    return found ?? last.value
  }

  /// The value with the largest coverage; if several values have it, the greatest of them. NaN if
  /// there are no values.
  package var majority: Double {
    var found = Entry(value: .nan, weight: -1)
    forEach {
      if $0.weight >= found.weight { found = $0 }
      return true
    }
    return found.value
  }

  /// The value with the smallest coverage; if several values have it, the least of them. NaN if
  /// there are no values.
  package var minority: Double {
    var found = Entry(value: .nan, weight: .infinity)
    forEach {
      if $0.weight < found.weight { found = $0 }
      return true
    }
    return found.value
  }
}

extension ZonalDistribution.Entry {
  /// Adds the coverage of the same value.
  @inline(__always)
  mutating func add(_ other: Self) {
    weight += other.weight
    area += other.area
  }
}
