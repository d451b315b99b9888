#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The samples' map projections, from the plane to degrees.
///
/// Separate formulas instead of PROJ's, so that a newer PROJ cannot change the samples.
enum Projection {
  case degrees
  /// Sinusoidal on the WGS 84 ellipsoid. MODIS uses a sphere with an unknown datum, to which no
  /// transformation from WGS 84 has a known accuracy.
  case sinusoidal
  case webMercator
  /// Zone 34 south on WGS 84.
  case utm34South

  /// The definition of the projection for GDAL.
  var reference: String {
    switch self {
    case .degrees: "EPSG:4326"
    case .sinusoidal: "ESRI:54008"
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
      let latitude = Self.latitude(alongMeridian: y)
      let sine = sin(latitude)
      let parallel =
        6378137 * cos(latitude) / (1 - Self.squaredEccentricity * sine * sine).squareRoot()
      return (x / parallel * perRadian, latitude * perRadian)
    case .webMercator:
      let radius = 6378137.0
      return (x / radius * perRadian, atan(sinh(y / radius)) * perRadian)
    case .utm34South: return Self.transverseMercator(easting: x, northing: y - 10_000_000)
    }
  }

  /// WGS 84's third flattening.
  private static let n = 1 / (2 * 298.257223563 - 1)
  private static let squaredEccentricity = 4 * n / ((1 + n) * (1 + n))
  /// The radius of the circle with the circumference of a meridian.
  private static let meridianRadius = 6378137 / (1 + n) * (1 + n * n / 4 + n * n * n * n / 64)

  /// The latitude, in radians, at a distance from the equator: the series in the third flattening to
  /// the fourth power, with an error below a millimetre.
  private static func latitude(alongMeridian distance: Double) -> Double {
    let rectifying = distance / meridianRadius
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n)
    let series = [
      n * 3 / 2 - n3 * 27 / 32, n2 * 21 / 16 - n4 * 55 / 32, n3 * 151 / 96, n4 * 1097 / 512,
    ]
    var latitude = rectifying
    for (index, factor) in series.enumerated() {
      latitude += factor * sin(2 * Double(index + 1) * rectifying)
    }
    return latitude
  }

  /// Krüger's series to the fourth order (Karney 2011, equations 11, 15 and 36), with an error below a
  /// millimetre within a zone.
  private static func transverseMercator(
    easting: Double, northing: Double
  ) -> (longitude: Double, latitude: Double) {
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
