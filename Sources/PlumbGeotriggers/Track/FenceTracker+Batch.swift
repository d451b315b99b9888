import PlumbCore
import PlumbGeometry

/// The points of a batch in the fences' CRS.
struct BatchPoints {
  let x: [Double]
  let y: [Double]

  /// The number of rows below which each row is searched separately.
  private static let fewRows = 128

  init(
    _ batch: LocationBatch, _ fences: FenceSet,
    _ tools: @autoclosure () -> WorkerStates<FenceProbe.Tools>, _ workers: Workers
  ) {
    guard fences.isTransformed else {
      (x, y) = (batch.x, batch.y)
      return
    }
    let tools = tools()
    var (x, y) = (batch.x, batch.y)
    unsafe x.withUnsafeMutableBufferPointer { x in
      unsafe y.withUnsafeMutableBufferPointer { y in
        // The ranges of the workers do not overlap.
        let columns = unsafe SharedPointer((x, y))
        workers.runRanges(x.count, grain: 4096) { worker, range in
          let (x, y) = unsafe columns.pointer
          guard let first = x.baseAddress, let second = y.baseAddress else { return }
          unsafe tools[worker].transformation?.apply(
            x: first + range.lowerBound, y: second + range.lowerBound, count: range.count)
          for row in range where unsafe !x[row].isFinite || !y[row].isFinite {
            unsafe (x[row], y[row]) = (.nan, .nan)
          }
        }
      }
    }
    (self.x, self.y) = (x, y)
  }

  /// Returns the fences that contain each point, for a set whose only fence is a raster region.
  static func containing(_ answers: [RegionAnswer]) -> ItemLists {
    var offsets = [0]
    var items: [Int32] = []
    for answer in answers {
      if answer == .inside { items.append(0) }
      offsets.append(items.count)
    }
    return ItemLists(offsets: offsets, items: items)
  }

  /// Returns the fences whose buffers may contain each point; nil if these fences cannot be
  /// determined, or if a search for all points is not faster.
  func near(_ fences: FenceSet, _ workers: Workers) -> ItemLists? {
    guard x.count >= Self.fewRows, let boxes = fences.searchBoxes() else { return nil }
    return boxes.items(atEach: x, y, workers: workers)
  }

  /// Returns the fences that contain each point, without a buffer.
  func containing(_ fences: FenceSet, _ workers: Workers) -> ItemLists {
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

/// The fences of each row of a batch that are known before the row's entity is processed.
struct KnownFences {
  /// The fences of each row, ascending.
  var lists: ItemLists
  /// Whether the listed fences contain the location. If false, the listed fences may contain the
  /// location, and all other fences do not contain it.
  var isExact: Bool
}

/// The valid rows of a batch, divided into jobs. Each job contains all rows of its entities, in
/// order.
struct SortedRows {
  /// A row's number, and the slot of its entity's state.
  struct Row {
    var row: Int32
    var slot: Int32
  }

  /// The start of each job's rows, followed by the end of the last job's rows.
  var starts: [Int] = [0]
  var rows: [Row] = []
  /// The feed's clock at each row of the batch; empty if it is not needed.
  var clocks: [Int64?] = []

  var jobCount: Int { starts.count - 1 }

  /// - Parameters:
  ///   - groups: the entity of each row of the batch, numbered in the order of occurrence; −1 for a
  ///     row that is not a location.
  ///   - counts: the number of rows of each entity.
  ///   - slots: the slot of each entity's state.
  ///   - grain: the minimum number of rows of a job, except the last.
  mutating func sort(_ groups: [Int32], counts: [Int], slots: [Int32], grain: Int) {
    var jobs: [Int32] = []
    jobs.reserveCapacity(counts.count)
    var size = 0
    for (group, count) in counts.enumerated() {
      jobs.append(Int32(truncatingIfNeeded: starts.count - 1))
      size += count
      if size >= grain || group == counts.count - 1 {
        starts.append(starts[starts.count - 1] + size)
        size = 0
      }
    }
    var next = starts
    rows = Array(repeating: Row(row: 0, slot: 0), count: starts[starts.count - 1])
    for row in groups.indices where groups[row] >= 0 {
      let group = Int(groups[row])
      let job = Int(jobs[group])
      rows[next[job]] = Row(row: Int32(truncatingIfNeeded: row), slot: slots[group])
      next[job] += 1
    }
  }
}

extension FenceTracker {
  /// Sorts the rows, and adds issues for rows that are not locations.
  ///
  /// - Parameter grain: the minimum number of rows of a job, except the last.
  func sortedRows(
    _ batch: LocationBatch, _ answers: [RegionAnswer]?, grain: Int, _ issues: inout [FenceIssue]
  ) -> SortedRows {
    var result = SortedRows()
    let needsClock = rules.forgetsAfter != nil
    if needsClock { result.clocks.reserveCapacity(batch.count) }
    var groups: [Int32] = Array(repeating: -1, count: batch.count)
    var (counts, slots): ([Int], [Int32]) = ([], [])
    // The loop uses a local copy of the property, because Swift would check each access to the
    // property for exclusivity.
    var groupOfSlot: [Int32] = []
    swap(&groupOfSlot, &self.groupOfSlot)
    let table = table
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
        var group = Int(groupOfSlot[slot])
        if group < 0 {
          group = counts.count
          groupOfSlot[slot] = Int32(truncatingIfNeeded: group)
          counts.append(0)
          slots.append(Int32(truncatingIfNeeded: slot))
        }
        groups[row] = Int32(truncatingIfNeeded: group)
        counts[group] += 1
        if needsClock { clock.see(entity, batch.time[row]) }
      }
      if needsClock { result.clocks.append(clock.time) }
    }
    for slot in slots { groupOfSlot[Int(slot)] = -1 }
    swap(&groupOfSlot, &self.groupOfSlot)
    result.sort(groups, counts: counts, slots: slots, grain: grain)
    return result
  }

  private static func issue(_ entity: Int32, _ x: Double, _ y: Double) -> FenceIssue.Kind? {
    if entity < 0 { return .badEntity }
    // The comparisons are false for NaN, so NaN is a bad point.
    return x.magnitude <= 360 && y.magnitude <= 90 ? nil : .badPoint
  }
}
