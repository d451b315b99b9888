import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster

/// A description of a map as text and JSON: its layers, topmost first, with the properties that are
/// known after opening the layers. No features are read.
public struct MapInfo {
  private let path: String?
  private let reference: SpatialReference?
  private let layers: [Entry]

  /// - Parameters:
  ///   - map: the map to describe.
  ///   - path: the map document's path, if it has one.
  ///   - names: the names of settings in errors.
  public init(_ map: Map, path: String? = nil, names: [Setting: String] = [:]) {
    self.path = path
    layers = map.layers.reversed().map { Entry($0, names) }
    reference = map.resolvedReference
  }

  /// The description as one JSON object on one line.
  public var json: String {
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(
      members: [
        ("path", path.map { .text($0) } ?? .null),
        ("crs", reference.map { .text($0.label) } ?? .null),
      ], to: &text)
    Self.append(layers, to: &text)
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ layers: [Entry], to text: inout [UInt8]) {
    text += Array(",\"layers\":[".utf8)
    for (index, layer) in layers.enumerated() {
      text += Array((index > 0 ? ",{" : "{").utf8)
      GeoJSONRowText.append(members: layer.facts, to: &text)
      if let inner = layer.layers { append(inner, to: &text) }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "]"))
  }

  /// The description as text: lines for the map, then one for each layer and sublayer.
  public var text: String {
    var lines: [String] = []
    if let path { lines.append("path: \(path.printable)") }
    lines.append("crs: \(reference?.label.printable ?? "none")")
    lines.append(layers.isEmpty ? "layers: none" : "layers, from the top:")
    for layer in layers { layer.append(to: &lines, depth: 1) }
    return lines.joined(separator: "\n")
  }

  /// A layer and its sublayers.
  private struct Entry {
    private(set) var facts: [(name: String, value: FieldValue)]
    /// The sublayers; nil for a layer that cannot have sublayers.
    private(set) var layers: [Entry]?

    init(_ layer: any Layer, _ names: [Setting: String], isSublayer: Bool = false) {
      var failure: LayerError?
      do throws(LayerError) {
        try layer.load()
      } catch {
        failure = error
      }
      let range = layer.properties.scaleRange
      facts = [
        ("id", .text(layer.id)), ("name", .text(layer.name)),
        ("type", .text(layer.typeName)), ("visible", .boolean(layer.isVisible)),
        ("minScale", .real(range.minScale)), ("maxScale", .real(range.maxScale)),
        ("status", .text(failure == nil ? "ok" : "failed")),
        ("error", failure.map { .text($0.line.text(names)) } ?? .null),
        ("warning", layer.properties.undrawn.warning.map { .text($0) } ?? .null),
      ]
      if failure == nil {
        switch layer.typed {
        case .feature(let layer): facts += Self.facts(of: layer)
        case .raster(let layer): facts += Self.facts(of: layer)
        case .group, .mapImage, .remote, .broken: break
        }
      }
      switch layer.typed {
      case .group, .mapImage: layers = layer.sublayers.map { Entry($0, names, isSublayer: true) }
      case .feature, .raster, .remote, .broken: break
      }
    }

    private static func facts(of layer: FeatureLayer) -> [(name: String, value: FieldValue)] {
      let table = layer.table
      var fields: [UInt8] = Array("[".utf8)
      for (index, field) in table.fields.enumerated() {
        fields += Array((index > 0 ? ",{" : "{").utf8)
        GeoJSONRowText.append(
          members: [("name", .text(field.name)), ("type", .text("\(field.kind)"))], to: &fields)
        fields.append(UInt8(ascii: "}"))
      }
      fields.append(UInt8(ascii: "]"))
      return [
        ("path", table.path.map { .text($0) } ?? .null),
        ("crs", table.spatialReference.map { .text($0.label) } ?? .null),
        ("geometry", table.geometryKind.map { .text($0) } ?? .null),
        ("features", table.featureCount.map { .integer(Int64($0)) } ?? .null),
        ("spatialIndex", .boolean(table.hasSpatialIndex)),
        ("fields", .json(String(decoding: fields, as: UTF8.self))),
        ("definitionExpression", layer.definitionExpression.map { .text($0) } ?? .null),
        ("popup", .boolean(layer.popup != nil)),
      ]
    }

    private static func facts(of layer: RasterLayer) -> [(name: String, value: FieldValue)] {
      guard let raster = layer.raster else { return [] }
      let first = raster.members[0]
      let reference = (raster.references.first ?? nil).map { text in
        (try? SpatialReference(text))?.label ?? text
      }
      return [
        ("path", .text(layer.members.first?.path ?? first.path)),
        ("files", .integer(Int64(layer.members.count))),
        ("crs", reference.map { .text($0) } ?? .null),
        ("width", .integer(Int64(first.profile.grid.width))),
        ("height", .integer(Int64(first.profile.grid.height))),
        ("bands", .integer(Int64(raster.bands.count))),
        ("pixelType", .text(raster.bands[0].pixelType.name)),
        ("popup", .boolean(layer.popup != nil)),
      ] + datesFacts(of: layer)
    }

    /// The axis of a layer with dates.
    private static func datesFacts(of layer: RasterLayer) -> [(name: String, value: FieldValue)] {
      guard let texts = layer.dates?.texts, let first = texts.first, let last = texts.last else {
        return []
      }
      return [
        ("dates", .integer(Int64(texts.count))), ("firstDate", .text(first)),
        ("lastDate", .text(last)),
      ]
    }

    func append(to lines: inout [String], depth: Int) {
      let indent = String(repeating: "  ", count: depth)
      let known = Dictionary(facts.map { ($0.name, $0.value) }) { first, _ in first }
      let word = { (name: String) in (known[name]?.text ?? "").printable }
      var line = "\(indent)\(word("name")) [\(word("id"))]: \(word("type"))"
      line += known["visible"] == .boolean(true) ? ", visible" : ", hidden"
      for name in ["minScale", "maxScale"] {
        if case .real(let scale)? = known[name], scale != 0 {
          line += ", \(name) 1:\(Int64(exactly: scale)?.description ?? scale.description)"
        }
      }
      lines.append(line)
      if case .text(let error)? = known["error"] {
        lines.append("\(indent)  error: \(error.printable)")
      }
      if case .text(let warning)? = known["warning"] {
        lines.append("\(indent)  warning: \(warning.printable)")
      }
      for name in [
        "path", "files", "dates", "firstDate", "lastDate", "crs", "width", "height", "bands",
        "pixelType", "geometry", "features",
        "spatialIndex", "definitionExpression", "popup",
      ] {
        guard let value = known[name], value != .null else { continue }
        lines.append("\(indent)  \(name): \(value.text.printable)")
      }
      if let fields { lines.append("\(indent)  fields: \(fields.printable)") }
      for layer in layers ?? [] { layer.append(to: &lines, depth: depth + 1) }
    }

    /// The fields on one line: `NAME text, POP integer`.
    private var fields: String? {
      guard case .json(let list)? = facts.first(where: { $0.name == "fields" })?.value else {
        return nil
      }
      let tree = Array(list.utf8).withUnsafeBytes { try? JSONTree($0) }
      guard let entries = tree?.elements else { return nil }
      return entries.compactMap { entry in
        guard case .object(let members) = entry, case .text(let name)? = members["name"],
          case .text(let type)? = members["type"]
        else { return nil }
        return "\(name) \(type)"
      }.joined(separator: ", ")
    }
  }
}
