import Plumb
import PlumbGDAL
import PlumbService

/// A service of small documents.
enum RequestScene {
  static let service: Service? = try? make()

  private static func make() throws -> Service {
    let folder = FuzzFolder.shared
    try writeTile(folder.path("tile.tif"))
    folder.write("map.json", map)
    folder.write("town.inp", town)
    folder.write("fences.geojson", fences)
    folder.write("monitor.json", monitor)
    var settings = ServiceSettings()
    settings.workers = Workers(count: 1)
    settings.maximumPoints = 1000
    let catalog = try ServiceCatalog(
      maps: [folder.path("map.json")], networks: [folder.path("town.inp")], settings)
    var limits = MonitorLimits()
    (limits.entities, limits.events) = (100, 100)
    return Service(
      catalog,
      monitors: [
        try LiveMonitor(name: "m", path: folder.path("monitor.json"), limits, Workers(count: 1))
      ])
  }

  private static func writeTile(_ path: String) throws {
    var writer = try RasterWriter(path: path, width: 8, height: 8, pixelType: .uint8)
    try writer.setGeotransform([18, 0.5, 0, -33, 0, -0.5])
    try writer.setReference("EPSG:4326")
    try writer.write((0..<64).map { UInt8($0) }, band: 1, column: 0, row: 0, width: 8, height: 8)
    try writer.close()
  }

  private static let map = """
    {"operationalLayers":[{"id":"r","layerType":"RasterLayer","url":"tile.tif"},{"id":"f",
    "featureCollection":{"layers":[{"layerDefinition":{"name":"f","objectIdField":"OBJECTID",
    "geometryType":"esriGeometryPolygon","fields":[{"name":"OBJECTID","type":"esriFieldTypeOID"},
    {"name":"a","type":"esriFieldTypeInteger"},{"name":"b","type":"esriFieldTypeString"},
    {"name":"d","type":"esriFieldTypeDate"}]},"featureSet":{"spatialReference":{"wkid":4326},
    "geometryType":"esriGeometryPolygon","features":[
    {"attributes":{"OBJECTID":1,"a":3,"b":"x","d":1777630000000},"geometry":
    {"rings":[[[18,-34],[18,-33],[19,-33],[19,-34],[18,-34]]]}},
    {"attributes":{"OBJECTID":2,"a":null,"b":"it's","d":null},"geometry":
    {"rings":[[[20,-36],[20,-35],[21,-35],[20,-36]]]}},
    {"attributes":{"OBJECTID":3,"a":-1,"b":null,"d":0},"geometry":null}]},
    "popupInfo":{"title":"{a}","description":"{b} {expression/e}","fieldInfos":[],
    "expressionInfos":[{"name":"e","expression":"$feature.a + 1"}]}}]}}],
    "spatialReference":{"wkid":4326},"version":"2.31"}
    """

  private static let town = """
    [JUNCTIONS]
     A 10
     B 5
     P2 5
    [RESERVOIRS]
     R 100
    [PIPES]
     P1 R A 10 100 100
     P2 A B 20 100 100
     P3 B P2 20 100 100
    [COORDINATES]
     R 0 0
     A 10 0
     B 30 0
     P2 50 0
    """

  private static let fences = """
    {"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":{"name":"Box"},
    "geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}]}
    """

  private static let monitor = #"{"fences":"fences.geojson","explain":true,"forget":1000}"#
}

extension ServiceRequest {
  /// A request as text: the first line contains the method, the address and optionally the body's
  /// type; the body follows.
  init?(_ bytes: UnsafeRawBufferPointer) {
    let line = bytes.prefix { $0 != 0x0A }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard words.count > 1, let method = Method(rawValue: String(words[0])) else { return nil }
    let address = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method, String(address[0]), query: address.count > 1 ? String(address[1]) : "",
      contentType: words.count > 2 ? String(words[2]) : "",
      body: Array(bytes.dropFirst(line.count + 1)), origin: "http://a",
      accept: "text/html;q=0.5,*/*")
  }
}
