import CGEOS
import PlumbCore

extension GEOSContext {
  /// Copies a polygon to GEOS and repairs it if it is invalid; a polygon of zero area becomes
  /// empty.
  func validArea(of polygon: Polygon) throws(GeometryError) -> GEOSShape {
    let shape = try shape(of: .polygon(polygon))
    // Star-shaped rings, such as circles, are valid without a search for crossings.
    if polygon.isStarShaped { return shape }
    guard try !isValid(shape) else { return shape }
    let parts = try ShapeParts(madeValid(shape))
    return try self.shape(of: .polygon(parts.polygon(nil)))
  }

  /// Joins valid areas: first up to `atOnce` neighbours in the list at a time, then the results.
  ///
  /// Takes ownership of the shapes.
  func joined(
    _ shapes: [OpaquePointer], atOnce: Int
  ) throws(GeometryError) -> GEOSShape {
    var rest: [OpaquePointer?] = shapes
    while true {
      if end(ofGroupAt: 0, in: rest, atOnce) == rest.count {
        return try joined(collection(GEOS_GEOMETRYCOLLECTION, &rest))
      }
      var results: [OpaquePointer?] = []
      var start = 0
      do throws(GeometryError) {
        while start < rest.count {
          let end = end(ofGroupAt: start, in: rest, atOnce)
          var members = Array(rest[start..<end])
          start = end
          results.append(try joined(collection(GEOS_GEOMETRYCOLLECTION, &members)).take())
        }
      } catch {
        destroy(results + rest[start...])
        throw error
      }
      rest = results
    }
  }

  /// The end of a group of areas that one call of GEOS joins. The group has at least two areas,
  /// unless it is the last group of the list.
  ///
  /// Two areas of almost the same extent, such as buffers of points of one house, may cross each
  /// other at every vertex, and GEOS stores each crossing in memory. A group therefore ends when
  /// its pairs of such areas have too many vertices. For each pair, the vertices of the area with
  /// fewer vertices are counted.
  private func end(ofGroupAt start: Int, in shapes: [OpaquePointer?], _ atOnce: Int) -> Int {
    let limit = min(start + atOnce, shapes.count)
    guard limit - start > 2 else { return limit }
    var others: [(box: Box, vertices: Int)] = []
    var crossings = 0
    for index in start..<limit {
      guard let shape = shapes[index], let box = extent(of: shape) else { continue }
      let vertices = max(0, Int(GEOSGetNumCoordinates_r(handle, shape)))
      for other in others where box.almostEquals(other.box) {
        crossings += min(vertices, other.vertices)
      }
      if crossings > 1 << 14, index > start + 1 { return index }
      others.append((box, vertices))
    }
    return limit
  }

  /// The bounding box of a shape; nil if it is empty.
  private func extent(of shape: OpaquePointer?) -> Box? {
    guard let shape, GEOSisEmpty_r(handle, shape) == 0 else { return nil }
    return try? window(of: shape)
  }

  /// Joins the areas of a collection, all of which must be valid.
  ///
  /// A buffer by 0 handles all crossings at once. If the size of the result is outside the range
  /// that is possible for the union, the areas are joined pairwise instead.
  func joined(_ collection: borrowing GEOSShape) throws(GeometryError) -> GEOSShape {
    var (minimum, maximum) = (0.0, 0.0)
    for index in 0..<max(0, GEOSGetNumGeometries_r(handle, collection.pointer)) {
      var area = 0.0
      GEOSArea_r(handle, GEOSGetGeometryN_r(handle, collection.pointer, index), &area)
      minimum = max(minimum, area)
      maximum += area
    }
    if let buffer = GEOSBuffer_r(handle, collection.pointer, 0, 8) {
      let union = GEOSShape(buffer, self)
      var area = 0.0
      GEOSArea_r(handle, union.pointer, &area)
      if area >= minimum * (1 - 1e-9), area <= maximum * (1 + 1e-9) { return union }
    }
    return try adopt(GEOSUnaryUnion_r(handle, collection.pointer), "a union")
  }

  /// Joins two lists of polygons; the polygons within each list are disjoint.
  func union(
    _ first: [AreaPart], _ second: [AreaPart]
  ) throws(GeometryError) -> [AreaPart] {
    var firstMembers = first.map { Optional($0.take()) }
    let a = try collection(GEOS_MULTIPOLYGON, &firstMembers)
    var secondMembers = second.map { Optional($0.take()) }
    let b = try collection(GEOS_MULTIPOLYGON, &secondMembers)
    var parts: [AreaPart] = []
    try append(adopt(GEOSUnion_r(handle, a.pointer, b.pointer), "a union"), to: &parts)
    return parts
  }

  /// Adds a copy of each polygon in a shape.
  func append(
    _ shape: borrowing GEOSShape, to parts: inout [AreaPart]
  ) throws(GeometryError) {
    try append(shape.pointer, to: &parts)
  }

  private func append(
    _ shape: OpaquePointer, to parts: inout [AreaPart]
  ) throws(GeometryError) {
    guard GEOSisEmpty_r(handle, shape) == 0 else { return }
    let type = GEOSGeomTypes(rawValue: UInt32(bitPattern: GEOSGeomTypeId_r(handle, shape)))
    switch type {
    case GEOS_POLYGON:
      let box = try window(of: shape)
      let copy = try adopt(GEOSGeom_clone_r(handle, shape), "a copy")
      parts.append(AreaPart(copy.take(), box, self))
    case GEOS_MULTIPOLYGON, GEOS_GEOMETRYCOLLECTION:
      for index in 0..<max(0, GEOSGetNumGeometries_r(handle, shape)) {
        guard let member = GEOSGetGeometryN_r(handle, shape, index) else {
          throw failure("a collection's member")
        }
        try append(member, to: &parts)
      }
    default: return
    }
  }
}

extension Box {
  /// Whether each side differs from the same side of `other` by at most a sixteenth of this box's
  /// size.
  fileprivate func almostEquals(_ other: Box) -> Bool {
    let (low, high) = (other.low - self.low, other.high - self.high)
    let difference = pointwiseMax(pointwiseMax(low, -low), pointwiseMax(high, -high))
    return all(difference .<= (self.high - self.low) / 16)
  }
}
