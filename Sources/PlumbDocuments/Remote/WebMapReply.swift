import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

/// Parses the responses of web map services to `GetFeatureInfo`.
package enum WebMapReply {
  /// The maximum number of features read.
  private static let limit = 10_000

  /// Parses GeoJSON: features, or a single object.
  package static func geoJSON(
    _ bytes: UnsafeRawBufferPointer, _ reference: SpatialReference
  ) throws -> [IdentifiedFeature] {
    let tree = try JSONTree(bytes)
    guard case .object(let root) = tree else {
      throw PlumbError("the reply is not a GeoJSON object", code: .readError)
    }
    guard let list = root["features"]?.elements else {
      if root["type"] == nil || root["properties"] != nil { return [feature(root, reference)] }
      throw PlumbError("the reply has no list of features", code: .readError)
    }
    // Some responses have a `crs` member, although the standard does not define one. Geometries in an unknown
    // CRS are dropped.
    var source: SpatialReference?
    if case .object(let crs)? = root["crs"], case .object(let properties)? = crs["properties"],
      case .text(let name)? = properties["name"]
    {
      source = try? SpatialReference(name)
    } else {
      source = .wgs84
    }
    return list.prefix(limit).compactMap { item in
      guard case .object(let members) = item else { return nil }
      return feature(members, source, target: reference)
    }
  }

  private static func feature(
    _ members: [String: JSONTree], _ source: SpatialReference?, target: SpatialReference? = nil
  ) -> IdentifiedFeature {
    var attributes: [String: JSONTree] = [:]
    if case .object(let properties)? = members["properties"] {
      attributes = properties
    } else if members["type"] == nil {
      attributes = members
    }
    let names = attributes.keys.sorted()
    let values = names.map { attributes[$0]?.plainValue ?? .null }
    var feature = Feature(attributes: values)
    if case .integer(let id)? = members["id"] { feature.id = id }
    if let source, let geometry = members["geometry"], case .object = geometry {
      var text: [UInt8] = []
      geometry.append(to: &text)
      let shape = try? text.withUnsafeBytes { try GeoJSONGeometry.decode($0, reference: source) }
      feature.geometry = shape.flatMap { $0 }.flatMap { geometry in
        guard let target, target != source else { return geometry }
        return try? GeometryEngine.project(geometry, to: target)
      }
    }
    return IdentifiedFeature(fields: fields(names, values), feature: feature, distance: .nan)
  }

  private static func fields(_ names: [String], _ values: [FieldValue]) -> [Field] {
    zip(names, values).map { name, value in
      let kind: FieldKind =
        switch value {
        case .integer: .integer
        case .real: .real
        case .boolean: .boolean
        default: .text
        }
      return Field(name: name, kind: kind)
    }
  }

  // MARK: XML

  /// Parses GML of any schema. An element whose children are all simple elements is a feature. In
  /// Esri's format, an element whose attributes are the fields is also a feature.
  package static func markup(
    _ root: XMLElement, _ reference: SpatialReference
  ) -> [IdentifiedFeature] {
    var found: [IdentifiedFeature] = []
    func add(_ pairs: [(String, String)]) {
      let values = pairs.map { number($0.1) }
      found.append(
        IdentifiedFeature(
          fields: fields(pairs.map(\.0), values), feature: Feature(attributes: values),
          distance: .nan))
    }
    func walk(_ element: XMLElement) {
      guard found.count < limit else { return }
      let plain = element.children.filter {
        $0.children.isEmpty && !["boundedBy", "Name", "name"].contains($0.name) || isValue($0)
      }
      // Esri's format: <FIELDS NAME="…" KIND="…"/>.
      if element.children.isEmpty, element.name.uppercased() == "FIELDS" {
        return add(element.attributes.sorted { $0.key < $1.key })
      }
      if !plain.isEmpty, element.children.allSatisfy({ $0.children.isEmpty || isShape($0) }) {
        return add(plain.map { ($0.name, $0.text) })
      }
      for child in element.children { walk(child) }
    }
    walk(root)
    return found
  }

  private static func isValue(_ element: XMLElement) -> Bool {
    element.children.isEmpty && !element.text.isEmpty
  }

  /// Whether an element contains a geometry or its box rather than features.
  private static func isShape(_ element: XMLElement) -> Bool {
    let shapes = [
      "boundedBy", "Box", "Envelope", "Point", "LineString", "Polygon", "MultiPoint",
      "MultiLineString", "MultiPolygon", "MultiSurface", "MultiCurve", "Surface", "Curve",
    ]
    return shapes.contains(element.name) || element.children.allSatisfy { shapes.contains($0.name) }
  }

  // MARK: Text

  /// Parses lines of `name = 'value'` or `name: value`. Features are separated by an empty line, or by a line
  /// of `-`, `=`, `*` or `_`.
  package static func plain(_ text: String) -> [IdentifiedFeature] {
    var found: [IdentifiedFeature] = []
    var pairs: [(String, String)] = []
    func close() {
      guard !pairs.isEmpty, found.count < limit else { return }
      let values = pairs.map { number($0.1) }
      found.append(
        IdentifiedFeature(
          fields: fields(pairs.map(\.0), values), feature: Feature(attributes: values),
          distance: .nan))
      pairs = []
    }
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let trimmed = line.drop { $0.isWhitespace }
      if trimmed.isEmpty || trimmed.allSatisfy({ "-=*_".contains($0) })
        || trimmed.hasPrefix("Feature ")
      {
        close()
        continue
      }
      guard let mark = trimmed.firstIndex(where: { "=:".contains($0) }) else { continue }
      let name = trimmed[..<mark].trimmingBlanks
      var value = trimmed[trimmed.index(after: mark)...].trimmingBlanks
      if value.count > 1, let quote = value.first, "'\"".contains(quote), value.last == quote {
        value = String(value.dropFirst().dropLast())
      }
      guard !name.isEmpty, !(value.isEmpty && trimmed.hasSuffix(":")) else { continue }
      pairs.append((name, value))
    }
    close()
    return found
  }

  /// Converts a string to a number if the string is the number's usual notation, unlike `007`.
  private static func number(_ text: String) -> FieldValue {
    if text.isEmpty { return .null }
    let isPadded = text.count > 1 && text.hasPrefix("0") && !text.hasPrefix("0.")
    if !isPadded, let whole = Int64(text) { return .integer(whole) }
    if !isPadded, let real = Double(text), real.isFinite { return .real(real) }
    return .text(text)
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    var text = drop { $0.isWhitespace }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
