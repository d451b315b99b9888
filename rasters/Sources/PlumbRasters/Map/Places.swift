import PlumbCore

/// Places around Cape Town, and clinics in them.
struct Places {
  let world: World
  let seed: UInt64

  enum Kind: String {
    case city, town, suburb, village, harbour, island
  }

  struct Place {
    var name: String
    var kind: Kind
    var longitude: Double
    var latitude: Double
    var people: Int?

    init(
      _ name: String, _ kind: Kind, _ longitude: Double, _ latitude: Double, _ people: Int? = nil
    ) {
      self.name = name
      self.kind = kind
      self.longitude = longitude
      self.latitude = latitude
      self.people = people
    }
  }

  func features() -> [MapFeature] {
    Self.list.map { place in
      let site = ashore(place.longitude, place.latitude)
      let height = world.elevation(longitude: site.longitude, latitude: site.latitude)
      return MapFeature(
        shape: .point(site),
        fields: [
          ("NAME", .text(place.name)), ("KIND", .text(place.kind.rawValue)),
          ("POP", place.people.map { .integer(Int64($0)) } ?? .null),
          ("ELEV", .integer(Int64(height.rounded()))),
        ])
    }
  }

  /// A clinic near each of the larger places.
  func clinics() -> [MapFeature] {
    var random = SplitMix64(seed: seed &+ 61)
    return Self.list.filter { ($0.people ?? 0) > 20_000 }.map { place in
      let east = 0.012 * (random.unit() - 0.5)
      let north = 0.012 * (random.unit() - 0.5)
      let beds = Int64(8 + 60 * random.unit())
      return MapFeature(
        shape: .point(ashore(place.longitude + east, place.latitude + north)),
        fields: [
          ("NAME", .text(place.name + " Clinic")), ("BEDS", .integer(beds)),
          ("OPEN_24H", .boolean(beds > 40)),
        ])
    }
  }

  /// The nearest place on land, searched on rings at intervals of a tenth of a kilometre: the coast
  /// is synthetic and may be inland of the real coast.
  private func ashore(_ longitude: Double, _ latitude: Double) -> Vertex {
    for ring in 0..<60 {
      let reach = 0.001 * Double(ring)
      for (east, north) in [
        (1.0, 0.0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7),
      ] {
        let (x, y) = (longitude + reach * east, latitude + reach * north)
        if world.coast(longitude: x, latitude: y) > 0.25 {
          return Vertex(longitude: x, latitude: y)
        }
      }
    }
    return Vertex(longitude: longitude, latitude: latitude)
  }
}
