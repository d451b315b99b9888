import PlumbCore
import PlumbGDAL

/// The dams of the land cover, and the vleis in which rivers end.
struct Lakes {
  private let world: World

  init(_ world: World) { self.world = world }

  /// - Parameter vleis: the lowest cells of depressions with water.
  func features(_ relief: Relief, vleis: [Int]) throws(GDALError) -> [MapFeature] {
    var result: [MapFeature] = []
    for dam in Self.dams {
      let window = Lattice(
        west: dam.west, south: dam.south, east: dam.east, north: dam.north, cellsPerDegree: 500)
      let labels = (0..<window.count).map { cell in
        let place = window.center(cell)
        let sight = world.look(longitude: place.longitude, latitude: place.latitude)
        return sight.cover == .water && !sight.isSea ? 1 : 0
      }
      if let feature = try feature(dam.name, "dam", RegionMap(lattice: window, labels: labels)) {
        result.append(feature)
      }
    }
    for bottom in vleis {
      let cells = Set(shallows(relief, bottom))
      let labels = (0..<relief.lattice.count).map { cells.contains($0) ? 1 : 0 }
      let name = "Vlei \(result.count - Self.dams.count + 1)"
      if let feature = try feature(name, "vlei", RegionMap(lattice: relief.lattice, labels: labels))
      {
        result.append(feature)
      }
    }
    return result
  }

  /// The water of a map as one feature; nil if there is none.
  private func feature(
    _ name: String, _ kind: String, _ regions: RegionMap
  ) throws(GDALError) -> MapFeature? {
    var regions = regions
    for piece in regions.pieces() where piece.cells.count < 3 {
      for cell in piece.cells { regions.labels[cell] = 1 - piece.label }
    }
    try regions.separateCorners()
    guard let areas = try regions.polygons(corner: regions.lattice.corner)[1] else { return nil }
    return MapFeature(
      shape: .areas(areas),
      fields: [
        ("NAME", .text(name)), ("KIND", .text(kind)),
        ("AREA_KM2", .real(Measure.area(areas).rounded(places: 3))),
      ])
  }

  /// The cells around the bottom of a depression that are only slightly higher, at least its
  /// neighbours.
  private func shallows(_ relief: Relief, _ bottom: Int) -> [Int] {
    var cells = [bottom]
    var seen = Set(cells)
    var index = 0
    while index < cells.count {
      for other in relief.lattice.sides(cells[index])
      where !seen.contains(other) && relief.heights[other] < relief.heights[bottom] + 4 {
        seen.insert(other)
        cells.append(other)
      }
      index += 1
    }
    return cells + relief.lattice.neighbors(bottom)
  }

  private struct Window {
    var name: String
    var west: Double
    var south: Double
    var east: Double
    var north: Double
  }

  /// The extents of the dams of `Vegetation.dams`, with margins.
  private static let dams = [
    Window(name: "Theewaterskloof", west: 19.11, south: -34.12, east: 19.24, north: -33.97),
    Window(name: "Wemmershoek", west: 19.02, south: -33.94, east: 19.09, north: -33.87),
    Window(name: "Steenbras", west: 18.86, south: -34.19, east: 18.91, north: -34.14),
    Window(name: "Zeekoevlei", west: 18.49, south: -34.09, east: 18.55, north: -34.04),
    Window(name: "Idas Valley", west: 18.84, south: -33.98, east: 18.87, north: -33.95),
    Window(name: "Door de Kraal", west: 18.71, south: -33.82, east: 18.75, north: -33.79),
  ]
}
