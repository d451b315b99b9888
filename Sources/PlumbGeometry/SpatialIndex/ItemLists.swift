import PlumbCore

/// A list of items for each of many queries, in the queries' order.
///
/// The lists lie one behind the other in `items`; list `q` is `offsets[q]..<offsets[q + 1]`.
public struct ItemLists: Sendable, Hashable {
  /// Where each list starts, and where the last ends: one more than there are queries.
  public let offsets: [Int]
  /// The items of all lists.
  public let items: [Int32]

  /// How many queries there were.
  public var count: Int { offsets.count - 1 }

  /// The items of one query.
  public subscript(query: Int) -> ArraySlice<Int32> {
    items[offsets[query]..<offsets[query + 1]]
  }
}

/// The lists that jobs of consecutive queries make, each job its own.
final class PartialLists: @unchecked Sendable {
  // Unchecked: each element is written by one job alone.
  private let parts: UnsafeMutableBufferPointer<[Int32]>

  init(jobs: Int) {
    parts = .allocate(capacity: jobs)
    parts.initialize(repeating: [])
  }

  deinit {
    parts.deinitialize()
    parts.deallocate()
  }

  subscript(job: Int) -> [Int32] {
    get { parts[job] }
    set { parts[job] = newValue }
  }

  /// All lists.
  ///
  /// - Parameters:
  ///   - ends: where each query's list ends in its job's.
  ///   - grain: queries in a job.
  func joined(ends: TrivialBuffer<Int>, grain: Int) -> ItemLists {
    var starts = [0]
    for part in parts { starts.append(starts[starts.count - 1] + part.count) }
    let offsets = [Int](unsafeUninitializedCapacity: ends.count + 1) { offsets, filled in
      offsets.initializeElement(at: 0, to: 0)
      for query in 0..<ends.count {
        offsets.initializeElement(at: query + 1, to: starts[query / grain] + ends.base[query])
      }
      filled = ends.count + 1
    }
    let total = starts[starts.count - 1]
    let items = [Int32](unsafeUninitializedCapacity: total) { items, filled in
      for (job, part) in parts.enumerated() {
        _ = items[starts[job]..<starts[job + 1]].initialize(fromContentsOf: part)
      }
      filled = total
    }
    return ItemLists(offsets: offsets, items: items)
  }
}
