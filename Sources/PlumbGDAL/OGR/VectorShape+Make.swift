import CGDAL
import PlumbCore

/// Creates an OGR geometry of an area. It is always a multipolygon, because layers of areas are
/// written with that geometry type. Exterior rings are counter-clockwise, as OGC requires. The caller
/// must destroy the geometry.
func makeShape(_ area: Polygon) throws(GDALError) -> OGRGeometryH {
  guard let shape = OGR_G_CreateGeometry(wkbMultiPolygon) else {
    throw GDALError("an area cannot be created")
  }
  let rings = area.rings
  for part in area.parts where !part.isEmpty {
    guard let member = OGR_G_CreateGeometry(wkbPolygon) else { continue }
    for range in rings[part] {
      guard let ring = OGR_G_CreateGeometry(wkbLinearRing),
        let count = Int32(exactly: range.count)
      else {
        OGR_G_DestroyGeometry(member)
        OGR_G_DestroyGeometry(shape)
        throw GDALError("an area's ring has too many vertices")
      }
      let points = Array(area.vertices.xy[range].reversed())
      points.withUnsafeBytes { points in
        guard let base = points.baseAddress else { return }
        let pair = Int32(MemoryLayout<SIMD2<Double>>.stride)
        OGR_G_SetPoints(ring, count, base, pair, base + MemoryLayout<Double>.stride, pair, nil, 0)
      }
      OGR_G_AddGeometryDirectly(member, ring)
    }
    OGR_G_AddGeometryDirectly(shape, member)
  }
  return shape
}

/// Creates an OGR geometry of a line. The geometry is a multilinestring if the line has several
/// parts. The caller must destroy the geometry.
func makeShape(_ line: Polyline) throws(GDALError) -> OGRGeometryH {
  let parts = line.parts.filter { !$0.isEmpty }
  guard parts.count != 1 else { return try makeLine(line, parts[0]) }
  guard let shape = OGR_G_CreateGeometry(wkbMultiLineString) else {
    throw GDALError("a line cannot be created")
  }
  for part in parts {
    do throws(GDALError) {
      OGR_G_AddGeometryDirectly(shape, try makeLine(line, part))
    } catch {
      OGR_G_DestroyGeometry(shape)
      throw error
    }
  }
  return shape
}

private func makeLine(_ line: Polyline, _ part: Range<Int>) throws(GDALError) -> OGRGeometryH {
  guard let count = Int32(exactly: part.count), let made = OGR_G_CreateGeometry(wkbLineString)
  else {
    throw GDALError("a line cannot be created")
  }
  let points = Array(line.vertices.xy[part])
  points.withUnsafeBytes { points in
    guard let base = points.baseAddress else { return }
    let pair = Int32(MemoryLayout<SIMD2<Double>>.stride)
    OGR_G_SetPoints(made, count, base, pair, base + MemoryLayout<Double>.stride, pair, nil, 0)
  }
  return made
}
