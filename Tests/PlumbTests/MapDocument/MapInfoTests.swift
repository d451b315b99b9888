import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// The output of `info` for a map, and randomly damaged documents.
@Suite struct MapInfoTests {
  private static let document = #"""
    {"spatialReference":{"wkid":4326},"operationalLayers":[
     {"id":"dem","title":"Elevation","layerType":"RasterLayer","url":"grid.asc","minScale":5000},
     {"id":"g","layerType":"GroupLayer","visibility":false,"layers":[
      {"id":"towns","title":"Towns","layerType":"ArcGISFeatureLayer","url":"towns.geojson",
       "popupInfo":{"title":"{NAME}","fieldInfos":[{"fieldName":"POP","format":{"places":1}}]},
       "layerDefinition":{"drawingInfo":{"renderer":{"type":"uniqueValue","field1":"NAME",
        "uniqueValueInfos":[{"value":"A","symbol":{"type":"esriSMS","size":8}}]}}}}]},
     {"id":"s","layerType":"ArcGISMapServiceLayer","url":"services.json","visibleLayers":[1],
      "layers":[{"id":1,"layerDefinition":{"minScale":5}}]},
     {"id":"bad","layerType":"ArcGISSceneServiceLayer"}]}
    """#
  private static let services = #"""
    {"layers":[{"id":0,"name":"G","parentLayerId":-1,"subLayerIds":[1],"type":"Group Layer"},
     {"id":1,"name":"T","parentLayerId":0,"source":{"path":"towns.geojson"}},
     {"id":2,"name":"R","parentLayerId":-1,"source":"grid.asc","defaultVisibility":true}]}
    """#

  @Test func textAndJSON() throws {
    let folder = try TemporaryFolder()
    try folder.write("services.json", Self.services)
    let info = MapInfo(try MapDocumentTests.open(Self.document, in: folder), path: "map.json")
    let lines = info.text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "path: map.json")
    #expect(lines[1].hasPrefix("crs: EPSG:4326"))
    #expect(lines[2] == "layers, from the top:")
    #expect(
      lines.filter { $0.contains("]: ") } == [
        "  bad [bad]: ArcGISSceneServiceLayer, visible", "  s [s]: mapImage, visible",
        "    G [0]: group, visible", "      T [1]: feature, visible, minScale 1:5",
        "    R [2]: raster, hidden",
        "  g [g]: group, hidden", "    Towns [towns]: feature, visible",
        "  Elevation [dem]: raster, visible, minScale 1:5000",
      ])
    #expect(lines.contains("      fields: NAME text, POP integer"))
    #expect(lines[4].hasPrefix("    error: "))
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(info.json.utf8)) as? [String: Any])
    #expect(root["path"] as? String == "map.json")
    let layers = try #require(root["layers"] as? [[String: Any]])
    #expect(layers.map { $0["id"] as? String } == ["bad", "s", "g", "dem"])
    #expect(layers.map { $0["status"] as? String } == ["failed", "ok", "ok", "ok"])
    #expect((layers[0]["error"] as? String)?.contains("operationalLayers[3].layerType") == true)
    #expect(layers[3]["width"] as? Int == 2)
    let towns = try #require((layers[2]["layers"] as? [[String: Any]])?.first)
    #expect(towns["features"] as? Int == 2)
    #expect(towns["popup"] as? Bool == true)
    #expect(towns["geometry"] as? String == "Polygon")
    #expect(lines.contains("      geometry: Polygon"))
  }

  /// Any document is a map or causes one error.
  @Test func damagedDocumentsNeverTrap() throws {
    let folder = try TemporaryFolder()
    _ = try MapDocumentTests.open(Self.document, in: folder)
    try folder.write("services.json", Self.services)
    var random = SeededGenerator(seed: 11)
    let pieces = [
      "null", "true", "-1", "1e400", "9223372036854775807", "0.5", "\"\"", "[]", "{}", "[[]]",
      "\"x\"", "\"..\"", "\"*\"", "\"grid.asc\"", "4294967296", "-9223372036854775808",
    ].map { Array($0.utf8) }
    var (maps, errors, failures) = (0, 0, 0)
    for round in 0..<2000 {
      let isService = round % 3 == 0
      var bytes = Array((isService ? Self.services : Self.document).utf8)
      defer {
        _ = try? folder.write("map.json", Self.document)
        _ = try? folder.write("services.json", Self.services)
      }
      if round % 2 == 0 {
        // Replaces one value by another.
        let values = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        let start = try #require(values.randomElement(using: &random)) + 1
        var scanner = bytes.withUnsafeBytes { Self.length(of: $0, at: start) }
        scanner = max(scanner, 0)
        bytes.replaceSubrange(
          start..<start + scanner, with: try #require(pieces.randomElement(using: &random)))
      } else {
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          let point = Int.random(in: 0..<bytes.count, using: &random)
          bytes[point] = UInt8.random(in: 0...255, using: &random)
        }
      }
      let name = isService ? "services.json" : "map.json"
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
      _ = Map.isDocument(path: folder.path(name))
      do {
        let map = try Map.open(path: folder.path("map.json"))
        maps += 1
        // Opening all files every time would be slow.
        guard Int.random(in: 0..<25, using: &random) == 0 else { continue }
        if MapInfo(map).json.contains("\"failed\"") { failures += 1 }
      } catch {
        errors += 1
        #expect(!error.message.contains("\n"))
      }
    }
    #expect(maps > 500)
    #expect(errors > 100)
    #expect(failures > 15)
  }

  private static func length(of bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
    var scanner = JSONScanner(bytes, at: start)
    guard (try? scanner.skipValue()) != nil else { return 0 }
    return scanner.position - start
  }

  @Test func aMegabyteOfJunk() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 12)
    for start in ["", "{", "{\"operationalLayers\":[", "{\"operationalLayers\":[{\"id\":\""] {
      var bytes = Array(start.utf8)
      for _ in 0..<1 << 20 { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path("map.json")))
      #expect(throws: PlumbError.self) { try Map.open(path: folder.path("map.json")) }
      _ = Map.isDocument(path: folder.path("map.json"))
    }
  }
}
