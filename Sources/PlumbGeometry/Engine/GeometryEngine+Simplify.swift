import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The geometry in a form that `isSimple` finds nothing wrong with, of the same dimension.
  ///
  /// One that is simple already comes back as it is. Otherwise, with x and y only:
  ///
  /// - An area is made valid by `GEOSMakeValid_r`: a point is inside where a ray from it crosses
  ///   the boundary an odd number of times, edges that coincide counting once. So a ring like an 8
  ///   becomes two parts, and what two parts share falls out of both. What is left without area is
  ///   dropped.
  /// - A line is cut where it meets itself, and what runs twice is there once, by
  ///   `GEOSUnaryUnion_r`; loops are cut in two where others end at them; pieces without length are
  ///   dropped.
  /// - Points of a multipoint that repeat are there once.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func simplify(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    let context = try GEOSContext()
    let shape = try context.shape(of: geometry)
    guard try !isSimple(geometry, shape) else { return geometry }
    let reference = geometry.spatialReference
    let simple =
      if geometry.dimension == 2 {
        try context.madeValid(shape)
      } else {
        try context.own(GEOSUnaryUnion_r(context.handle, shape.pointer), "simplifying")
      }
    let result = try ShapeParts(simple).geometry(dimension: geometry.dimension, reference)
    if case .polyline(let polyline) = result, try !isSimple(result) {
      return .polyline(cuttingLoops(of: polyline))
    }
    return result
  }

  /// Each closed part as two open ones. A loop has no end in the eyes of GEOS, so that another part
  /// that ends at it would meet its inside.
  private static func cuttingLoops(of polyline: Polyline) -> Polyline {
    var points: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in polyline.parts {
      let line = polyline.vertices.xy[part]
      guard line.count > 2, line.first == line.last else {
        points += line
        ends.append(points.count)
        continue
      }
      let middle = part.lowerBound + part.count / 2
      points += line[...middle]
      ends.append(points.count)
      points += line[middle...]
      ends.append(points.count)
    }
    return Polyline(VertexList(points), partEnds: ends, spatialReference: polyline.spatialReference)
  }

  /// Whether a geometry is well formed: an area is valid (`GEOSisValid_r`: no ring meets itself or
  /// another but at single points, holes lie inside, parts apart), a line has a length and does
  /// not meet itself but at its ends, and a multipoint has no point twice (`GEOSisSimple_r`). An
  /// empty geometry is.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func isSimple(_ geometry: Geometry) throws(GeometryError) -> Bool {
    let context = try GEOSContext()
    return try isSimple(geometry, context.shape(of: geometry))
  }

  private static func isSimple(
    _ geometry: Geometry, _ shape: borrowing GEOSShape
  ) throws(GeometryError) -> Bool {
    let context = shape.context
    guard try context.isValid(shape) else { return false }
    if geometry.dimension == 2 { return true }
    return try context.answer(
      GEOSisSimple_r(context.handle, shape.pointer), "a test for simplicity")
  }
}
