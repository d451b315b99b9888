import PlumbCore

/// Finds the polygons that hold each of many points, with the answers of exact arithmetic: a point
/// is on an edge when it is on the straight line between the edge's two vertices, and nowhere near
/// it.
///
/// A point is inside when a ray from it crosses the polygon's edges an odd number of times, all
/// rings of all parts counted together (even-odd). For valid polygons this is the OGC's rule; it
/// also says what a ring that crosses itself, a hole outside its ring or a part over another one
/// holds, and is what GEOS's prepared geometries say. A point on any edge is on the boundary. What
/// a hole holds beyond the box round the exterior rings does not count.
///
/// It keeps a copy of the vertices, 16 bytes each, and finds candidates by a `SpatialIndex`. Items
/// are the indices of the polygons; an empty one is never found. All coordinates are in one spatial
/// reference, and edges are straight in it.
///
/// ```swift
/// let locator = try PolygonLocator(districts)
/// let found = locator.polygons(atEach: x, y)
/// for district in found[0] { … }
/// ```
public struct PolygonLocator: Sendable {
  /// Which points belong to a polygon.
  public enum Relation: Sendable, Hashable {
    /// Those inside and those on the boundary.
    case intersects
    /// Those inside alone.
    case contains
  }

  /// Where a point lies with regard to a polygon.
  public enum Location: Sendable, Hashable {
    /// Within it, on the line round it or round one of its holes, and elsewhere.
    case interior, boundary, exterior
  }

  /// Polygons of more vertices have boxes round chains of edges.
  static let mostVerticesWithoutChains = 128

  /// The polygons' boxes.
  public let index: SpatialIndex
  let store: RingStore

  /// - Precondition: fewer than 2³¹ polygons.
  /// - Throws: `GeometryError` with the polygon's index when a coordinate is not a finite number.
  public init(_ polygons: [Polygon], workers: Workers = Workers()) throws(GeometryError) {
    let store = try RingStore(polygons, workers: workers)
    self.store = store
    index = SpatialIndex(count: polygons.count, workers: workers) { store.shapes.base[$0].box }
  }

  /// How many polygons it was made from.
  public var count: Int { index.count }

  /// Where a point lies with regard to one polygon; a point that is not a number is outside.
  ///
  /// - Precondition: the polygon is from 0 to below `count`.
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

  /// The polygons that each of many points belongs to, ascending; none for a point that is not a
  /// number.
  ///
  /// The same for any number of workers.
  ///
  /// - Precondition: as many `y` as `x`, fewer than 2³¹.
  public func polygons(
    atEach x: [Double], _ y: [Double], relation: Relation = .intersects,
    workers: Workers = Workers()
  ) -> ItemLists {
    withGroups(x, y, workers) { $0.lists(index, filter(relation)) }
  }

  /// The first polygon, in the order of the list, that each of many points belongs to; −1 where
  /// there is none.
  ///
  /// - Precondition: as many `y` as `x`, fewer than 2³¹.
  public func firstPolygon(
    atEach x: [Double], _ y: [Double], relation: Relation = .intersects,
    workers: Workers = Workers()
  ) -> [Int32] {
    withGroups(x, y, workers) { $0.first(index, filter(relation)) }
  }

  private func withGroups<Result>(
    _ x: [Double], _ y: [Double], _ workers: Workers, _ body: (PointGroups) -> Result
  ) -> Result {
    precondition(x.count == y.count, "as many y as x")
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
