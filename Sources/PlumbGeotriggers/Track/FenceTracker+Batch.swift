import PlumbCore
import PlumbGeometry

/// The places of a batch in the fences' reference.
struct BatchPlaces {
  let x: [Double]
  let y: [Double]

  /// Batches of fewer rows are asked about row by row.
  private static let fewRows = 128

  init(
    _ batch: LocationBatch, _ fences: FenceSet, _ tools: @autoclosure () -> [FenceProbe.Tools],
    _ workers: Workers
  ) {
    guard fences.isTransformed else {
      (x, y) = (batch.x, batch.y)
      return
    }
    let tools = tools()
    var (x, y) = (batch.x, batch.y)
    x.withUnsafeMutableBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in
        // Ranges have no row in common.
        nonisolated(unsafe) let (x, y) = (x, y)
        workers.runRanges(x.count, grain: 4096) { worker, range in
          guard let first = x.baseAddress, let second = y.baseAddress else { return }
          tools[worker].transformation?.apply(
            x: first + range.lowerBound, y: second + range.lowerBound, count: range.count)
          for row in range where !x[row].isFinite || !y[row].isFinite {
            (x[row], y[row]) = (.nan, .nan)
          }
        }
      }
    }
    (self.x, self.y) = (x, y)
  }

  /// The one fence of a region where it holds a place.
  static func held(_ answers: [RegionAnswer]) -> ItemLists {
    var offsets = [0]
    var items: [Int32] = []
    for answer in answers {
      if answer == .inside { items.append(0) }
      offsets.append(items.count)
    }
    return ItemLists(offsets: offsets, items: items)
  }

  /// The fences that hold each place, without a buffer.
  func held(_ fences: FenceSet, _ workers: Workers) -> ItemLists {
    guard x.count < Self.fewRows else {
      return fences.locator.items(atEach: x, y, workers: workers)
    }
    var offsets = [0]
    var items: [Int32] = []
    for row in x.indices {
      for item in fences.locator.items(at: SIMD2(x[row], y[row])) {
        items.append(Int32(truncatingIfNeeded: item))
      }
      offsets.append(items.count)
    }
    return ItemLists(offsets: offsets, items: items)
  }
}

/// The good rows of a batch by entity, in the order in which the entities come.
struct SortedRows {
  /// The slot of each entity.
  var slots: [Int32] = []
  /// Where each entity's rows start, and where the last's end.
  var starts: [Int] = []
  var rows: [Int32] = []
  /// The feed's clock at each row of the batch; empty when it is not asked for.
  var clocks: [Int64?] = []

  func rows(ofGroup group: Int) -> ArraySlice<Int32> { rows[starts[group]..<starts[group + 1]] }

  /// Ranges of entities of about as many rows.
  func jobs(grain: Int) -> [Range<Int>] {
    var jobs: [Range<Int>] = []
    var first = 0
    for group in slots.indices where starts[group + 1] - starts[first] >= grain {
      jobs.append(first..<group + 1)
      first = group + 1
    }
    if first < slots.count { jobs.append(first..<slots.count) }
    return jobs
  }
}

extension FenceTracker {
  /// Sorts the rows, and says which are no fixes.
  func sortedRows(
    _ batch: LocationBatch, _ answers: [RegionAnswer]?, _ issues: inout [FenceIssue]
  ) -> SortedRows {
    var result = SortedRows()
    let needsClock = rules.forgetsAfter != nil
    if needsClock { result.clocks.reserveCapacity(batch.count) }
    var groups: [Int32] = Array(repeating: -1, count: batch.count)
    var counts: [Int] = []
    for row in 0..<batch.count {
      let entity = batch.entity[row]
      let kind =
        Self.issue(entity, batch.x[row], batch.y[row])
        ?? (answers?[row] == .unknown ? .unknown : nil)
      if let kind {
        issues.append(
          FenceIssue(
            kind: kind, row: row, index: batch.index.isEmpty ? row : batch.index[row],
            entity: entity))
      } else {
        let slot = Int(table.slot(of: entity))
        while groupOfSlot.count <= slot { groupOfSlot.append(-1) }
        if groupOfSlot[slot] < 0 {
          groupOfSlot[slot] = Int32(truncatingIfNeeded: counts.count)
          counts.append(0)
          result.slots.append(Int32(truncatingIfNeeded: slot))
        }
        groups[row] = groupOfSlot[slot]
        counts[Int(groupOfSlot[slot])] += 1
        if needsClock { clock.see(entity, batch.time[row]) }
      }
      if needsClock { result.clocks.append(clock.time) }
    }
    for slot in result.slots { groupOfSlot[Int(slot)] = -1 }
    result.starts = counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    var next = result.starts
    result.rows = Array(repeating: 0, count: result.starts[counts.count])
    for row in 0..<batch.count where groups[row] >= 0 {
      let group = Int(groups[row])
      result.rows[next[group]] = Int32(truncatingIfNeeded: row)
      next[group] += 1
    }
    return result
  }

  private static func issue(_ entity: Int32, _ x: Double, _ y: Double) -> FenceIssue.Kind? {
    if entity < 0 { return .badEntity }
    // Not so for what is not a number.
    return x.magnitude <= 360 && y.magnitude <= 90 ? nil : .badPlace
  }
}
