import PlumbCore

/// The areas of a locator.
struct AreaParts: Sendable {
  let locator: PolygonLocator
  /// The item of each polygon; nil if polygon and item indices are the same.
  let items: TrivialBuffer<Int32>?
  let box: SIMD4<Double>

  private static let nothing: PolygonLocator = {
    do { return try PolygonLocator([]) } catch { preconditionFailure("an empty list is valid") }
  }()

  init(_ polygons: [Polygon], items: [Int32]?, _ workers: Workers) {
    // The initializer cannot fail, because all coordinates are finite.
    locator = (try? PolygonLocator(polygons, workers: workers)) ?? Self.nothing
    self.items = items.map { TrivialBuffer($0) }
    box = locator.store.box
  }

  @inline(__always)
  func item(_ element: Int) -> Int { items.map { Int($0.base[element]) } ?? element }
}

/// The lines of a locator, as unclosed rings.
struct LineParts: Sendable {
  let index: SpatialIndex
  let store: RingStore
  /// The item of each line; nil if line and item indices are the same.
  let items: TrivialBuffer<Int32>?
  let box: SIMD4<Double>

  init(_ paths: [Polygon], items: [Int32]?, _ workers: Workers) {
    let locator = AreaParts(paths, items: items, workers)
    (index, store, box) = (locator.locator.index, locator.locator.store, locator.box)
    self.items = locator.items
  }

  @inline(__always)
  func item(_ element: Int) -> Int { items.map { Int($0.base[element]) } ?? element }

  /// A filter that keeps the points that are on a line.
  var filter: PointGroups.Filter {
    { line, group, hits in
      var kept = 0
      for hit in hits {
        let point = SIMD2(group.x[Int(hit)], group.y[Int(hit)])
        if store.isOnEdge(point, ofShape: line) {
          hits[kept] = hit
          kept &+= 1
        }
      }
      return kept
    }
  }
}

/// The points of a locator.
struct PointParts: Sendable {
  let index: SpatialIndex
  let points: TrivialBuffer<SIMD2<Double>>
  /// The item of each point.
  let items: TrivialBuffer<Int32>
  let box: SIMD4<Double>

  init(_ points: [SIMD2<Double>], items: [Int32], _ workers: Workers) {
    let buffer = TrivialBuffer(points)
    (self.points, self.items) = (buffer, TrivialBuffer(items))
    index = SpatialIndex(count: points.count, workers: workers) {
      SIMD4(lowHalf: buffer.base[$0], highHalf: -buffer.base[$0])
    }
    var box = SIMD4<Double>(repeating: .infinity)
    for point in points { box = pointwiseMin(box, SIMD4(lowHalf: point, highHalf: -point)) }
    self.box = box
  }

  @inline(__always)
  func item(_ element: Int) -> Int { Int(items.base[element]) }
}

extension RingStore {
  /// The extent of all shapes, as (xMin, yMin, −xMax, −yMax).
  fileprivate var box: SIMD4<Double> {
    var box = SIMD4<Double>(repeating: .infinity)
    for shape in shapes.pointer where !SpatialIndex.isEmpty(shape.box) {
      box = pointwiseMin(box, shape.box)
    }
    return box
  }
}
