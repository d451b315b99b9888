import PlumbCore
import PlumbGDAL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Wards that tile the land of the map: the land nearest to each ward's centre, with ragged borders;
/// towns within a ward are separate wards.
struct Wards {
  private let world: World
  private let lattice = Lattice.cape(cellsPerDegree: 200)
  private let shift: (x: GradientNoise, y: GradientNoise)
  private let jitter: UInt64

  struct Seed {
    var name: String
    var middle: Ground
    /// In kilometres; nil for the nearest land.
    var radius: Double?

    init(_ name: String, _ longitude: Double, _ latitude: Double, radius: Double? = nil) {
      self.name = name
      middle = Ground(longitude: longitude, latitude: latitude)
      self.radius = radius
    }
  }

  init(_ world: World, seed: UInt64) {
    self.world = world
    shift = (
      GradientNoise(seed: seed &+ 51, wavelength: 5, octaves: 3),
      GradientNoise(seed: seed &+ 52, wavelength: 5, octaves: 3)
    )
    jitter = seed &+ 53
  }

  func features() throws(GDALError) -> [MapFeature] {
    let map = try regions()
    var people = [Double](repeating: 0, count: Self.seeds.count + 1)
    for cell in 0..<lattice.count where map.labels[cell] > 0 {
      people[map.labels[cell]] += residents(cell)
    }
    let corners = corners(map)
    let polygons = try map.polygons { corners[$1 * (lattice.columns + 1) + $0] }
    return Self.seeds.enumerated().compactMap { index, seed in
      guard let areas = polygons[index + 1] else { return nil }
      let count = people[index + 1].rounded()
      return MapFeature(
        shape: .areas(areas),
        fields: [
          ("WARD", .integer(Int64(index + 1))), ("NAME", .text(seed.name)),
          ("POP", .integer(Int64(count))),
          ("DENSITY", .real((count / Measure.area(areas)).rounded(places: 1))),
        ])
    }
  }

  private func regions() throws(GDALError) -> RegionMap {
    var map = RegionMap(lattice: lattice, labels: (0..<lattice.count).map(ward))
    for piece in map.pieces() {
      // Islets and ponds.
      if piece.label != 0, piece.cells.count < 4, isSurrounded(by: 0, piece.cells, map) {
        for cell in piece.cells { map.labels[cell] = 0 }
      } else if piece.label == 0, piece.cells.count < 20,
        !piece.cells.contains(where: lattice.isEdge)
      {
        for cell in piece.cells {
          map.labels[cell] = lattice.sides(cell).map { map.labels[$0] }.max() ?? 0
        }
      }
    }
    try map.separateCorners()
    joinScraps(&map)
    try map.separateCorners()
    return map
  }

  /// The ward at a cell's centre, 0 in the sea.
  private func ward(_ cell: Int) -> Int {
    let center = lattice.center(cell)
    if world.coast(longitude: center.longitude, latitude: center.latitude) <= 0 { return 0 }
    let place = center.ground
    let moved = Ground(
      x: place.x + 1.3 * shift.x(place.x, place.y), y: place.y + 1.3 * shift.y(place.x, place.y))
    // Robben Island belongs to the city.
    if place.distance(to: Ground(longitude: 18.369, latitude: -33.806)) < 4 { return 1 }
    var best = (distance: Double.infinity, index: 0)
    for (index, seed) in Self.seeds.enumerated() {
      let distance = moved.distance(to: seed.middle)
      if let radius = seed.radius {
        if distance < radius { return index + 1 }
      } else if distance < best.distance {
        best = (distance, index)
      }
    }
    return best.index + 1
  }

  private func isSurrounded(by label: Int, _ cells: [Int], _ map: RegionMap) -> Bool {
    let own = Set(cells)
    return cells.allSatisfy { cell in
      lattice.sides(cell).allSatisfy { own.contains($0) || map.labels[$0] == label }
    }
  }

  /// Merges small pieces that were cut off from their wards into a neighbour.
  private func joinScraps(_ map: inout RegionMap) {
    let pieces = map.pieces().filter { $0.label > 0 }
    var largest: [Int: Int] = [:]
    for piece in pieces { largest[piece.label] = max(largest[piece.label] ?? 0, piece.cells.count) }
    for piece in pieces where piece.cells.count < min(15, largest[piece.label] ?? 0) {
      let around = piece.cells.flatMap { lattice.sides($0) }.map { map.labels[$0] }
        .filter { $0 > 0 && $0 != piece.label }
      guard let neighbor = around.max() else { continue }
      for cell in piece.cells { map.labels[cell] = neighbor }
    }
  }

  /// The population of a cell: many in towns, few on farms.
  private func residents(_ cell: Int) -> Double {
    let place = lattice.center(cell)
    let sight = world.look(longitude: place.longitude, latitude: place.latitude)
    let area = 0.2562
    let luck = 0.6 + 0.8 * unitInterval(latticeHash(cell, 7, seed: jitter))
    return area * luck * (sight.cover == .urban ? 3400 : sight.elevation < 300 ? 22 : 2)
  }

  /// The corners of cells: corners between land and sea are moved to the coast, others are moved at
  /// random.
  private func corners(_ map: RegionMap) -> [Vertex] {
    (0..<(lattice.columns + 1) * (lattice.rows + 1)).map { index in
      let (column, row) = (index % (lattice.columns + 1), index / (lattice.columns + 1))
      let place = lattice.corner(column, row)
      if map.isOnEdge(column: column, row: row) { return place }
      let southEast = row * lattice.columns + column
      let around = [0, -1, -lattice.columns, -lattice.columns - 1].map {
        map.labels[southEast + $0] > 0
      }
      let reach = 0.35 * lattice.cell
      if around.allSatisfy({ $0 == around[0] }) {
        let bits = latticeHash(column, row, seed: jitter)
        return Vertex(
          longitude: place.longitude + 0.4 * reach * (2 * unitInterval(bits) - 1),
          latitude: place.latitude + 0.4 * reach * (2 * unitInterval(scramble(bits)) - 1))
      }
      return pulled(place, reach: reach)
    }
  }

  /// Returns a place moved towards the coast by at most `reach` degrees.
  private func pulled(_ place: Vertex, reach: Double) -> Vertex {
    func coast(_ east: Double, _ north: Double) -> Double {
      world.coast(longitude: place.longitude + east, latitude: place.latitude + north)
    }
    let step = 0.001
    let here = coast(0, 0)
    // Kilometres of distance to the coast per degree.
    let x = (coast(step, 0) - coast(-step, 0)) / (2 * step)
    let y = (coast(0, step) - coast(0, -step)) / (2 * step)
    let steepness = x * x + y * y
    guard steepness > 1 else { return place }
    let (east, north) = (-here * x / steepness, -here * y / steepness)
    let scale = min(1, reach / max(east.magnitude, north.magnitude, 1e-12))
    return Vertex(
      longitude: place.longitude + scale * east, latitude: place.latitude + scale * north)
  }
}
