import PlumbCore

extension SpatialIndex {
  /// An item and how far it is.
  public struct Neighbour: Sendable, Hashable {
    /// Its number in the index.
    public var item: Int
    /// In the unit of the coordinates, unless a closure measured it.
    public var distance: Double

    /// An item at a distance.
    public init(item: Int, distance: Double) {
      self.item = item
      self.distance = distance
    }
  }

  /// The items nearest to a point, nearest first; of those equally far, the lowest item first.
  ///
  /// - Parameters:
  ///   - point: x and y in the index's coordinates.
  ///   - count: how many items to find at most.
  ///   - maximumDistance: farther items are left out.
  ///   - distance: measures an item where its box is not exact enough; never less than the distance
  ///     to its box. NaN leaves the item out. Nil measures to the boxes: 0 inside.
  /// - Returns: none for a point that is not a number.
  /// - Complexity: about O(*count* · log *n*); few more items are measured than are found.
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
  ///   - count: how many items to find for each point at most.
  ///   - maximumDistance: farther items are left out.
  ///   - workers: the threads that share the work.
  /// - Returns: a list a point, nearest first; of those equally far, the lowest item first.
  /// - Precondition: as many `y` as `x`, fewer than 2³¹.
  public func nearest(
    toEach x: [Double], _ y: [Double], count: Int = 1,
    within maximumDistance: Double = .infinity, workers: Workers = Workers()
  ) -> ItemLists {
    precondition(x.count == y.count, "as many y as x")
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

  /// The items within a distance of a point, ascending; those at the distance are among them.
  ///
  /// - Parameters:
  ///   - maximumDistance: in the unit of the coordinates; none for a negative one.
  ///   - point: x and y in the index's coordinates.
  ///   - distance: measures an item where its box is not exact enough; never less than the distance
  ///     to its box. Nil measures to the boxes.
  public func items(
    within maximumDistance: Double, of point: SIMD2<Double>,
    distance: ((_ item: Int) -> Double)? = nil
  ) -> [Int] {
    guard maximumDistance >= 0, !point.x.isNaN, !point.y.isNaN else { return [] }
    let boxRadius = distance == nil ? maximumDistance : roundedRadius(maximumDistance)
    // The window reaches a little farther, for the sums are rounded.
    let searchRadius = SIMD2(repeating: roundedRadius(maximumDistance))
    var (low, high) = (point - searchRadius, point + searchRadius)
    // An infinite point and an infinite distance: whatever the point is, it decides below.
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
