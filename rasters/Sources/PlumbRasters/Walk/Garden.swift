import PlumbCore

/// A garden on the slope below the mountain: its sections, its sights and the path through it. The
/// garden is fictitious. Places are in metres east and north of the gate.
enum Garden {
  typealias Place = (east: Double, north: Double)

  static let sections: [(name: String, ring: [Place])] = [
    ("Gate Lawn", [(-25, -20), (70, -20), (62, 42), (10, 55), (-25, 40)]),
    ("Fynbos Slope", [(62, 18), (185, 30), (190, 118), (118, 112), (70, 70)]),
    ("Protea Terrace", [(118, 125), (200, 125), (195, 232), (128, 236), (112, 180)]),
    ("Cycad Bowl", [(18, 215), (122, 205), (120, 290), (30, 296)]),
    ("Arboretum", [(-82, 208), (24, 208), (30, 292), (-70, 290)]),
    ("Fragrance Walk", [(-142, 96), (-68, 84), (-62, 205), (-130, 222)]),
    ("Meadow", [(-112, 4), (-30, -4), (-34, 74), (-100, 88)]),
  ]

  /// All sights but the last are a few steps from the path; the last is about 100 m away from it.
  static let sights: [(name: String, place: Place)] = [
    ("Sundial", (6, 11)), ("Old Camphor Tree", (98, 52)), ("Canopy Bridge", (168, 112)),
    ("Protea Bench", (158, 184)), ("Spring", (70, 255)), ("Owl Tree", (-33, 233)),
    ("Herb Spiral", (-103, 160)), ("Tea Room", (-77, 66)), ("Lookout", (230, 262)),
  ]

  static let path: [Place] = [
    (0, 0), (40, 30), (95, 45), (150, 80), (170, 140), (150, 200), (100, 240), (40, 255),
    (-30, 240), (-85, 200), (-110, 140), (-90, 80), (-50, 40), (0, 0),
  ]

  /// The vertex of a place, in millionths of degrees.
  static func vertex(_ place: Place) -> Vertex {
    let (east, north) = place
    return Vertex(
      x: Int((18_432_500 + east / 92_300 * 1e6).rounded()),
      y: Int((-33_988_000 + north / 110_900 * 1e6).rounded()))
  }

  /// The length of the path in metres.
  static var length: Double {
    zip(path, path.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }
  }

  /// The place at a distance along the path in metres.
  static func place(at distance: Double) -> Place {
    var rest = distance
    for (a, b) in zip(path, path.dropFirst()) {
      let length = self.distance(a, b)
      if rest <= length {
        let share = rest / length
        return (a.east + (b.east - a.east) * share, a.north + (b.north - a.north) * share)
      }
      rest -= length
    }
    return path[path.count - 1]
  }

  private static func distance(_ a: Place, _ b: Place) -> Double {
    let (east, north) = (b.east - a.east, b.north - a.north)
    return (east * east + north * north).squareRoot()
  }
}
