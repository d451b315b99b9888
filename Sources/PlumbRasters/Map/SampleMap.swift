import Foundation
import PlumbGDAL

/// The sample map: features of the same world as the rasters, and the documents that join them.
struct SampleMap {
  let world: World
  let seed: UInt64

  /// Writes all of its files into a folder.
  func write(to folder: String) throws {
    let relief = Relief(world, .cape(cellsPerDegree: 400))
    let hollows = Hollows(relief)
    try write(Wards(world, seed: seed).features(), "wards", folder)
    let rivers = Rivers(relief, hollows).features()
    try write(rivers, "rivers", folder)
    try write(Places(world: world, seed: seed).features(), "places", folder)
    try write(Places(world: world, seed: seed).clinics(), "clinics", folder)
    try write(Trails(relief).features(), "trails", folder)
    try write(
      Lakes(world).features(relief, vleis: Self.ends(of: rivers, hollows.bottoms, relief)), "dams",
      folder)
    try write(Self.services, "\(folder)/cape_services.json")
    try write(Self.document, "\(folder)/cape.json")
  }

  /// The cells among some in which lines of rivers end.
  private static func ends(of rivers: [MapFeature], _ cells: [Int], _ relief: Relief) -> [Int] {
    var ends: Set<Vertex> = []
    for case .lines(let lines) in rivers.map(\.shape) { ends.formUnion(lines.compactMap(\.last)) }
    return cells.filter { ends.contains(relief.lattice.center($0)) }
  }

  private func write(_ features: [MapFeature], _ name: String, _ folder: String) throws {
    try write(MapFeature.collection(name, features), "\(folder)/\(name).geojson")
  }

  private func write(_ text: String, _ path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw GDALError("cannot write \(path): \(error.localizedDescription)")
    }
    report(path)
  }
}
