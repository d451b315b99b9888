import CGDAL
import PlumbCore

/// Makes an OGR geometry of an area: always a multipolygon, as the layer says, with exterior rings
/// counter-clockwise, as OGC has them. The caller owns it.
func makeShape(_ area: Polygon) throws(GDALError) -> OGRGeometryH {
  guard let shape = OGR_G_CreateGeometry(wkbMultiPolygon) else {
    throw GDALError("an area cannot be made")
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
      let places = Array(area.vertices.xy[range].reversed())
      places.withUnsafeBytes { places in
        guard let base = places.baseAddress else { return }
        let pair = Int32(MemoryLayout<SIMD2<Double>>.stride)
        OGR_G_SetPoints(ring, count, base, pair, base + MemoryLayout<Double>.stride, pair, nil, 0)
      }
      OGR_G_AddGeometryDirectly(member, ring)
    }
    OGR_G_AddGeometryDirectly(shape, member)
  }
  return shape
}
