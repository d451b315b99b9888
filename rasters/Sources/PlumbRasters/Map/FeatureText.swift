import PlumbCore

/// A feature of the sample map, and its line in a GeoJSON file.
struct MapFeature {
  enum Shape {
    case point(Vertex)
    case lines([[Vertex]])
    /// Polygons, each a ring and its holes; all rings are closed.
    case areas([[[Vertex]]])
  }

  var shape: Shape
  var fields: [(name: String, value: FieldValue)]

  /// A feature collection, one feature per line.
  static func collection(_ name: String, _ features: [MapFeature]) -> String {
    "{\n\"type\": \"FeatureCollection\",\n\"name\": \"\(name)\",\n\"features\": [\n"
      + features.map(\.json).joined(separator: ",\n") + "\n]\n}\n"
  }

  /// Writes a feature collection to the file of its name in a folder.
  static func write(_ features: [MapFeature], _ name: String, to folder: String) throws {
    try writeText(collection(name, features), to: "\(folder)/\(name).geojson")
  }

  private var json: String {
    let properties = fields.map { "\"\($0.name)\": \(Self.literal($0.value))" }
    return "{\"type\": \"Feature\", \"properties\": {\(properties.joined(separator: ", "))}, "
      + "\"geometry\": {\(geometry)}}"
  }

  /// The members of the geometry; a geometry with one part is not written as a multipart geometry.
  private var geometry: String {
    func member(_ type: String, _ coordinates: String) -> String {
      "\"type\": \"\(type)\", \"coordinates\": \(coordinates)"
    }
    switch shape {
    case .point(let place): return member("Point", Self.pair(place))
    case .lines(let lines) where lines.count == 1: return member("LineString", Self.list(lines[0]))
    case .lines(let lines): return member("MultiLineString", Self.list(lines))
    case .areas(let areas) where areas.count == 1: return member("Polygon", Self.list(areas[0]))
    case .areas(let areas):
      return member("MultiPolygon", "[" + areas.map(Self.list).joined(separator: ",") + "]")
    }
  }

  private static func literal(_ value: FieldValue) -> String {
    switch value {
    case .text(let text):
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .json(let text): text
    case .null: "null"
    }
  }

  private static func list(_ parts: [[Vertex]]) -> String {
    "[" + parts.map(list).joined(separator: ",") + "]"
  }

  private static func list(_ vertices: [Vertex]) -> String {
    "[" + vertices.map(pair).joined(separator: ",") + "]"
  }

  private static func pair(_ vertex: Vertex) -> String {
    "[\(degrees(vertex.x)),\(degrees(vertex.y))]"
  }

  /// Formats millionths of degrees as degrees, without trailing zeros.
  private static func degrees(_ millionths: Int) -> String {
    let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    var text = String(rest)
    text = String(repeating: "0", count: 6 - text.count) + text
    while text.hasSuffix("0") { text.removeLast() }
    return (millionths < 0 ? "-" : "") + "\(whole)" + (text.isEmpty ? "" : "." + text)
  }
}

extension Double {
  /// Rounded to some decimal places.
  func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { product, _ in product * 10 }
    return (self * scale).rounded() / scale
  }
}
