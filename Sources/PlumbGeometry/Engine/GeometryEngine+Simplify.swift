import CGEOS
import PlumbCore

extension GeometryEngine {
  /// Returns a geometry of the same dimension for which `isSimple` is true.
  ///
  /// A simple geometry is returned unchanged. Otherwise, the result has x and y only, and is
  /// computed as follows:
  ///
  /// - An area is repaired by `GEOSMakeValid_r`: a point is inside if a ray from the point crosses
  ///   the boundary an odd number of times; coincident edges count once. A ring in the shape of an
  ///   8 therefore becomes two parts, and the overlap of two parts is removed from both. Parts of
  ///   zero area are dropped.
  /// - A line is split where it meets itself, and duplicate sections are merged, by
  ///   `GEOSUnaryUnion_r`. A loop is split in two if another part ends on it. Pieces of zero length
  ///   are dropped.
  /// - Duplicate points of a multipoint are removed.
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
        try context.adopt(GEOSUnaryUnion_r(context.handle, shape.pointer), "simplifying")
      }
    let result = try ShapeParts(simple).geometry(dimension: geometry.dimension, reference)
    if case .polyline(let polyline) = result, try !isSimple(result) {
      return .polyline(cuttingLoops(of: polyline))
    }
    return result
  }

  /// Splits each closed part into two open parts. For GEOS, a loop has no ends, so the end of
  /// another part on the loop would be in the loop's interior.
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

  /// Whether a geometry is well formed: an area is valid (`GEOSisValid_r`: rings touch themselves
  /// or each other only at single points, holes are inside, parts are disjoint), a line has a
  /// nonzero length and touches itself only at its ends, and a multipoint has no duplicates
  /// (`GEOSisSimple_r`). An empty geometry is simple.
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
    return try context.checkedResult(
      GEOSisSimple_r(context.handle, shape.pointer), "a test for simplicity")
  }
}
