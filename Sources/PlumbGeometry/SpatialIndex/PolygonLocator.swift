import PlumbCore

/// Finds the polygons that contain each of many points, with exact arithmetic: a point is on an
/// edge only if it is exactly on the straight line between the edge's two vertices.
///
/// A point is inside if a ray from it crosses the polygon's edges an odd number of times, all rings
/// of all parts counted together (even-odd). For valid polygons, this is the OGC's rule. The
/// even-odd rule also defines the interior for rings that cross themselves, holes outside their
/// ring and overlapping parts, with the same results as GEOS's prepared geometries. A point on any
/// edge is on the boundary. The parts of holes beyond the bounding box of the exterior rings are
/// ignored.
///
/// The locator keeps a copy of the vertices, 16 bytes each, and finds candidates with a
/// `SpatialIndex`. Items are the indices of the polygons; an empty polygon is never found. All
/// coordinates are in one CRS, and edges are straight lines in this CRS.
///
/// ```swift
/// let locator = try PolygonLocator(districts)
/// let found = locator.polygons(atEach: x, y)
/// for district in found[0] { … }
/// ```
public struct PolygonLocator: Sendable {
  /// The condition for a point to belong to a polygon.
  public enum Relation: Sendable, Hashable {
    /// Points in the interior or on the boundary.
    case intersects
    /// Only points in the interior.
    case contains
  }

  /// The position of a point relative to a polygon.
  public enum Location: Sendable, Hashable {
    /// Inside; on an exterior ring or on the ring of a hole; outside.
    case interior, boundary, exterior
  }

  /// Polygons with more vertices than this number have bounding boxes for chains of edges.
  static let maximumVerticesWithoutChains = 128

  /// The index of the polygons' boxes.
  public let index: SpatialIndex
  let store: RingStore

  /// - Precondition: fewer than 2³¹ polygons.
  /// - Throws: `GeometryError` with the polygon's index if a coordinate is not a finite number.
  public init(_ polygons: [Polygon], workers: Workers = Workers()) throws(GeometryError) {
    let store = try RingStore(polygons, workers: workers)
    self.store = store
    index = SpatialIndex(count: polygons.count, workers: workers) { store.shapes.base[$0].box }
  }

  /// The number of polygons, including empty polygons.
  public var count: Int { index.count }

  /// The position of a point relative to one polygon; exterior if a coordinate is NaN.
  ///
  /// - Precondition: the polygon's index is from 0 to below `count`.
  public func location(of point: SIMD2<Double>, inPolygon polygon: Int) -> Location {
    precondition(polygon >= 0 && polygon < count, "there is no such polygon")
    let box = store.shapes.base[polygon].box
    guard all(box .<= BoxTree.window(point, point)) else { return .exterior }
    return store.location(point, in: polygon)
  }

  /// The polygons that a point belongs to, ascending.
  public func polygons(
    at point: SIMD2<Double>, relation: Relation = .intersects
  ) -> [Int] {
    var result: [Int] = []
    index.visit(intersecting: point, point) { polygon in
      if store.location(point, in: polygon).belongs(relation) { result.append(polygon) }
      return true
    }
    result.sort()
    return result
  }

  /// The polygons that each of many points belongs to, ascending; none for a point with a NaN
  /// coordinate.
  ///
  /// The result does not depend on the number of workers.
  ///
  /// - Precondition: `x` and `y` have the same count, below 2³¹.
  public func polygons(
    atEach x: [Double], _ y: [Double], relation: Relation = .intersects,
    workers: Workers = Workers()
  ) -> ItemLists {
    withGroups(x, y, workers) { $0.lists(index, filter(relation)) }
  }

  /// The first polygon, in the order of the list, that each of many points belongs to; −1 if there
  /// is none.
  ///
  /// - Precondition: `x` and `y` have the same count, below 2³¹.
  public func firstPolygon(
    atEach x: [Double], _ y: [Double], relation: Relation = .intersects,
    workers: Workers = Workers()
  ) -> [Int32] {
    withGroups(x, y, workers) { $0.first(index, filter(relation)) }
  }

  private func withGroups<Result>(
    _ x: [Double], _ y: [Double], _ workers: Workers, _ body: (PointGroups) -> Result
  ) -> Result {
    precondition(x.count == y.count, "x and y differ in count")
    return x.withUnsafeBufferPointer { x in
      y.withUnsafeBufferPointer { y in body(PointGroups(x: x, y: y, workers: workers)) }
    }
  }

  func filter(_ relation: Relation) -> PointGroups.Filter {
    { polygon, group, hits in
      var kept = 0
      for hit in hits {
        let point = SIMD2(group.x[Int(hit)], group.y[Int(hit)])
        if store.location(point, in: polygon).belongs(relation) {
          hits[kept] = hit
          kept &+= 1
        }
      }
      return kept
    }
  }
}

extension PolygonLocator.Location {
  @inline(__always)
  func belongs(_ relation: PolygonLocator.Relation) -> Bool {
    self == .interior || self == .boundary && relation == .intersects
  }
}
