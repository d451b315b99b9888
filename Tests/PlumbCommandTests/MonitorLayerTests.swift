import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Events as a layer of a GeoPackage.
@Suite(.timeLimit(.minutes(2))) struct MonitorLayerTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  /// The events that OGR reads from a file: the point and the attributes by name.
  private func events(_ name: String) throws -> [[String: FieldValue]] {
    let reader = try VectorFeatureReader(path: scene.folder.path(name))
    var events: [[String: FieldValue]] = []
    while let features = try reader.next(limit: 100) {
      for feature in features {
        var event = Dictionary(
          uniqueKeysWithValues: zip(reader.fields.map(\.name), feature.attributes))
        guard case .point(let point)? = feature.geometry else { continue }
        event["place"] = .text("\(point.x) \(point.y)")
        events.append(event)
      }
    }
    return events
  }

  /// The value, with JSON in a canonical form, because OGR reformats the JSON values that it reads from
  /// GeoJSON.
  private static func plain(_ value: FieldValue) -> FieldValue {
    let text: String
    switch value {
    case .json(let written), .text(let written): text = written
    default: return value
    }
    guard "[{".contains(text.prefix(1)),
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
      let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    else { return value }
    return .json(String(decoding: data, as: UTF8.self))
  }

  private static let message =
    "{'message': $feedfeature.entity + ' ü', 'actions': ['call', 'write'], 'speed': $feedfeature.speed}"

  @Test("have the same values in each column as in GeoJSON") func same() throws {
    for options in [[], ["--message", Self.message, "--explain"]] {
      for name in ["e.gpkg", "e.geojson"] {
        let run = try scene.run(
          ["--fences", "fences.geojson", "--buffer", "50", "-q", "--overwrite", "-o", name]
            + options)
        #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
      }
      let (layer, collection) = (try events("e.gpkg"), try events("e.geojson"))
      #expect(layer.count == collection.count && layer.count > 2)
      for (a, b) in zip(layer, collection) {
        #expect(Set(b.keys).isSubset(of: a.keys))
        for (name, value) in a {
          #expect(Self.plain(value) == Self.plain(b[name] ?? .null), "\(name)")
        }
      }
    }
    let reader = try VectorFeatureReader(path: scene.folder.path("e.gpkg"))
    #expect(reader.layerName == "events" && reader.geometryKind == "Point")
    #expect(reader.spatialReference?.label == "EPSG:4326")
  }

  @Test("have the border crossings in columns, as in CSV") func passages() throws {
    for name in ["e.gpkg", "e.csv"] {
      let run = try scene.run([
        "--fences", "fences.geojson", "--buffer", "50", "--crossings", "-q", "-o", name,
      ])
      #expect(run.status == 0, "\(run.errors)")
    }
    let layer = try events("e.gpkg")
    let rows = try String(contentsOfFile: scene.folder.path("e.csv"), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(layer.count == rows.count - 1 && layer.contains { $0["second_time"] != .null })
    for (event, row) in zip(layer, rows.dropFirst()) {
      for (name, text) in zip(rows[0], row) {
        let value: String =
          switch event[String(name)] {
          case .text(let text)?: text
          case .real(let real)?: Double(text).map { $0 == real ? String(text) : "" } ?? ""
          case .integer(let integer)?: "\(integer)"
          default: ""
          }
        #expect(value == text, "\(name)")
      }
    }
  }

  @Test("of a feed through a named pipe appear when the feed ends or the run is interrupted")
  func live() throws {
    for isInterrupted in [false, true] {
      let (pipe, name) = (scene.folder.path("feed\(isInterrupted)"), "live\(isInterrupted).gpkg")
      #expect(mkfifo(pipe, 0o600) == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
      process.currentDirectoryURL = URL(fileURLWithPath: scene.folder.path)
      process.arguments = [
        "monitor", "--feed", pipe, "--fences", "fences.geojson", "-o", name, "--message",
        "Console($feedfeature.time); 'reported'",
      ]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let writing = try #require(FileHandle(forWritingAtPath: pipe))
      try writing.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n2,1.5,0.5\n3,0.5,0.5\n".utf8))
      if isInterrupted {
        // The file does not exist until the run ends, so the messages about bad rows show that the
        // locations before them have been read.
        var text = ""
        while !text.contains("bad row"), process.isRunning {
          try writing.write(contentsOf: Data("bad row\n".utf8))
          text += String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(!FileManager.default.fileExists(atPath: scene.folder.path(name)))
        kill(process.processIdentifier, SIGINT)
      } else {
        try writing.close()
      }
      try process.waitForExit()
      #expect(process.terminationStatus == (isInterrupted ? 130 : 0))
      #expect(try events(name).map { $0["index"] } == [.integer(0), .integer(1), .integer(2)])
      #expect(try scene.unfinished() == "")
    }
  }

  @Test("need a file") func noFile() throws {
    let run = try scene.run(["--fences", "fences.geojson", "--of", "gpkg"])
    #expect(run.status == 64 && run.errors.contains("--of gpkg needs -o"))
    let device = try scene.run(
      ["--fences", "fences.geojson", "--of", "gpkg", "-o", "/dev/stdout"])
    #expect(device.status == 1 && device.errors.contains("GeoPackage is written to a file"))
    let other = try scene.run(["--fences", "fences.geojson", "-o", "e.shp"])
    #expect(other.status == 1 && other.errors.contains(".gpkg"))
  }
}
