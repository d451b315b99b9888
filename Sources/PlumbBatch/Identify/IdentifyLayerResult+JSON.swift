import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Where an identify answer was asked.
public struct AskedPoint: Sendable {
  /// Easting or longitude, in the reference.
  public var x: Double
  /// Northing or latitude, in the reference.
  public var y: Double
  /// The label of its reference; nil when it is in the layers' own coordinates.
  public var reference: String?

  /// A point that was asked, for the head of its answer.
  public init(x: Double, y: Double, reference: String?) {
    self.x = x
    self.y = y
    self.reference = reference
  }
}

/// Identify answers as JSON: one object a point.
package enum IdentifyJSON {
  /// - Parameters:
  ///   - input: the row's columns, already JSON; nil leaves the member out.
  ///   - names: what settings are called in errors.
  package static func append(
    point: AskedPoint, input: [UInt8]? = nil, results: [IdentifyLayerResult],
    names: [Setting: String] = [:], to text: inout [UInt8]
  ) {
    append("{\"place\":{\"x\":", to: &text)
    JSONText.append(point.x, to: &text)
    append(",\"y\":", to: &text)
    JSONText.append(point.y, to: &text)
    append(",\"crs\":", to: &text)
    if let reference = point.reference {
      JSONText.append(reference, to: &text)
    } else {
      append("null", to: &text)
    }
    append("}", to: &text)
    if let input {
      append(",\"input\":", to: &text)
      text.append(contentsOf: input)
    }
    append(",\"results\":[", to: &text)
    for (index, result) in results.enumerated() {
      if index > 0 { append(",", to: &text) }
      append(result, names, to: &text)
    }
    append("]}", to: &text)
  }

  /// One layer's result as an object, its sublayers' within it.
  ///
  /// - Parameter names: what settings are called in its error.
  package static func append(
    _ result: IdentifyLayerResult, _ names: [Setting: String] = [:], to text: inout [UInt8]
  ) {
    append("{\"layer\":{\"id\":", to: &text)
    JSONText.append(result.layerContent.id, to: &text)
    append(",\"name\":", to: &text)
    JSONText.append(result.layerContent.name, to: &text)
    append(",\"type\":", to: &text)
    JSONText.append(result.layerContent.type, to: &text)
    append("},\"geoElements\":[", to: &text)
    for (index, element) in result.geoElements.enumerated() {
      if index > 0 { append(",", to: &text) }
      switch element {
      case .cell(let cell): append(cell, to: &text)
      case .feature(let feature): append(feature, to: &text)
      }
    }
    append("],\"popups\":[", to: &text)
    for (index, popup) in result.popups.enumerated() {
      if index > 0 { append(",", to: &text) }
      append(popup, to: &text)
    }
    append("],\"sublayerResults\":[", to: &text)
    for (index, sublayer) in result.sublayerResults.enumerated() {
      if index > 0 { append(",", to: &text) }
      append(sublayer, names, to: &text)
    }
    append("],\"isTransferLimitExceeded\":", to: &text)
    JSONText.append(result.isTransferLimitExceeded, to: &text)
    append(",\"error\":", to: &text)
    if let error = result.error {
      append("{\"code\":", to: &text)
      JSONText.append(error.code.rawValue, to: &text)
      append(",\"message\":", to: &text)
      JSONText.append(error.line.text(names), to: &text)
      append("}", to: &text)
    } else {
      append("null", to: &text)
    }
    append("}", to: &text)
  }

  private static func append(_ cell: RasterCell, to text: inout [UInt8]) {
    append("{\"type\":\"rasterCell\",\"attributes\":{", to: &text)
    for (index, attribute) in cell.attributes.enumerated() {
      if index > 0 { append(",", to: &text) }
      JSONText.append(attribute.name, to: &text)
      append(":", to: &text)
      switch attribute.value {
      case .null: append("null", to: &text)
      case .text(let value): JSONText.append(value, to: &text)
      case .real(let value): JSONText.append(value, to: &text)
      case .cell(let value): append(value, to: &text)
      }
    }
    append("},\"status\":[", to: &text)
    for (index, status) in cell.status.enumerated() {
      if index > 0 { append(",", to: &text) }
      JSONText.append(status.name, to: &text)
    }
    append("],\"row\":\(cell.row),\"column\":\(cell.column),\"geometry\":", to: &text)
    if cell.footprint.isEmpty {
      append("null", to: &text)
    } else {
      append("{\"type\":\"Polygon\",\"coordinates\":[[", to: &text)
      for (index, corner) in cell.footprint.enumerated() {
        if index > 0 { append(",", to: &text) }
        append("[", to: &text)
        JSONText.append(corner.x, to: &text)
        append(",", to: &text)
        JSONText.append(corner.y, to: &text)
        append("]", to: &text)
      }
      append("]]}", to: &text)
    }
    append(",\"distance\":0}", to: &text)
  }

  private static func append(_ feature: IdentifiedFeature, to text: inout [UInt8]) {
    append("{\"type\":\"feature\",\"attributes\":{", to: &text)
    for (index, attribute) in feature.attributes.enumerated() {
      if index > 0 { append(",", to: &text) }
      JSONText.append(key: attribute.name, to: &text)
      JSONText.append(attribute.value, to: &text)
    }
    append("},\"geometry\":", to: &text)
    var shape = TextBuffer()
    GeoJSONGeometry.append(feature.geometry, to: &shape)
    text.append(contentsOf: shape.bytes)
    append(",\"distance\":", to: &text)
    if feature.distance == 0 {
      append("0", to: &text)
    } else {
      JSONText.append(feature.distance, to: &text)
    }
    append("}", to: &text)
  }

  private static func append(_ popup: Popup, to text: inout [UInt8]) {
    append("{\"title\":", to: &text)
    JSONText.append(popup.title, to: &text)
    append(",\"text\":", to: &text)
    JSONText.append(popup.text, to: &text)
    append(",\"fields\":[", to: &text)
    for (index, field) in popup.fields.enumerated() {
      if index > 0 { append(",", to: &text) }
      append("{\"name\":", to: &text)
      JSONText.append(field.name, to: &text)
      append(",\"label\":", to: &text)
      JSONText.append(field.label, to: &text)
      append(",\"value\":", to: &text)
      JSONText.append(field.text, to: &text)
      append("}", to: &text)
    }
    append("]}", to: &text)
  }

  /// A cell's value: whole numbers in full, floats in their shortest form, infinity as null,
  /// complex as text.
  package static func append(_ value: CellValue, to text: inout [UInt8]) {
    switch value {
    case .signed(let value): JSONText.append(value, to: &text)
    case .unsigned(let value): JSONText.append(value, to: &text)
    case .float32(let value): JSONText.append(value, to: &text)
    case .float64(let value): JSONText.append(value, to: &text)
    case .complexInteger, .complexFloat32, .complexFloat64:
      JSONText.append(value.description, to: &text)
    }
  }

  private static func append(_ literal: String, to text: inout [UInt8]) {
    text.append(contentsOf: literal.utf8)
  }
}

extension IdentifyLayerResult {
  /// One point's results as a JSON object on one line.
  ///
  /// - Parameter names: what settings are called in errors.
  public static func json(
    point: AskedPoint, results: [IdentifyLayerResult], names: [Setting: String] = [:]
  ) -> String {
    var text: [UInt8] = []
    IdentifyJSON.append(point: point, results: results, names: names, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

extension IdentifyLayerResult: Encodable {
  /// Encodes the object that `plumb identify --format json` has among its `results`: `layer`,
  /// `geoElements`, `popups`, `sublayerResults`, `isTransferLimitExceeded` and `error`.
  public func encode(to encoder: any Encoder) throws {
    var text: [UInt8] = []
    IdentifyJSON.append(self, to: &text)
    try EncodableJSON(text).encode(to: encoder)
  }
}

extension AskedPoint: CustomStringConvertible {
  /// x, y and the reference's label, as `18.6, -34.1 (EPSG:4326)`.
  public var description: String { "\(x), \(y)" + (reference.map { " (\($0))" } ?? "") }
}
