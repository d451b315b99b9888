import PlumbCore
import PlumbIO

/// Writes values as JSON text. Features are written as `{"geometry":…,"attributes":{…}}`, shapes as
/// EsriJSON, dates as milliseconds, and NaN, infinities and functions as null.
struct ArcadeJSONWriter {
  /// The maximum nesting of arrays and dictionaries. Deeper values are omitted.
  static let depthLimit = 64

  private(set) var bytes: [UInt8] = []
  /// Whether the text exceeded the limit and was cut.
  private(set) var isTruncated = false
  /// Whether values were nested too deep and omitted.
  private(set) var isTooDeep = false
  private let byteLimit: Int
  private var depth = 0

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the text. Throws if the text is incomplete.
  func wholeText() throws(ArcadeFailure) -> String {
    guard !isTooDeep else {
      throw ArcadeFailure("the value nests deeper than \(Self.depthLimit) levels and has no text")
    }
    guard !isTruncated else { throw ArcadeFailure("the value's text is too long") }
    return text
  }

  mutating func append(_ value: ArcadeValue) {
    guard bytes.count < byteLimit else {
      isTruncated = true
      return
    }
    switch value {
    case .null, .function: put("null")
    case .boolean(let boolean): put(boolean ? "true" : "false")
    case .number(let number): append(number)
    case .text(let text): append(quoted: text)
    case .date(let date): put(String(date.milliseconds))
    case .geometry(let geometry): append(geometry)
    case .array(let array):
      nested("[", "]") { writer in
        writer.list(array.elements) { $0.append($1) }
      }
    case .dictionary(let dictionary):
      nested("{", "}") { $0.members(dictionary.keys, dictionary.values) }
    case .feature(let feature):
      nested("{", "}") { writer in
        writer.put("\"geometry\":")
        writer.append(feature.geometry.map { .geometry($0) } ?? .null)
        writer.put(",\"attributes\":{")
        writer.members(feature.fields.names, feature.attributes)
        writer.put("}")
      }
    }
  }

  // MARK: Parts

  private mutating func put(_ ascii: String) { bytes += ascii.utf8 }

  private mutating func nested(
    _ open: String, _ close: String, _ body: (inout ArcadeJSONWriter) -> Void
  ) {
    guard depth < Self.depthLimit else {
      isTooDeep = true
      return put("null")
    }
    depth += 1
    put(open)
    body(&self)
    put(close)
    depth -= 1
  }

  /// Appends items separated by commas, until the text is cut.
  private mutating func list<Items: Collection>(
    _ items: Items, _ body: (inout ArcadeJSONWriter, Items.Element) -> Void
  ) {
    var isFirst = true
    for item in items {
      if isTruncated { return }
      if !isFirst { put(",") }
      isFirst = false
      body(&self, item)
    }
  }

  private mutating func members(_ names: [String], _ values: [ArcadeValue]) {
    list(Array(zip(names, values))) { writer, member in
      writer.append(quoted: member.0)
      writer.put(":")
      writer.append(member.1)
    }
  }

  private mutating func append(_ number: Double) {
    put(number.isFinite ? ArcadeNumber.text(number) : "null")
  }

  private mutating func append(quoted text: String) { JSONText.append(text, to: &bytes) }

  // MARK: Shapes

  private mutating func append(_ geometry: Geometry) {
    put("{")
    switch geometry {
    case .point(let point):
      put("\"x\":")
      append(point.x)
      put(",\"y\":")
      append(point.y)
      if let z = point.z {
        put(",\"z\":")
        append(z)
      }
      if let m = point.m {
        put(",\"m\":")
        append(m)
      }
    case .envelope(let envelope):
      let sides = [
        ("xmin", envelope.xMin), ("ymin", envelope.yMin), ("xmax", envelope.xMax),
        ("ymax", envelope.yMax),
      ]
      list(sides) { writer, side in
        writer.put("\"\(side.0)\":")
        writer.append(side.1)
      }
    case .multipoint(let multipoint):
      hasMarks(multipoint.vertices)
      put("\"points\":")
      append(multipoint.vertices, multipoint.vertices.xy.indices)
    case .polyline(let polyline):
      append("paths", polyline.vertices, polyline.parts)
    case .polygon(let polygon):
      append("rings", polygon.vertices, polygon.rings)
    }
    if let reference = geometry.spatialReference {
      put(",\"spatialReference\":")
      append(.dictionary(ArcadeDictionary(reference: reference)))
    }
    put("}")
  }

  private mutating func hasMarks(_ vertices: VertexList) {
    if vertices.z != nil { put("\"hasZ\":true,") }
    if vertices.m != nil { put("\"hasM\":true,") }
  }

  private mutating func append(_ name: String, _ vertices: VertexList, _ parts: [Range<Int>]) {
    hasMarks(vertices)
    put("\"\(name)\":[")
    list(parts) { $0.append(vertices, $1) }
    put("]")
  }

  private mutating func append(_ vertices: VertexList, _ range: Range<Int>) {
    put("[")
    list(range) { writer, vertex in
      guard writer.bytes.count < writer.byteLimit else {
        writer.isTruncated = true
        return
      }
      writer.put("[")
      writer.append(vertices.xy[vertex].x)
      writer.put(",")
      writer.append(vertices.xy[vertex].y)
      for values in [vertices.z, vertices.m] {
        guard let values else { continue }
        writer.put(",")
        writer.append(values[vertex])
      }
      writer.put("]")
    }
    put("]")
  }
}

extension ArcadeDictionary {
  /// Creates `{wkid}` for a CRS with a code, and `{wkt}` for other CRSs.
  convenience init(reference: SpatialReference) {
    self.init()
    // If the WKT of a CRS from a file contains a code and is equivalent to the CRS with that code,
    // the label of the CRS is that code.
    let parts = reference.label.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "EPSG" || parts[0] == "ESRI", let number = Int(parts[1]) {
      self["wkid"] = .number(Double(number))
    } else {
      self["wkt"] = .text(reference.definition)
    }
  }
}
