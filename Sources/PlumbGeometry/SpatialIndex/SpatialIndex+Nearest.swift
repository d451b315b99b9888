import PlumbCore

extension SpatialIndex {
  /// An item and its distance.
  public struct Neighbour: Sendable, Hashable {
    /// The item's index.
    public var item: Int
    /// The distance, in the unit of the coordinates or of the closure that measured it.
    public var distance: Double

    /// Creates a neighbour at a distance.
    public init(item: Int, distance: Double) {
      self.item = item
      self.distance = distance
    }
  }

  /// The items nearest to a point, nearest first; items at the same distance are in ascending
  /// order.
  ///
  /// - Parameters:
  ///   - point: x and y in the index's coordinates.
  ///   - count: the maximum number of items.
  ///   - maximumDistance: the greatest distance; farther items are omitted.
  ///   - distance: a function that measures the exact distance to an item, which must not be less
  ///     than the distance to the item's box; NaN omits the item. If the function is nil, the
  ///     distance to the box is used, which is 0 inside the box.
  /// - Returns: the items; none for a point with a NaN coordinate.
  /// - Complexity: about O(*count* · log *n*); only a few more items are measured than are
  ///   returned.
  public func nearest(
    to point: SIMD2<Double>, count: Int = 1, within maximumDistance: Double = .infinity,
    distance: ((_ item: Int) -> Double)? = nil
  ) -> [Neighbour] {
    var search = NearestSearch()
    var result: [Neighbour] = []
    withTree { tree in
      search.run(tree, point, count, maximumDistance, distance) { result.append($0) }
    }
    return result
  }

  /// The items whose boxes are nearest to each of many points.
  ///
  /// - Parameters:
  ///   - x: easting or longitude of each point.
  ///   - y: northing or latitude of each point.
  ///   - count: the maximum number of items for each point.
  ///   - maximumDistance: the greatest distance; farther items are omitted.
  ///   - workers: the threads that share the work.
  /// - Returns: a list per point, nearest first; items at the same distance are in ascending order.
  /// - Precondition: `x` and `y` have the same count, below 2³¹.
  public func nearest(
    toEach x: [Double], _ y: [Double], count: Int = 1,
    within maximumDistance: Double = .infinity, workers: Workers = Workers()
  ) -> ItemLists {
    precondition(x.count == y.count, "x and y differ in count")
    let batch = QueryBatch(x.count, workers: workers) { SIMD2(x[$0], y[$0]) }
    return withTree { tree in
      let tree = SharedPointer(tree)
      return batch.lists({ NearestSearch() }) { query, search, items in
        search.run(tree.pointer, SIMD2(x[query], y[query]), count, maximumDistance, nil) {
          items.append(Int32(truncatingIfNeeded: $0.item))
        }
      }
    }
  }

  /// The items whose distance from a point is at most `maximumDistance`, ascending.
  ///
  /// - Parameters:
  ///   - maximumDistance: the distance in the unit of the coordinates; if it is negative, there are
  ///     no items.
  ///   - point: x and y in the index's coordinates.
  ///   - distance: a function that measures the exact distance to an item, which must not be less
  ///     than the distance to the item's box. If the function is nil, the distance to the box is
  ///     used.
  public func items(
    within maximumDistance: Double, of point: SIMD2<Double>,
    distance: ((_ item: Int) -> Double)? = nil
  ) -> [Int] {
    guard maximumDistance >= 0, !point.x.isNaN, !point.y.isNaN else { return [] }
    let boxRadius = distance == nil ? maximumDistance : roundedRadius(maximumDistance)
    // The window is slightly larger than the distance, because the sums are rounded.
    let searchRadius = SIMD2(repeating: roundedRadius(maximumDistance))
    var (low, high) = (point - searchRadius, point + searchRadius)
    // An infinite distance accepts all windows; infinite coordinates are handled below.
    if searchRadius.x == .infinity { (low, high) = (-searchRadius, searchRadius) }
    var result: [Int] = []
    withTree { tree in
      tree.visit(
        BoxTree.window(
          SIMD2(low.x.nextDown, low.y.nextDown), SIMD2(high.x.nextUp, high.y.nextUp))
      ) { leaf in
        let item = Int(tree.items[leaf])
        if boxDistance(tree.boxes[leaf], point) <= boxRadius,
          distance.map({ $0(item) <= maximumDistance }) ?? true
        {
          result.append(item)
        }
        return true
      }
    }
    result.sort()
    return result
  }
}
