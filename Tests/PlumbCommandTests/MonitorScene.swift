import Foundation
import PlumbTestSupport

/// A square of fences and tracks that cross it, and runs of `plumb monitor` on them.
struct MonitorScene {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("fences.geojson", Self.fences)
    try folder.write("track.csv", Self.track)
  }

  /// A square of one degree with an id and a name, a stop next to it, and a feature without a
  /// shape.
  static let fences = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{"NAME":"Box","id":7,"kind":"area"},"geometry":{"type":"Polygon",
      "coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}},
    {"type":"Feature","properties":{"NAME":"Stop 12","id":8,"kind":"stop"},
      "geometry":{"type":"Point","coordinates":[2,0.5]}},
    {"type":"Feature","properties":{"NAME":null,"id":9,"kind":"area"},"geometry":null}]}
    """

  /// Row 2 does not have a time, row 4 is late, and row 8 does not have a point.
  static let track = """
    entity,timestamp,lon,lat,speed
    bus-1,2026-05-01T10:00:00Z,-0.5,0.5,3
    bus-1,2026-05-01 10:00:10,0.5,0.5,4
    bus-1,garbage,0.5,0.5,4
    bus-1,2026-05-01T12:01:10+02:00,0.6,0.5,4
    bus-1,2026-05-01T10:01:00Z,0.6,0.5,4
    bus-1,2026-05-01T10:02:10Z,1.5,0.5,4
    bus-1,2026-05-01T10:03:10Z,-0.5,0.5,4
    bus-2,1777629600,2,0.5,4
    bus-2,1777629700,nan,0.5,4

    """

  func run(_ arguments: [String], feed: String = "track.csv", input: String = "") throws
    -> ProgramRun
  {
    try ProgramRun(
      TestPaths.program("plumb"), ["monitor", "--feed", feed] + arguments, input: input,
      folder: folder.path)
  }

  /// The events of a run on the fences, each a dictionary.
  func events(_ arguments: [String] = [], feed: String = "track.csv", input: String = "") throws
    -> [[String: Any]]
  {
    let run = try run(["--fences", "fences.geojson"] + arguments, feed: feed, input: input)
    return try run.output.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// Each event as `type fence index`.
  func brief(_ arguments: [String] = [], feed: String = "track.csv", input: String = "") throws
    -> [String]
  {
    try events(arguments, feed: feed, input: input).map {
      "\($0["type"] ?? "") \($0["fence"] ?? "") \($0["index"] ?? "")"
    }
  }

  /// The content of output files that have not yet been renamed to their final names.
  func unfinished() throws -> String {
    let files = FileManager.default
    var text = ""
    for name in try files.contentsOfDirectory(atPath: folder.path) where name.hasPrefix(".plumb-") {
      for file in try files.contentsOfDirectory(atPath: folder.path + "/" + name) {
        text +=
          (try? String(contentsOfFile: "\(folder.path)/\(name)/\(file)", encoding: .utf8)) ?? ""
      }
    }
    return text
  }
}
