import PlumbCore

extension SpatialIndex {
  /// Calls `body` with each item whose box intersects a window, in no particular order, until
  /// `body` returns false. Does not allocate memory.
  ///
  /// - Complexity: O(log *n* + *k*) for *k* items, unless many boxes overlap.
  public func visit(
    intersecting low: SIMD2<Double>, _ high: SIMD2<Double>, _ body: (_ item: Int) -> Bool
  ) {
    guard low.x <= high.x && low.y <= high.y else { return }
    withTree { tree in
      tree.visit(BoxTree.window(low, high)) { body(Int(tree.items[$0])) }
    }
  }

  /// The items whose boxes intersect a window, ascending; none if the window is empty.
  public func items(intersecting window: Envelope) -> [Int] {
    items(
      intersecting: SIMD2(window.xMin, window.yMin), SIMD2(window.xMax, window.yMax))
  }

  /// The items whose boxes intersect a window.
  ///
  /// - Parameters:
  ///   - low: the least x and y of the window.
  ///   - high: the greatest x and y of the window.
  ///   - ascending: whether to sort the items; otherwise they are in any order.
  public func items(
    intersecting low: SIMD2<Double>, _ high: SIMD2<Double>, ascending: Bool = true
  ) -> [Int] {
    var result: [Int] = []
    visit(intersecting: low, high) { item in
      result.append(item)
      return true
    }
    if ascending { result.sort() }
    return result
  }

  /// The items whose boxes contain a point, or have the point on a side; ascending.
  public func items(at point: SIMD2<Double>) -> [Int] {
    items(intersecting: point, point)
  }

  /// The items whose boxes contain each of many points, ascending.
  ///
  /// - Precondition: `x` and `y` have the same count, below 2³¹.
  public func items(
    atEach x: [Double], _ y: [Double], workers: Workers = Workers()
  ) -> ItemLists {
    precondition(x.count == y.count, "x and y differ in count")
    return x.withUnsafeBufferPointer { x in
      y.withUnsafeBufferPointer { y in
        PointGroups(x: x, y: y, workers: workers)
          .lists(self) { _, group, hits in hits.count }
      }
    }
  }

  /// The items whose boxes intersect each of many windows, ascending; none for an empty window.
  ///
  /// - Precondition: `low` and `high` have the same count, below 2³¹.
  public func items(
    intersectingEach low: [SIMD2<Double>], _ high: [SIMD2<Double>], workers: Workers = Workers()
  ) -> ItemLists {
    precondition(low.count == high.count, "low and high differ in count")
    let batch = QueryBatch(low.count, workers: workers) { low[$0] * 0.5 + high[$0] * 0.5 }
    return withTree { tree in
      let tree = SharedPointer(tree)
      return batch.lists({}) { query, _, items in
        let (low, high) = (low[query], high[query])
        guard low.x <= high.x && low.y <= high.y else { return }
        let start = items.count
        let tree = tree.pointer
        tree.visit(BoxTree.window(low, high)) { leaf in
          items.append(tree.items[leaf])
          return true
        }
        items[start...].sort()
      }
    }
  }
}
