import CGEOS
import PlumbCore

@testable import PlumbGeometry

/// The results of GEOS, for comparison.
struct GEOSOracle {
  let context = try! GEOSContext()

  private var handle: GEOSContextHandle_t { context.handle }

  /// Well-known text, or well-known bytes in hexadecimal.
  func shape(_ text: String) throws -> GEOSShape {
    if let first = text.utf8.first, "01".utf8.contains(first) {
      let reader = GEOSWKBReader_create_r(handle)
      defer { GEOSWKBReader_destroy_r(handle, reader) }
      return try context.adopt(
        GEOSWKBReader_readHEX_r(handle, reader, text, text.utf8.count), "reading")
    }
    let reader = GEOSWKTReader_create_r(handle)
    defer { GEOSWKTReader_destroy_r(handle, reader) }
    return try context.adopt(GEOSWKTReader_read_r(handle, reader, text), "reading")
  }

  /// The parts of the highest dimension.
  func geometry(_ text: String, _ reference: SpatialReference? = nil) throws -> Geometry {
    let parts = try ShapeParts(shape(text))
    return parts.geometry(dimension: parts.dimension ?? 0, reference)
  }

  func area(_ shape: borrowing GEOSShape) throws -> Double {
    var area = 0.0
    guard GEOSArea_r(handle, shape.pointer, &area) == 1 else { throw context.failure("an area") }
    return area
  }

  func area(_ geometry: Geometry?) throws -> Double {
    guard let geometry else { return 0 }
    return try area(context.shape(of: geometry))
  }

  func length(_ geometry: Geometry?) throws -> Double {
    guard let geometry else { return 0 }
    let shape = try context.shape(of: geometry)
    var length = 0.0
    guard GEOSLength_r(handle, shape.pointer, &length) == 1 else {
      throw context.failure("a length")
    }
    return length
  }

  func isValid(_ geometry: Geometry) throws -> Bool {
    try context.isValid(context.shape(of: geometry))
  }

  /// The area of the symmetric difference of two areas.
  func areaApart(_ a: borrowing GEOSShape, _ b: borrowing GEOSShape) throws -> Double {
    try area(context.adopt(GEOSSymDifference_r(handle, a.pointer, b.pointer), "a difference"))
  }

  func difference(_ a: borrowing GEOSShape, _ b: borrowing GEOSShape) throws -> GEOSShape {
    try context.adopt(GEOSDifference_r(handle, a.pointer, b.pointer), "a difference")
  }

  /// The greatest distance from either boundary to the other, with edges split in four.
  func boundaryDistance(_ a: borrowing GEOSShape, _ b: borrowing GEOSShape) throws -> Double {
    let first = try context.adopt(GEOSBoundary_r(handle, a.pointer), "a boundary")
    let second = try context.adopt(GEOSBoundary_r(handle, b.pointer), "a boundary")
    var distance = 0.0
    guard
      GEOSHausdorffDistanceDensify_r(handle, first.pointer, second.pointer, 0.25, &distance) == 1
    else { throw context.failure("a distance") }
    return distance
  }

  /// GEOS's union of all geometries in one call.
  func union(_ polygons: [Polygon]) throws -> GEOSShape {
    var members: [OpaquePointer?] = []
    for polygon in polygons { members.append(try context.shape(of: .polygon(polygon)).take()) }
    let all = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    return try context.adopt(GEOSUnaryUnion_r(handle, all.pointer), "a union")
  }

  /// GEOS's buffer of a geometry, with the parameters of `options`.
  func buffer(
    _ geometry: Geometry, _ distance: Double, _ options: PlanarBufferOptions
  ) throws -> Polygon {
    try ShapeParts(
      context.buffer(context.shape(of: geometry), distance: distance, options)
    ).polygon(nil)
  }
}
