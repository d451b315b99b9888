import CGEOS
import PlumbCore

/// Tests whether points are within a distance of edges, or in an area.
///
/// The meter tests the edges block by block, starting with the block of the last match, because
/// successive points are near successive edges. It then tests the area; if the area has many edges,
/// it uses GEOS's index.
struct EdgeMeter {
  /// Consecutive edges and their bounding box.
  private struct Block {
    /// The indices of the edges' second vertices.
    var ends: Range<Int>
    var low: SIMD2<Double>
    var high: SIMD2<Double>
  }

  private let edges: BufferEdges
  /// The area inside which the distance is 0; nil to measure only to the edges.
  private let area: Geometry?
  private var prepared: PreparedShape?
  private var blocks: [Block] = []
  /// The index of the block in which an edge was within the distance of the last point.
  private var last = 0
  private static let fewEdges = 256
  private static let blockLength = 16

  init(_ edges: BufferEdges, _ geometry: Geometry?) {
    self.edges = edges
    area = geometry.flatMap { $0.dimension == 2 ? $0 : nil }
  }

  /// Whether all of the points are within the distance.
  mutating func areWithin(
    _ distance: Double, of points: ArraySlice<SIMD2<Double>>, _ context: GEOSContext
  ) throws(GeometryError) -> Bool {
    for point in points {
      guard try isWithin(distance, of: point, context) else { return false }
    }
    return true
  }

  /// Whether a point is within a distance of an edge, or in the area.
  mutating func isWithin(
    _ distance: Double, of point: SIMD2<Double>, _ context: GEOSContext
  ) throws(GeometryError) -> Bool {
    if isNearEdge(distance, of: point) { return true }
    guard let area else { return false }
    if edges.count <= Self.fewEdges { return isInArea(point) }
    let shape: PreparedShape
    if let prepared {
      shape = prepared
    } else {
      shape = try PreparedShape(area, context)
      prepared = shape
    }
    return try shape.isWithin(distance, of: point)
  }

  private mutating func isNearEdge(_ distance: Double, of point: SIMD2<Double>) -> Bool {
    if blocks.isEmpty { makeBlocks() }
    for step in blocks.indices {
      var number = last + step
      if number >= blocks.count { number -= blocks.count }
      let block = blocks[number]
      let nearest = pointwiseMin(pointwiseMax(point, block.low), block.high)
      let gap = point - nearest
      guard (gap * gap).sum() <= distance * distance, isNear(block.ends, distance, of: point) else {
        continue
      }
      last = number
      return true
    }
    return false
  }

  private mutating func makeBlocks() {
    for chain in edges.chains {
      var first = chain.vertices.lowerBound
      while first < chain.vertices.upperBound - 1 {
        let end = min(first + Self.blockLength, chain.vertices.upperBound - 1)
        var (low, high) = (edges.xy[first], edges.xy[first])
        for point in edges.xy[first...end] {
          low = pointwiseMin(low, point)
          high = pointwiseMax(high, point)
        }
        blocks.append(Block(ends: first + 1..<end + 1, low: low, high: high))
        first = end
      }
    }
  }

  private func isNear(_ ends: Range<Int>, _ distance: Double, of point: SIMD2<Double>) -> Bool {
    for end in ends {
      let a = edges.xy[end - 1]
      let (way, offset) = (edges.xy[end] - a, point - a)
      let square = (way * way).sum()
      guard square > 0 else { continue }
      let fraction = min(1, max(0, (way * offset).sum() / square))
      let rest = offset - way * fraction
      if (rest * rest).sum() <= distance * distance { return true }
    }
    return false
  }

  /// Whether the area contains a point. The area must be valid.
  private func isInArea(_ point: SIMD2<Double>) -> Bool {
    var isInside = false
    _ = edges.allSatisfy { a, b in
      let (way, offset) = (b - a, point - a)
      if (a.y > point.y) != (b.y > point.y),
        (offset.x * way.y < offset.y * way.x) == (way.y > 0)
      {
        isInside.toggle()
      }
      return true
    }
    return isInside
  }
}

/// A geometry with a GEOS index.
private final class PreparedShape {
  private let shape: OpaquePointer
  private let prepared: OpaquePointer
  private let context: GEOSContext

  init(_ geometry: Geometry, _ context: GEOSContext) throws(GeometryError) {
    let shape = try context.shape(of: geometry).take()
    guard let prepared = GEOSPrepare_r(context.handle, shape) else {
      GEOSGeom_destroy_r(context.handle, shape)
      throw context.failure("an index")
    }
    (self.shape, self.prepared, self.context) = (shape, prepared, context)
  }

  deinit {
    GEOSPreparedGeom_destroy_r(context.handle, prepared)
    GEOSGeom_destroy_r(context.handle, shape)
  }

  func isWithin(_ distance: Double, of location: SIMD2<Double>) throws(GeometryError) -> Bool {
    let point = try context.adopt(
      GEOSGeom_createPointFromXY_r(context.handle, location.x, location.y), "a point")
    return try context.checkedResult(
      GEOSPreparedDistanceWithin_r(context.handle, prepared, point.pointer, distance),
      "a distance")
  }
}
