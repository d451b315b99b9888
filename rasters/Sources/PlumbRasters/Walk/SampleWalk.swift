import Foundation
import PlumbCore
import PlumbGDAL

/// Two walks through the sample garden, with its sections and sights as fences.
struct SampleWalk {
  let seed: UInt64

  /// Writes its files into a folder.
  func write(to folder: String) throws {
    let sections = Garden.sections.enumerated().map { number, section in
      let ring = (section.ring + [section.ring[0]]).map(Garden.vertex)
      return MapFeature(
        shape: .areas([[ring]]),
        fields: [("id", .integer(Int64(number + 1))), ("name", .text(section.name))])
    }
    let sights = Garden.sights.enumerated().map { number, sight in
      MapFeature(
        shape: .point(Garden.vertex(sight.place)),
        fields: [("id", .integer(Int64(number + 1))), ("name", .text(sight.name))])
    }
    try MapFeature.write(sections, "garden_sections", to: folder)
    try MapFeature.write(sights, "garden_sights", to: folder)
    try writeText(line, to: "\(folder)/walk.esri.json")
    try writeText(fixes, to: "\(folder)/walk.csv")
  }

  /// The path as an EsriJSON polyline.
  private var line: String {
    let vertices = Garden.path.map { Self.pair(Garden.vertex($0), ",") }
    return "{\"paths\":[[[" + vertices.joined(separator: "],[")
      + "]]],\"spatialReference\":{\"wkid\":4326}}\n"
  }

  private static func pair(_ vertex: Vertex, _ separator: String) -> String {
    func degrees(_ millionths: Int) -> String {
      String(format: "%.6f", Double(millionths) / 1e6)
    }
    return degrees(vertex.x) + separator + degrees(vertex.y)
  }

  /// A fix of each walker every five seconds; the second walker goes in the opposite direction,
  /// later and more slowly.
  private var fixes: String {
    var random = SplitMix64(seed: seed)
    var rows: [(second: Int, text: String)] = []
    for (name, start, speed, isReversed) in [("ada", 0, 1.4, false), ("ben", 180, 1.1, true)] {
      var step = 0
      while Double(step) * 5 * speed <= Garden.length {
        let along = Double(step) * 5 * speed
        var place = Garden.place(at: isReversed ? Garden.length - along : along)
        place.east += random.unit() * 3 - 1.5
        place.north += random.unit() * 3 - 1.5
        let accuracy = 2 + (random.unit() * 30).rounded() / 10
        let second = start + step * 5
        let time = String(
          format: "2026-05-01T%02d:%02d:%02dZ", 10 + second / 3600, second / 60 % 60, second % 60)
        rows.append(
          (second, "\(name),\(time),\(Self.pair(Garden.vertex(place), ",")),\(accuracy)"))
        step += 1
      }
    }
    // Sorted by time, alternating between the walkers.
    let order = rows.indices.sorted { (rows[$0].second, $0) < (rows[$1].second, $1) }
    return "id,time,x,y,accuracy\n" + order.map { rows[$0].text }.joined(separator: "\n") + "\n"
  }
}
