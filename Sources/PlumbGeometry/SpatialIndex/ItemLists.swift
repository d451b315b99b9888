import PlumbCore

/// A list of items for each of many queries, in the queries' order.
///
/// The lists are concatenated in `items`; list `q` is `offsets[q]..<offsets[q + 1]`.
public struct ItemLists: Sendable, Hashable {
  /// The start of each list in `items`, followed by the end of the last list: one more element than
  /// there are queries.
  public let offsets: [Int]
  /// The items of all lists.
  public let items: [Int32]

  package init(offsets: [Int], items: [Int32]) {
    self.offsets = offsets
    self.items = items
  }

  /// The number of queries.
  public var count: Int { offsets.count - 1 }

  /// The items of one query.
  public subscript(query: Int) -> ArraySlice<Int32> {
    items[offsets[query]..<offsets[query + 1]]
  }
}

/// Computes the lists of many queries on several threads. Neighbouring queries are processed one
/// after another, because they read the same nodes.
struct QueryBatch {
  private static let grain = 512

  let workers: Workers
  /// The queries in the order of the Hilbert curve, with their indices in the lower 32 bits.
  private let order: TrivialBuffer<UInt64>

  /// - Parameter point: the location of a query.
  init(_ count: Int, workers: Workers, point: @Sendable (Int) -> SIMD2<Double>) {
    self.workers = workers
    order = CurveOrder.order(count, finest: Self.grain, workers: workers, point: point)
  }

  /// The lists in the order of the queries.
  ///
  /// - Parameters:
  ///   - state: creates the scratch memory of a job.
  ///   - search: appends the items of a query to its list.
  func lists<State>(
    _ state: @Sendable () -> State,
    _ search: @Sendable (_ query: Int, _ state: inout State, _ items: inout [Int32]) -> Void
  ) -> ItemLists {
    let count = order.count
    let order = order
    let counts = TrivialBuffer<Int>(count: count)
    let parts = workers.mapRanges(count, grain: Self.grain) { _, range in
      var state = state()
      var items: [Int32] = []
      // If the work is cancelled, its lists are never returned, so skip the queries.
      let isWanted = !WorkCancellation.isCurrentCancelled
      for position in range where !isWanted {
        counts.base[Int(order.base[position] & 0xffff_ffff)] = 0
      }
      for position in range where isWanted {
        let start = items.count
        let query = Int(order.base[position] & 0xffff_ffff)
        search(query, &state, &items)
        counts.base[query] = items.count - start
      }
      return items
    }
    let offsets = [Int](unsafeUninitializedCapacity: count + 1) { offsets, filled in
      offsets.initializeElement(at: 0, to: 0)
      for query in 0..<count {
        offsets.initializeElement(at: query + 1, to: offsets[query] + counts.base[query])
      }
      filled = count + 1
    }
    let total = offsets[count]
    let items = [Int32](unsafeUninitializedCapacity: total) { items, filled in
      let target = SharedPointer(items)
      workers.runRanges(count, grain: Self.grain) { _, range in
        let part = parts[range.lowerBound / Self.grain]
        var next = 0
        for position in range {
          let query = Int(order.base[position] & 0xffff_ffff)
          let end = next + counts.base[query]
          _ = target.pointer[offsets[query]..<offsets[query + 1]]
            .initialize(fromContentsOf: part[next..<end])
          next = end
        }
      }
      filled = total
    }
    return ItemLists(offsets: offsets, items: items)
  }
}
