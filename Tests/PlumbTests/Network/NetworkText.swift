import Foundation
import Plumb
import PlumbTestSupport

/// Networks written by tests.
enum NetworkText {
  /// Published networks and valve layers; nil if they are absent.
  static var published: String? {
    guard let data = TestPaths.data else { return nil }
    let path = data + "/networks/wntr"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// A GeoJSON collection of features from geometries and properties in JSON.
  static func collection(_ features: [(geometry: String, properties: String)]) -> String {
    let texts = features.map { geometry, properties in
      """
      {"type":"Feature","geometry":\(geometry),"properties":\(properties)}
      """
    }
    return """
      {"type":"FeatureCollection","features":[
      \(texts.joined(separator: ",\n"))
      ]}
      """
  }

  static func point(_ x: Double, _ y: Double) -> String {
    "{\"type\":\"Point\",\"coordinates\":[\(x),\(y)]}"
  }

  static func line(_ points: (Double, Double)...) -> String {
    let list = points.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
    return "{\"type\":\"LineString\",\"coordinates\":[\(list)]}"
  }

  static func opened(_ inp: String, valves: String? = nil) throws -> OpenedNetwork {
    let folder = try TemporaryFolder()
    let layer = try valves.map { try folder.write("valves.csv", $0) }
    return try OpenedNetwork.open(path: try folder.write("net.inp", inp), valveLayer: layer)
  }
}

extension UtilityNetwork {
  /// The `source:globalid` of elements, without duplicates, sorted.
  func names(_ traced: [TracedElement]) -> [String] {
    Set(traced.map { name(of: $0.element) }).sorted()
  }

  func names(_ barriers: [IsolationBarrier]) -> [String] {
    barriers.map { name(of: $0.location.element) }
  }
}

/// The message of an error; nil if there is none.
func message(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return PlumbError.message(of: error)
  }
}
