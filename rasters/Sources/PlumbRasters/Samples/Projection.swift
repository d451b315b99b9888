#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The samples' map projections, from the plane to degrees.
///
/// Formulas of its own rather than PROJ's, so that a newer PROJ cannot change the samples.
enum Projection {
  case degrees
  /// MODIS's: sinusoidal on a sphere.
  case sinusoidal
  case webMercator
  /// Zone 34 south on WGS 84.
  case utm34South

  static let modisRadius = 6371007.181

  /// What GDAL calls the projection.
  var reference: String {
    switch self {
    case .degrees: "EPSG:4326"
    case .sinusoidal: "+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +R=6371007.181 +units=m +no_defs"
    case .webMercator: "EPSG:3857"
    case .utm34South: "EPSG:32734"
    }
  }

  /// - Parameters:
  ///   - x: easting in metres, or degrees.
  ///   - y: northing in metres, or degrees.
  func degrees(x: Double, y: Double) -> (longitude: Double, latitude: Double) {
    let perRadian = 180 / Double.pi
    switch self {
    case .degrees: return (x, y)
    case .sinusoidal:
      let latitude = y / Self.modisRadius
      return (x / (Self.modisRadius * cos(latitude)) * perRadian, latitude * perRadian)
    case .webMercator:
      let radius = 6378137.0
      return (x / radius * perRadian, atan(sinh(y / radius)) * perRadian)
    case .utm34South: return Self.transverseMercator(easting: x, northing: y - 10_000_000)
    }
  }

  /// Krüger's series to the fourth order (Karney 2011, equations 11, 15 and 36): below a millimetre
  /// within a zone.
  private static func transverseMercator(
    easting: Double, northing: Double
  ) -> (longitude: Double, latitude: Double) {
    let n = 1 / (2 * 298.257223563 - 1)
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n)
    let meridian = 0.9996 * 6378137 / (1 + n) * (1 + n2 / 4 + n4 / 64)
    let beta = [
      n / 2 - n2 * 2 / 3 + n3 * 37 / 96 - n4 / 360, n2 / 48 + n3 / 15 - n4 * 437 / 1440,
      n3 * 17 / 480 - n4 * 37 / 840, n4 * 4397 / 161280,
    ]
    let delta = [
      n * 2 - n2 * 2 / 3 - n3 * 2 + n4 * 116 / 45, n2 * 7 / 3 - n3 * 8 / 5 - n4 * 227 / 45,
      n3 * 56 / 15 - n4 * 136 / 35, n4 * 4279 / 630,
    ]
    let xi = northing / meridian
    let eta = (easting - 500_000) / meridian
    var (straightXi, straightEta) = (xi, eta)
    for (index, factor) in beta.enumerated() {
      let order = 2 * Double(index + 1)
      straightXi -= factor * sin(order * xi) * cosh(order * eta)
      straightEta -= factor * cos(order * xi) * sinh(order * eta)
    }
    let conformal = asin(sin(straightXi) / cosh(straightEta))
    var latitude = conformal
    for (index, factor) in delta.enumerated() {
      latitude += factor * sin(2 * Double(index + 1) * conformal)
    }
    let longitude = atan2(sinh(straightEta), cos(straightXi))
    return (21 + longitude * 180 / .pi, latitude * 180 / .pi)
  }
}
