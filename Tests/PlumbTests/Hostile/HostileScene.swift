import CGDAL
import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport

/// A folder with secrets next to a folder with a map of hostile layers.
struct HostileScene {
  /// The content of every secret text file.
  static let token = "PLUMB-SECRET-7f3a"
  /// The cell value of every secret raster.
  static let cell: Int32 = 1_739_424_242

  let folder: TemporaryFolder
  let cases: [HostileCase]
  let listener: LoopbackListener

  /// - Parameter cases: the layers in order; their ids are `c0`, `c1` and so on.
  init(_ cases: [HostileCase], listener: LoopbackListener) throws {
    self.cases = cases
    self.listener = listener
    folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["outside", "maps", "maps/in"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try raster("outside/o.tif", Self.cell)
    try raster("maps/m.tif", 7)
    try folder.write("maps/t.geojson", Self.square("town"))
    try folder.write("outside/s.geojson", Self.square(Self.token))
    try folder.write("outside/s.csv", "WKT,note\n\"POINT(1 1)\",\(Self.token)\n")
    try folder.write("outside/secret.txt", Self.token + "\n")
    try folder.write("outside/secret", "<1> +proj=longlat +datum=WGS84 +title=\(Self.token)\n")
    try folder.write(
      "outside/service.json", #"{"layers":[{"id":0,"name":"\#(Self.token)","source":"s.geojson"}]}"#
    )
    let raw = (0..<4).flatMap { _ in withUnsafeBytes(of: Self.cell.littleEndian) { Array($0) } }
    try Data(raw).write(to: URL(fileURLWithPath: folder.path("outside/o.raw")))
    var layers: [String] = []
    for (index, hostile) in cases.enumerated() {
      let copyName = "c\(index)"
      try files.createDirectory(
        atPath: folder.path("maps/" + copyName), withIntermediateDirectories: true)
      for (name, text) in hostile.files where !name.isEmpty {
        try add("maps/\(copyName)/\(name)", filled(text, copyName), in: "maps/" + copyName)
      }
      layers.append(
        "{\"id\":\"\(copyName)\",\"layerType\":\"\(hostile.kind.rawValue)\",\"url\":\"\(filled(hostile.url, copyName))\"}"
      )
    }
    try folder.write(
      "maps/map.json",
      "{\"spatialReference\":{\"wkid\":4326},\"operationalLayers\":[\(layers.joined(separator: ",\n"))]}"
    )
  }

  var map: String { folder.path("maps/map.json") }

  /// The text with the placeholders for folders and addresses replaced.
  func filled(_ text: String, _ copyName: String = "") -> String {
    text.replacing("{OUT}", with: folder.path("outside")).replacing("{UP}", with: "../../outside")
      .replacing("{HERE}", with: copyName).replacing(
        "{URL}", with: "http://127.0.0.1:\(listener.port)"
      )
      .replacing("{PORT}", with: "\(listener.port)")
  }

  private func add(_ name: String, _ text: String, in copyName: String) throws {
    if text.hasPrefix("->") {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(name), withDestinationPath: String(text.dropFirst(2)))
    } else if text == "=m.tif" || text == "=t.geojson" {
      try FileManager.default.copyItem(
        atPath: folder.path("maps/" + text.dropFirst()), toPath: folder.path(name))
    } else if text.hasPrefix("=m.tif ") {
      try tag(name, text.split(separator: " ").map(String.init))
    } else if text == "|" {
      mkfifo(folder.path(name), 0o600)
    } else {
      try folder.write(name, text)
    }
  }

  /// Copies the valid raster and adds a metadata item to the copy. The words after the first are
  /// the item's name, domain and value.
  private func tag(_ name: String, _ words: [String]) throws {
    try FileManager.default.copyItem(
      atPath: folder.path("maps/m.tif"), toPath: folder.path(name))
    GDALLibrary.start()
    let dataset = GDALOpenEx(
      folder.path(name), UInt32(GDAL_OF_RASTER | GDAL_OF_UPDATE), nil, nil, nil)
    GDALSetMetadataItem(dataset, words[1], words[3], words[2])
    GDALClose(dataset)
  }

  private func raster(_ name: String, _ value: Int32) throws {
    var writer = try RasterWriter(
      path: folder.path(name), width: 2, height: 2, bandCount: 1, pixelType: .int32, options: [])
    try writer.setGeotransform([0, 1, 0, 2, 0, -1])
    try writer.setReference("EPSG:4326")
    try writer.write([Int32](repeating: value, count: 4), band: 1)
    try writer.close()
  }

  static func square(_ note: String) -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"note\":\"\(note)\"},"
      + "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}}]}"
  }

  /// Whether the text contains a secret.
  static func isLeak(_ text: String) -> Bool {
    text.contains(token) || text.contains("\(cell)")
  }

  /// The cases whose results contain secrets, and those that should be rejected but are not.
  func faults(inResults json: String) throws -> (leaks: [String], open: [String]) {
    var leaks: [String] = []
    var open = Set(cases.indices.filter { cases[$0].outcome == .refused })
    for line in json.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      for result in object?["results"] as? [[String: Any]] ?? [] {
        let layer = (result["layer"] as? [String: Any])?["id"] as? String ?? ""
        guard let index = Int(layer.dropFirst()), cases.indices.contains(index) else { continue }
        let data = try JSONSerialization.data(withJSONObject: result)
        let text = String(decoding: data, as: UTF8.self)
        if Self.isLeak(text) { leaks.append(cases[index].name) }
        // The error of the layer or of a nested layer.
        if text.contains("\"error\":{") { open.remove(index) }
      }
    }
    return (leaks, open.sorted().map { cases[$0].name })
  }
}
