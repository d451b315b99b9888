import CGEOS
import PlumbCore

/// The settled holes of joined tiles. A hole is settled if its bounding box does not intersect the
/// bounding box of any other tile.
///
/// Settled holes are also holes of the whole union. In every join, GEOS would search for the exterior
/// ring of every hole again, so settled holes are removed first and restored at the end.
struct SettledHoles {
  private var vertices: [SIMD2<Double>] = []
  private var ends: [Int] = []

  /// Removes the settled holes from the parts of each tile.
  static func removed(
    from tiles: inout [[AreaPart]], _ workers: Workers
  ) throws(GeometryError) -> SettledHoles {
    guard tiles.count > 1 else { return SettledHoles() }
    let boxes = tiles.map { parts in
      var box = Box.nowhere
      for part in parts { box.include(part.box) }
      return box
    }
    let index = SpatialIndex(low: boxes.map(\.low), high: boxes.map(\.high), workers: workers)
    let tileParts = tiles
    let results = try workers.mapMembers(tiles.count, grain: 4, state: try GEOSContext()) {
      (context, tile) throws(GeometryError) in
      var holes = SettledHoles()
      var parts: [AreaPart] = []
      for part in tileParts[tile] {
        parts.append(
          try context.part(part) { box in
            var isSettled = true
            index.visit(intersecting: box.low, box.high) { other in
              if other != tile { isSettled = false }
              return isSettled
            }
            return isSettled
          } keeping: { ring in
            holes.append(ring)
          })
      }
      return (parts, holes)
    }
    tiles = results.map(\.0)
    var all = SettledHoles()
    for result in results { all.append(result.1) }
    return all
  }

  private mutating func append(_ ring: [SIMD2<Double>]) {
    vertices += ring
    ends.append(vertices.count)
  }

  private mutating func append(_ others: SettledHoles) {
    let start = vertices.count
    vertices += others.vertices
    ends += others.ends.map { $0 + start }
  }

  /// The union with its holes restored, each hole in the part that contains it.
  func restored(
    to polygon: Polygon, _ workers: Workers
  ) throws(GeometryError) -> Polygon {
    guard !ends.isEmpty else { return polygon }
    let rings = polygon.rings
    let parts = polygon.parts.map { part in
      let range = rings[part.lowerBound].lowerBound..<rings[part.upperBound - 1].upperBound
      return Polygon(
        canonical: VertexList(Array(polygon.vertices.xy[range])),
        ringEnds: part.map { rings[$0].upperBound - range.lowerBound }, partEnds: [part.count],
        spatialReference: nil)
    }
    let locator = try PolygonLocator(parts, workers: workers)
    var holesOfParts = [[Range<Int>]](repeating: [], count: parts.count)
    var start = 0
    for end in ends {
      // One vertex may be on another part's boundary, but not all vertices can be.
      let home = (start..<end).lazy.compactMap {
        locator.polygons(at: vertices[$0], relation: .contains).first
      }.first
      guard let home else { throw GeometryError("a union: a hole is in none of its parts") }
      holesOfParts[home].append(start..<end)
      start = end
    }
    var xy: [SIMD2<Double>] = []
    xy.reserveCapacity(polygon.vertices.count + vertices.count)
    var ringEnds: [Int] = []
    var partEnds: [Int] = []
    for (part, holes) in zip(parts, holesOfParts) {
      let before = xy.count
      xy += part.vertices.xy
      ringEnds += part.ringEnds.map { $0 + before }
      for hole in holes {
        xy += vertices[hole]
        ringEnds.append(xy.count)
      }
      partEnds.append(ringEnds.count)
    }
    return Polygon(
      canonical: VertexList(xy), ringEnds: ringEnds, partEnds: partEnds,
      spatialReference: polygon.spatialReference)
  }
}

extension GEOSContext {
  /// A part without the holes for whose bounding boxes `isOut` returns true; the removed holes are
  /// passed to `keep`, counter-clockwise.
  fileprivate func part(
    _ part: AreaPart, without isOut: (Box) -> Bool, keeping keep: ([SIMD2<Double>]) -> Void
  ) throws(GeometryError) -> AreaPart {
    let shape = GEOSShape(part.take(), self)
    let count = GEOSGetNumInteriorRings_r(handle, shape.pointer)
    var staying: [Int32] = []
    for hole in 0..<max(0, count) {
      guard let ring = GEOSGetInteriorRingN_r(handle, shape.pointer, hole) else {
        throw failure("a union's hole")
      }
      if try isOut(window(of: ring)) {
        keep(try ShapeParts.hole(ring, self))
      } else {
        staying.append(hole)
      }
    }
    guard staying.count < count else { return AreaPart(shape.take(), part.box, self) }
    guard let exterior = GEOSGetExteriorRing_r(handle, shape.pointer) else {
      throw failure("a union's ring")
    }
    var holes: [OpaquePointer?] = []
    for hole in staying {
      guard let ring = GEOSGetInteriorRingN_r(handle, shape.pointer, hole),
        let copy = GEOSGeom_clone_r(handle, ring)
      else {
        destroy(holes)
        throw failure("a union's hole")
      }
      holes.append(copy)
    }
    guard let shell = GEOSGeom_clone_r(handle, exterior) else {
      destroy(holes)
      throw failure("a union's ring")
    }
    let solid = try adopt(
      GEOSGeom_createPolygon_r(handle, shell, &holes, UInt32(holes.count)), "a union's part")
    return AreaPart(solid.take(), part.box, self)
  }

  /// The bounding box of a shape that is not empty.
  func window(of shape: OpaquePointer) throws(GeometryError) -> Box {
    var box = Box.nowhere
    guard GEOSGeom_getXMin_r(handle, shape, &box.low.x) != 0,
      GEOSGeom_getYMin_r(handle, shape, &box.low.y) != 0,
      GEOSGeom_getXMax_r(handle, shape, &box.high.x) != 0,
      GEOSGeom_getYMax_r(handle, shape, &box.high.y) != 0
    else { throw failure("a window") }
    return box
  }
}
