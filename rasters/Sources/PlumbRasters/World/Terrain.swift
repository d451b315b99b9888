#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Heights: rolling plains, the Cape fold mountains along their real lines, and the Karoo behind.
struct Terrain {
  private let hills: GradientNoise
  private let crests: GradientNoise
  private let bend: GradientNoise
  private let grain: GradientNoise

  init(seed: UInt64) {
    hills = GradientNoise(seed: seed &+ 21, wavelength: 9, octaves: 6)
    crests = GradientNoise(seed: seed &+ 22, wavelength: 7, octaves: 7)
    bend = GradientNoise(seed: seed &+ 23, wavelength: 14, octaves: 4)
    grain = GradientNoise(seed: seed &+ 24, wavelength: 1.2, octaves: 3)
  }

  /// The height above the sea in metres; 0 in the sea.
  ///
  /// - Parameter coast: the distance from the coast in kilometres, from `Coast`.
  func elevation(at place: Ground, coast: Double) -> Double {
    if coast <= 0 { return 0 }
    let rise = 45 * (1 - exp(-coast / 5)) + 1.9 * min(coast, 110)
    let rolling = (30 + 0.9 * min(coast, 60)) * smoothStep(0, 10, coast)
    let plain = rise + rolling * hills(place.x, place.y)
    let plateau = 640 * smoothStep(-6, 16, karoo(place))

    let mountains = ridgeHeight(at: place)
    let spurs = crests.ridged(
      place.x + 1.5 * hills(place.x, place.y), place.y + 1.5 * hills(place.y, place.x))
    let carved = mountains * (0.42 + 0.86 * spurs)
    let cliff = smoothStep(0, 0.9, coast)
    var height = max(1, plain + plateau) + carved * cliff
    // Table Mountain's top is flat.
    let onTable = Spot(18.41, -33.968, radius: 3).strength(at: place)
    if onTable > 0.1, height > 1000 { height = 1000 + (height - 1000) * 0.22 }
    let rough = (2 + 0.05 * mountains) * cliff * smoothStep(0, 8, height)
    return height + rough * grain(place.x, place.y)
  }

  /// The distance in kilometres north-east of the last mountain range; the land beyond it is dry.
  func karoo(_ place: Ground) -> Double {
    let edge = Ground(longitude: 19.45, latitude: -33.25)
    return (place.x - edge.x) * 0.42 + (place.y - edge.y) * 0.91
  }

  /// The height that the mountain ranges add, in metres, before valleys are carved.
  private func ridgeHeight(at place: Ground) -> Double {
    let bent = Ground(
      x: place.x + 2.6 * bend(place.x, place.y),
      y: place.y + 2.6 * bend(place.x + 500, place.y - 300))
    // Spurs and valleys make the line ragged.
    let ragged = 1 + 0.55 * hills(place.x * 1.3 + 90, place.y * 1.3)
    var sum = 0.0
    for ridge in Self.ridges {
      let from = ridge.width < 3 ? place : bent
      let height = ridge.height(at: from, ragged: ragged)
      sum += height * height * height
    }
    return cbrt(sum)
  }

  private struct Ridge {
    var width: Double
    var points: [(place: Ground, height: Double)]
    var middle: Ground
    var reach: Double

    /// - Parameters:
    ///   - width: the approximate distance from the crest to the foot in kilometres.
    ///   - points: longitude, latitude and height in metres along the crest.
    init(width: Double, _ points: [(Double, Double, Double)]) {
      self.width = width
      let placed = points.map { (Ground(longitude: $0.0, latitude: $0.1), $0.2) }
      self.points = placed.map { (place: $0.0, height: $0.1) }
      let center = Ground(
        x: placed.map(\.0.x).reduce(0, +) / Double(points.count),
        y: placed.map(\.0.y).reduce(0, +) / Double(points.count))
      middle = center
      reach = (placed.map { $0.0.distance(to: center) }.max() ?? 0) + 7 * width
    }

    func height(at place: Ground, ragged: Double) -> Double {
      if place.distance(to: middle) > reach { return 0 }
      var best = 0.0
      for index in points.indices {
        let a = points[max(0, index - 1)]
        let b = points[index]
        let near =
          points.count > 1 && index == 0
          ? nil
          : (points.count == 1
            ? (distance: place.distance(to: a.place), along: 0)
            : place.distance(from: a.place, to: b.place))
        guard let near else { continue }
        let t = near.distance / width * max(0.5, ragged)
        if t < 4 { best = max(best, mix(a.height, b.height, near.along) * exp(-pow(t, 1.35))) }
      }
      return best
    }
  }

  private static let ridges = [
    // The Cape Peninsula.
    Ridge(width: 1.5, [(18.385, -33.972, 980), (18.43, -33.965, 1000), (18.455, -33.955, 900)]),
    Ridge(width: 1.1, [(18.392, -33.935, 500), (18.398, -33.925, 380)]),
    Ridge(width: 1.4, [(18.395, -33.975, 820), (18.365, -34.01, 700), (18.375, -34.03, 560)]),
    Ridge(width: 2.0, [(18.385, -34.055, 820), (18.415, -34.09, 480), (18.41, -34.12, 400)]),
    Ridge(width: 1.6, [(18.40, -34.17, 330), (18.43, -34.22, 600), (18.46, -34.27, 320)]),
    Ridge(width: 1.1, [(18.465, -34.29, 280), (18.482, -34.34, 230)]),
    // Hills of the plain.
    Ridge(width: 2.6, [(18.60, -33.86, 270), (18.65, -33.82, 300)]),
    Ridge(width: 2.8, [(18.42, -33.38, 240), (18.48, -33.44, 280)]),
    Ridge(width: 2.4, [(18.92, -33.72, 560), (18.95, -33.76, 520)]),
    Ridge(width: 2.8, [(18.80, -33.56, 480), (18.82, -33.61, 440)]),
    Ridge(width: 2.2, [(18.86, -33.31, 720), (18.88, -33.37, 640)]),
    Ridge(width: 2.4, [(18.75, -33.90, 290), (18.79, -33.88, 330)]),
    // Stellenbosch and the Hottentots-Holland.
    Ridge(width: 3.2, [(18.86, -34.04, 900), (18.93, -34.01, 1250), (19.00, -33.98, 1350)]),
    Ridge(width: 2.6, [(18.91, -33.87, 1180), (18.95, -33.88, 1100)]),
    Ridge(
      width: 3.6,
      [
        (18.87, -34.28, 850), (18.91, -34.19, 950), (18.98, -34.08, 1150), (19.06, -33.99, 1350),
        (19.14, -33.92, 1300),
      ]),
    Ridge(width: 3.4, [(18.93, -34.30, 980), (19.03, -34.27, 620), (19.10, -34.27, 700)]),
    Ridge(
      width: 4.2,
      [
        (19.02, -33.83, 1000), (19.08, -33.73, 1500), (19.13, -33.60, 1400), (19.13, -33.40, 1150),
        (19.16, -33.10, 1650), (19.15, -32.80, 1500),
      ]),
    Ridge(width: 4.5, [(19.15, -33.93, 1100), (19.28, -33.88, 1500), (19.35, -33.95, 1150)]),
    // Inland, and along the south coast.
    Ridge(
      width: 5.0,
      [(19.30, -33.52, 1350), (19.45, -33.43, 1650), (19.68, -33.38, 1800), (19.95, -33.30, 1450)]),
    Ridge(width: 4.0, [(19.35, -33.35, 1100), (19.32, -33.10, 1350), (19.40, -32.80, 1350)]),
    Ridge(width: 4.2, [(19.72, -33.58, 1000), (19.90, -33.72, 1350), (20.30, -33.92, 1350)]),
    Ridge(width: 4.0, [(19.32, -34.03, 1000), (19.60, -34.00, 1300), (20.10, -34.03, 1250)]),
    Ridge(width: 2.8, [(19.18, -34.28, 720), (19.30, -34.28, 780)]),
    Ridge(width: 2.6, [(19.22, -34.38, 560), (19.40, -34.40, 720), (19.62, -34.42, 620)]),
    Ridge(width: 3.0, [(19.60, -34.56, 340), (19.90, -34.58, 420), (20.10, -34.55, 330)]),
    Ridge(width: 2.4, [(19.52, -34.66, 260), (19.80, -34.72, 200)]),
  ]
}
