import Foundation
import PlumbGDAL

/// The sample map: features of the same world as the rasters, and the documents that refer to them.
struct SampleMap {
  let world: World
  let seed: UInt64

  /// Writes its files into a folder.
  func write(to folder: String) throws {
    let relief = Relief(world, .cape(cellsPerDegree: 400))
    let hollows = Hollows(relief)
    try MapFeature.write(Wards(world, seed: seed).features(), "wards", to: folder)
    let rivers = Rivers(relief, hollows).features()
    try MapFeature.write(rivers, "rivers", to: folder)
    try MapFeature.write(Places(world: world, seed: seed).features(), "places", to: folder)
    try MapFeature.write(Places(world: world, seed: seed).clinics(), "clinics", to: folder)
    try MapFeature.write(Trails(relief).features(), "trails", to: folder)
    try MapFeature.write(
      Lakes(world).features(relief, vleis: Self.ends(of: rivers, hollows.bottoms, relief)), "dams",
      to: folder)
    try writeText(Self.points, to: "\(folder)/points.csv")
    try writeText(Self.services, to: "\(folder)/cape_services.json")
    try writeText(Self.document, to: "\(folder)/cape.json")
  }

  /// Sample points: one on land, one in the sea, one outside every raster.
  private static let points = """
    id,lon,lat
    bergvliet,18.45,-34.05
    false bay,18.65,-34.25
    paris,2.35,48.86

    """

  /// The cells, among some, in which lines of rivers end.
  private static func ends(of rivers: [MapFeature], _ cells: [Int], _ relief: Relief) -> [Int] {
    var ends: Set<Vertex> = []
    for case .lines(let lines) in rivers.map(\.shape) { ends.formUnion(lines.compactMap(\.last)) }
    return cells.filter { ends.contains(relief.lattice.center($0)) }
  }
}
