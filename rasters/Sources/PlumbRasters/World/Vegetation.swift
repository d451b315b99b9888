/// The vegetation: the classes of land cover, and their greenness.
struct Vegetation {
  private let patches: GradientNoise
  private let coarse: GradientNoise
  private let fine: GradientNoise
  private let parcels: Parcels
  private let blocks: Parcels

  init(seed: UInt64) {
    patches = GradientNoise(seed: seed &+ 31, wavelength: 4, octaves: 5)
    coarse = GradientNoise(seed: seed &+ 32, wavelength: 16, octaves: 4)
    fine = GradientNoise(seed: seed &+ 33, wavelength: 1.6, octaves: 4)
    parcels = Parcels(seed: seed &+ 34, spacing: 0.75)
    blocks = Parcels(seed: seed &+ 35, spacing: 2.2)
  }

  /// - Parameters:
  ///   - coast: the distance from the coast in kilometres.
  ///   - elevation: in metres.
  ///   - karoo: the distance into the dry interior in kilometres, below 0 outside it.
  func cover(at place: Ground, coast: Double, elevation: Double, karoo: Double) -> Cover {
    let patch = patches(place.x, place.y)
    let broad = coarse(place.x, place.y)
    let parcel = parcels(place.x, place.y)
    if isDam(place, patch) { return .water }
    if coast < 0.12 + 0.25 * max(0, patch) { return .bare }
    if isDune(place, coast, patch) { return .bare }
    if elevation > 1150 + 900 * patch { return .bare }

    let town = strength(of: Self.towns, at: place)
    if town + 0.35 * patch + 0.12 * (parcel - 0.5) > 0.52, elevation < 210 + 120 * patch {
      return patch > 0.42 ? .fynbos : .urban
    }
    if strength(of: Self.wetlands, at: place) + 0.3 * patch > 0.6 { return .wetland }
    let woods = strength(of: Self.woods, at: place)
    if woods + 0.5 * patch > 0.62, elevation < 750 { return .forest }
    if karoo + 14 * broad > 3 {
      return elevation > 1200 + 500 * broad ? .fynbos : .karoo
    }
    // Kloofs (ravines) have trees.
    if elevation > 260, elevation < 700, patch < -0.52 { return .forest }
    if elevation > 330 + 220 * broad { return .fynbos }
    if strength(of: Self.vines, at: place) + 0.4 * broad + 0.25 * (parcel - 0.5) > 0.42 {
      return .vineyard
    }
    if coast < 5 + 7 * broad { return elevation > 90 ? .fynbos : .strandveld }
    return patch + 0.3 * (blocks(place.x, place.y) - 0.5) > 0.34 ? .fynbos : .cropland
  }

  /// The enhanced vegetation index, -0.2 to 1.
  func greenness(
    of cover: Cover, at place: Ground, elevation: Double, karoo: Double
  ) -> Double {
    if cover == .water { return cover.greenness }
    let parcel = parcels(place.x, place.y) + 0.5 * blocks(place.x, place.y) - 0.75
    let detail = fine(place.x, place.y)
    let broad = coarse(place.x + 300, place.y - 200)
    // Rain falls at the foot of the mountains but not beyond them.
    let rain = smoothStep(30, 500, elevation) - 0.7 * smoothStep(700, 1700, elevation)
    let drought = smoothStep(-35, 30, karoo)
    var index = cover.greenness + cover.variety * 1.4 * parcel
    index *= 1 + 0.30 * detail + 0.22 * broad + 0.28 * rain
    index *= 1 - 0.55 * drought
    return min(1, max(-0.2, index))
  }

  private func isDam(_ place: Ground, _ patch: Double) -> Bool {
    Self.dams.contains { dam in
      place.distance(to: dam.center) < dam.radius * (1 + 0.9 * patch)
    }
  }

  /// Sand at the head of False Bay and along the west coast.
  private func isDune(_ place: Ground, _ coast: Double, _ patch: Double) -> Bool {
    coast < 4 && strength(of: Self.dunes, at: place) + 0.9 * patch - 0.1 * coast > 0.78
  }

  private func strength(of spots: [Spot], at place: Ground) -> Double {
    spots.reduce(0) { $0 + $1.strength(at: place) }
  }
}
