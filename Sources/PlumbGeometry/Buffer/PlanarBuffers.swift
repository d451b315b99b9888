import CGEOS
import PlumbCore
import Synchronization

/// Planar buffers of a list, by `GEOSBufferWithParams_r`; circles round points by their own
/// arithmetic.
struct PlanarBuffers {
  let geometries: [Geometry]
  /// In units of the reference, one a geometry.
  let distances: [Double]
  let reference: SpatialReference?
  let options: PlanarBufferOptions
  let workers: Workers

  func list() throws(GeometryError) -> [Polygon] {
    try workers.mapMembers(geometries.count, grain: 64, state: GEOSContext()) {
      (context, index) throws(GeometryError) in
      try self.polygon(index, context)
    }
  }

  func union() throws(GeometryError) -> Polygon {
    try GeometryEngine.union(areas: list(), reference: reference, workers: workers)
  }

  private func polygon(
    _ index: Int, _ context: GEOSContext
  ) throws(GeometryError) -> Polygon {
    let distance = distances[index]
    let geometry = geometries[index]
    guard distance > 0 || geometry.dimension == 2 else { return .empty(reference) }
    let shape = try context.shape(of: geometry)
    let buffer = try context.buffer(shape, distance: distance, options)
    return try ShapeParts(buffer).polygon(reference)
  }
}

extension GEOSContext {
  func buffer(
    _ shape: borrowing GEOSShape, distance: Double, _ options: PlanarBufferOptions
  ) throws(GeometryError) -> GEOSShape {
    guard let parameters = GEOSBufferParams_create_r(handle) else { throw failure("a buffer") }
    defer { GEOSBufferParams_destroy_r(handle, parameters) }
    let cap =
      switch options.cap {
      case .round: GEOSBUF_CAP_ROUND
      case .flat: GEOSBUF_CAP_FLAT
      case .square: GEOSBUF_CAP_SQUARE
      }
    GEOSBufferParams_setEndCapStyle_r(handle, parameters, Int32(cap.rawValue))
    switch options.join {
    case .round:
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_ROUND.rawValue))
    case .mitre(let limit):
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_MITRE.rawValue))
      GEOSBufferParams_setMitreLimit_r(handle, parameters, limit)
    case .bevel:
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_BEVEL.rawValue))
    }
    GEOSBufferParams_setQuadrantSegments_r(
      handle, parameters, Int32(clamping: options.segmentsPerQuarter))
    return try own(
      GEOSBufferWithParams_r(handle, shape.pointer, parameters, distance), "a buffer")
  }
}
