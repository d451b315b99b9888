import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// The point at which layers were identified.
public struct QueryPoint: Sendable {
  /// The easting or longitude, in the CRS.
  public var x: Double
  /// The northing or latitude, in the CRS.
  public var y: Double
  /// The label of the point's CRS; nil if the point is in the layers' coordinates.
  public var reference: String?

  /// Creates a point with the label of its CRS.
  public init(x: Double, y: Double, reference: String?) {
    self.x = x
    self.y = y
    self.reference = reference
  }
}

/// Formats identify results as JSON, one object per point.
package enum IdentifyJSON {
  /// - Parameter names: the names of settings in errors.
  package static func append(
    point: QueryPoint, results: [IdentifyLayerResult], names: [Setting: String] = [:],
    to text: TextBuffer
  ) {
    append(x: point.x, y: point.y, reference: point.reference, to: text)
    text.append(literal: ",\"results\":[")
    append(results, names, to: text)
    text.append(literal: "]}")
  }

  /// Appends the start of the object, and the point as its first member.
  private static func append(x: Double, y: Double, reference: String?, to text: TextBuffer) {
    append(x: x, y: y, to: text)
    appendReference(reference, to: text)
  }

  /// Appends the start of the object up to the point's CRS.
  package static func append(x: Double, y: Double, to text: TextBuffer) {
    text.append(literal: "{\"place\":{\"x\":")
    text.append(json: x)
    text.append(literal: ",\"y\":")
    text.append(json: y)
  }

  /// Appends the point's CRS and the end of the point.
  package static func appendReference(_ reference: String?, to text: TextBuffer) {
    text.append(literal: ",\"crs\":")
    if let reference { text.append(json: reference) } else { text.append(literal: "null") }
    text.append(literal: "}")
  }

  /// Appends results separated by commas.
  package static func append(
    _ results: [IdentifyLayerResult], _ names: [Setting: String], to text: TextBuffer
  ) {
    for (index, result) in results.enumerated() {
      if index > 0 { text.append(literal: ",") }
      append(result, names, to: text)
    }
  }

  /// Appends the start of a layer's result, up to the first element.
  package static func appendHead(
    _ content: IdentifyLayerResult.LayerContent, to text: TextBuffer
  ) {
    text.append(literal: "{\"layer\":{\"id\":")
    text.append(json: content.id)
    text.append(literal: ",\"name\":")
    text.append(json: content.name)
    text.append(literal: ",\"type\":")
    text.append(json: content.type)
    text.append(literal: "},\"geoElements\":[")
  }

  /// Appends one layer's result as an object that contains the results of the layer's sublayers.
  ///
  /// - Parameter names: the names of settings in its error.
  package static func append(
    _ result: IdentifyLayerResult, _ names: [Setting: String] = [:], to text: TextBuffer
  ) {
    appendHead(result.layerContent, to: text)
    for (index, element) in result.geoElements.enumerated() {
      if index > 0 { text.append(literal: ",") }
      switch element {
      case .cell(let cell): append(cell, to: text)
      case .feature(let feature): append(feature, to: text)
      }
    }
    text.append(literal: "],\"popups\":[")
    for (index, popup) in result.popups.enumerated() {
      if index > 0 { text.append(literal: ",") }
      append(popup, to: text)
    }
    text.append(literal: "],\"sublayerResults\":[")
    append(result.sublayerResults, names, to: text)
    text.append(literal: "],\"isTransferLimitExceeded\":")
    text.append(json: result.isTransferLimitExceeded)
    text.append(literal: ",\"error\":")
    append(result.error, names, to: text)
    text.append(literal: "}")
  }

  package static func append(
    _ error: LayerError?, _ names: [Setting: String], to text: TextBuffer
  ) {
    guard let error else { return text.append(literal: "null") }
    text.append(literal: "{\"code\":")
    text.append(json: error.code.rawValue)
    text.append(literal: ",\"message\":")
    text.append(json: error.line.text(names))
    text.append(literal: "}")
  }

  private static func append(_ cell: RasterCell, to text: TextBuffer) {
    text.append(literal: "{\"type\":\"rasterCell\",\"attributes\":{")
    for (index, attribute) in cell.attributes.enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(key: attribute.name)
      switch attribute.value {
      case .null: text.append(literal: "null")
      case .text(let value): text.append(json: value)
      case .real(let value): text.append(json: value)
      case .cell(let value): text.append(json: value)
      }
    }
    text.append(literal: "},\"status\":[")
    for (index, status) in cell.status.enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(json: status.name)
    }
    text.append("],\"row\":\(cell.row),\"column\":\(cell.column),\"geometry\":")
    let corners = cell.footprint
    append(count: corners.count, to: text) { (corners[$0].x, corners[$0].y) }
    text.append(literal: ",\"distance\":0}")
  }

  /// Appends a cell's outline as a closed ring, or null if the outline is unknown.
  package static func append(_ outline: CellOutline?, to text: TextBuffer) {
    append(count: outline == nil ? 0 : 5, to: text) { corner in
      outline.map { ($0.x[corner & 3], $0.y[corner & 3]) } ?? (0, 0)
    }
  }

  private static func append(
    count: Int, to text: TextBuffer, _ corner: (Int) -> (Double, Double)
  ) {
    guard count > 0 else { return text.append(literal: "null") }
    text.append(literal: "{\"type\":\"Polygon\",\"coordinates\":[[")
    for index in 0..<count {
      let (x, y) = corner(index)
      text.append(literal: index > 0 ? ",[" : "[")
      text.append(json: x)
      text.append(UInt8(ascii: ","))
      text.append(json: y)
      text.append(UInt8(ascii: "]"))
    }
    text.append(literal: "]]}")
  }

  private static func append(_ feature: IdentifiedFeature, to text: TextBuffer) {
    text.append(literal: "{\"type\":\"feature\",\"attributes\":{")
    for (index, attribute) in feature.attributes.enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(key: attribute.name)
      text.append(json: attribute.value)
    }
    text.append(literal: "},\"geometry\":")
    var text = text
    GeoJSONGeometry.append(feature.geometry, to: &text)
    text.append(literal: ",\"distance\":")
    feature.distance == 0 ? text.append(literal: "0") : text.append(json: feature.distance)
    text.append(literal: "}")
  }

  private static func append(_ popup: Popup, to text: TextBuffer) {
    text.append(literal: "{\"title\":")
    text.append(json: popup.title)
    text.append(literal: ",\"text\":")
    text.append(json: popup.text)
    text.append(literal: ",\"fields\":[")
    for (index, field) in popup.fields.enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(literal: "{\"name\":")
      text.append(json: field.name)
      text.append(literal: ",\"label\":")
      text.append(json: field.label)
      text.append(literal: ",\"value\":")
      text.append(json: field.text)
      text.append(literal: "}")
    }
    text.append(literal: "]")
    if !popup.media.isEmpty {
      text.append(literal: ",\"media\":[")
      text.append(popup.media.map(\.json.text).joined(separator: ","))
      text.append(literal: "]")
    }
    if !popup.attachments.isEmpty {
      let list = popup.attachments.map { attachment in
        var object = JSONObject()
        object.add("name", attachment.name)
        object.add("url", attachment.url)
        object.add("contentType", attachment.contentType)
        object.add("size", attachment.byteCount.map { .integer(Int64($0)) } ?? .null)
        return object.text
      }
      text.append(literal: ",\"attachments\":[")
      text.append(list.joined(separator: ","))
      text.append(literal: "]")
    }
    text.append(literal: "}")
  }
}

extension Popup.Medium {
  /// The medium as JSON. An image has a URL, and a chart has fields.
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("type", type)
    object.add("title", title)
    object.add("caption", caption)
    if !address.isEmpty { object.add("url", address) }
    if !link.isEmpty { object.add("link", link) }
    if !fields.isEmpty {
      object.add(
        "fields",
        fields.map { field in
          var entry = JSONObject()
          entry.add("name", field.name)
          entry.add("label", field.label)
          entry.add("value", field.text)
          return entry
        })
    }
    return object
  }
}

extension IdentifyLayerResult {
  /// Returns one point's results as a JSON object on one line.
  ///
  /// - Parameter names: the names of settings in errors.
  public static func json(
    point: QueryPoint, results: [IdentifyLayerResult], names: [Setting: String] = [:]
  ) -> String {
    let text = TextBuffer()
    IdentifyJSON.append(point: point, results: results, names: names, to: text)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

extension IdentifyLayerResult: Encodable {
  /// Encodes the result as in the `results` of `plumb identify --format json`, with the members
  /// `layer`, `geoElements`, `popups`, `sublayerResults`, `isTransferLimitExceeded` and `error`.
  public func encode(to encoder: any Encoder) throws {
    let text = TextBuffer()
    IdentifyJSON.append(self, to: text)
    try EncodableJSON(Array(text.bytes)).encode(to: encoder)
  }
}

extension QueryPoint: CustomStringConvertible {
  /// x, y and the CRS's label, for example `18.6, -34.1 (EPSG:4326)`.
  public var description: String { "\(x), \(y)" + (reference.map { " (\($0))" } ?? "") }
}
