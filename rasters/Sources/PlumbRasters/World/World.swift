/// The synthetic Cape of all sample rasters: coast, heights, land cover and greenness as functions of the
/// place and a seed, so that the rasters agree with each other.
struct World {
  private let coast: Coast
  private let terrain: Terrain
  private let vegetation: Vegetation

  init(seed: UInt64) {
    let base = scramble(seed &+ 0x5EED)
    coast = Coast(seed: base)
    terrain = Terrain(seed: base)
    vegetation = Vegetation(seed: base)
  }

  /// The properties of a place.
  struct Sight {
    /// The distance from the coast in kilometres: above 0 on land, below 0 in the sea.
    var coast: Double
    /// The height in metres; 0 in the sea.
    var elevation: Double
    var cover: Cover
    /// The enhanced vegetation index, -0.2 to 1; meaningless in the sea.
    var greenness: Double

    var isSea: Bool { coast <= 0 }
  }

  /// - Parameters:
  ///   - longitude: degrees east.
  ///   - latitude: degrees north.
  func look(longitude: Double, latitude: Double) -> Sight {
    let place = Ground(longitude: longitude, latitude: latitude)
    let coast = coast.distance(at: place)
    let elevation = terrain.elevation(at: place, coast: coast)
    if coast <= 0 { return Sight(coast: coast, elevation: 0, cover: .water, greenness: 0) }
    let karoo = terrain.karoo(place)
    let cover = vegetation.cover(at: place, coast: coast, elevation: elevation, karoo: karoo)
    let greenness = vegetation.greenness(of: cover, at: place, elevation: elevation, karoo: karoo)
    return Sight(coast: coast, elevation: elevation, cover: cover, greenness: greenness)
  }

  /// The distance from the coast in kilometres and the height in metres, as in `look`, without the rest.
  func shape(longitude: Double, latitude: Double) -> (coast: Double, elevation: Double) {
    let place = Ground(longitude: longitude, latitude: latitude)
    let coast = coast.distance(at: place)
    return (coast, terrain.elevation(at: place, coast: coast))
  }

  /// The distance from the coast in kilometres, as in `look`, without the rest.
  func coast(longitude: Double, latitude: Double) -> Double {
    coast.distance(at: Ground(longitude: longitude, latitude: latitude))
  }

  /// The height above the sea in metres, as in `look`, without the rest.
  func elevation(longitude: Double, latitude: Double) -> Double {
    let place = Ground(longitude: longitude, latitude: latitude)
    return terrain.elevation(at: place, coast: coast.distance(at: place))
  }
}
