/// The approximate coast from Saldanha Bay around the Cape Peninsula to Cape Agulhas.
struct Coast {
  private let warpX: GradientNoise
  private let warpY: GradientNoise
  private let shore: [Ground]
  private let land: [Ground]
  private let islands = [
    Spot(18.369, -33.806, radius: 1.4), Spot(18.088, -33.424, radius: 1.0),
    Spot(19.417, -34.685, radius: 0.4),
  ]

  init(seed: UInt64) {
    warpX = GradientNoise(seed: seed &+ 11, wavelength: 4.5, octaves: 5)
    warpY = GradientNoise(seed: seed &+ 12, wavelength: 4.5, octaves: 5)
    shore = Self.line.map { Ground(longitude: $0, latitude: $1) }
    let inland = [(22.0, -34.4), (22.0, -31.0), (17.6, -31.0)]
    land = shore + inland.map { Ground(longitude: $0, latitude: $1) }
  }

  /// The distance from the coast in kilometres: above 0 on land, below 0 in the sea.
  func distance(at place: Ground) -> Double {
    let warped = Ground(
      x: place.x + 1.0 * warpX(place.x, place.y), y: place.y + 1.0 * warpY(place.x, place.y))
    var nearest = Double.infinity
    for index in 1..<shore.count {
      nearest = min(nearest, warped.distance(from: shore[index - 1], to: shore[index]).distance)
    }
    var result = isInside(warped) ? nearest : -nearest
    for island in islands {
      result = max(result, island.radius - warped.distance(to: island.center))
    }
    return result
  }

  private func isInside(_ place: Ground) -> Bool {
    var inside = false
    var before = land[land.count - 1]
    for corner in land {
      if (corner.y > place.y) != (before.y > place.y),
        place.x < (before.x - corner.x) * (place.y - corner.y) / (before.y - corner.y) + corner.x
      {
        inside.toggle()
      }
      before = corner
    }
    return inside
  }

  /// Longitudes and latitudes, from north to south and then east.
  private static let line: [(Double, Double)] = [
    (17.80, -32.40), (17.86, -32.80), (17.90, -32.98), (18.00, -33.00), (18.03, -33.04),
    (17.97, -33.07), (17.98, -33.14), (18.10, -33.25), (18.15, -33.35), (18.22, -33.42),
    (18.33, -33.55), (18.42, -33.66), (18.44, -33.73), (18.45, -33.80), (18.48, -33.85),
    (18.475, -33.895), (18.435, -33.91), (18.40, -33.895), (18.375, -33.92), (18.375, -33.955),
    (18.335, -34.01), (18.305, -34.055), (18.345, -34.045), (18.355, -34.075), (18.345, -34.11),
    (18.315, -34.14), (18.35, -34.195), (18.38, -34.26), (18.465, -34.36), (18.50, -34.355),
    (18.475, -34.29), (18.485, -34.235), (18.445, -34.19), (18.43, -34.14), (18.47, -34.115),
    (18.53, -34.13), (18.60, -34.135), (18.68, -34.115), (18.76, -34.09), (18.82, -34.11),
    (18.86, -34.16), (18.85, -34.24), (18.815, -34.30), (18.825, -34.385), (18.92, -34.365),
    (19.03, -34.345), (19.10, -34.355), (19.15, -34.41), (19.25, -34.425), (19.35, -34.455),
    (19.37, -34.52), (19.34, -34.57), (19.285, -34.63), (19.38, -34.625), (19.50, -34.67),
    (19.64, -34.78), (19.80, -34.77), (19.92, -34.82), (20.02, -34.835), (20.06, -34.79),
    (20.20, -34.70), (20.40, -34.47), (20.85, -34.42), (21.30, -34.42), (22.00, -34.40),
  ]
}
