// Buffers with different radii around points, separate and joined, in the plane of a projection and
// along the ellipsoid.
import Foundation
import Plumb

/// The area of each polygon on the ellipsoid, and its number of parts.
func summary(of polygons: [Polygon]) throws -> String {
  try polygons.map { polygon in
    let area = try GeometryEngine.area(of: .polygon(polygon), measure: .geodesic())
    let parts = polygon.parts.count
    return "\(Int((area / 1e6).rounded())) km² in \(parts) part\(parts == 1 ? "" : "s")"
  }.joined(separator: ", ")
}

do {
  // Texas North Central of NAD27, whose unit is the US survey foot.
  let texas = try SpatialReference("EPSG:32038")
  let places = [(-102.0, 33.0), (-101.8, 33.1), (-95.0, 32.5)]
  let points = try places.map { x, y in
    let point = Point(x: x, y: y, spatialReference: .wgs84)
    return try GeometryEngine.project(.point(point), to: texas)
  }
  let miles = [30.0, 20, 25]
  // The geodesic method measures along the ellipsoid of the same reference.
  let methods: [(String, BufferMethod)] = [("planar", .planar()), ("geodesic", .geodesic())]
  for (name, method) in methods {
    for union in [false, true] {
      let buffers = try GeometryEngine.buffer(
        around: points, distances: miles, unit: .mile, union: union, method: method)
      print("\(name), \(union ? "joined" : "alone"): \(try summary(of: buffers))")
    }
  }
  // Invalid input is an error with a one-line reason.
  let beyond = Point(x: 18.4, y: 95, spatialReference: .wgs84)
  do {
    _ = try GeometryEngine.buffer(
      around: [.point(beyond)], distances: [1000], method: .geodesic())
  } catch {
    print("refused: \(error)")
  }
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
