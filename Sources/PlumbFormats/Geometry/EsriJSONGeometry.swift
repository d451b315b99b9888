import PlumbCore
import PlumbIO

/// Geometries in the JSON format of Esri's services.
///
/// Exterior rings are clockwise and holes are counter-clockwise, as in `Polygon`. The list of rings
/// does not specify the exterior ring of each hole. Readers have to determine the exterior ring
/// from the coordinates. A hole outside its exterior ring is therefore read as a separate part, and
/// a part without rings is lost. Numbers are written as the shortest text that is parsed to the
/// same double.
public enum EsriJSONGeometry {
  /// Returns the text of a geometry; `null` for nil.
  ///
  /// Empty points and envelopes have null coordinates. NaN heights and measures are null in lists
  /// and `"NaN"` in points.
  ///
  /// The spatial reference is a `wkid` if its definition is a code of EPSG or Esri (Web Mercator is
  /// 102100, as in Esri's services), otherwise a `wkt`.
  /// - Parameters:
  ///   - geometry: the geometry, which is written in its CRS.
  ///   - wkt: a function that returns the WKT of a CRS whose definition is not a code. If the
  ///     function returns nil, a WKT definition is written unchanged, and any other definition (a
  ///     PROJ string) is omitted.
  /// - Throws: if a coordinate is infinite, or NaN in a geometry that is not empty.
  public static func encode(
    _ geometry: Geometry?, wkt: ((SpatialReference) -> String?)? = nil
  ) throws(FormatError) -> String {
    var text = TextBuffer(capacity: 256)
    try append(geometry, to: &text, wkt: wkt)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Appends the text of a geometry, as above. If the method throws, nothing is appended.
  public static func append(
    _ geometry: Geometry?, to text: inout TextBuffer, wkt: ((SpatialReference) -> String?)? = nil
  ) throws(FormatError) {
    guard let geometry else { return text.append("null") }
    try geometry.checkNumbers(for: "EsriJSON")
    text.append(UInt8(ascii: "{"))
    switch geometry {
    case .point(let point): append(point, to: text)
    case .multipoint(let multipoint):
      let vertices = multipoint.vertices
      appendFlags(vertices, to: text)
      text.append("\"points\":")
      append(vertices.xy.indices, of: vertices, to: text)
    case .polyline(let polyline):
      appendFlags(polyline.vertices, to: text)
      text.append("\"paths\":")
      text.append(separated: polyline.parts) { append($0, of: polyline.vertices, to: text) }
    case .polygon(let polygon):
      appendFlags(polygon.vertices, to: text)
      text.append("\"rings\":")
      text.append(separated: polygon.rings) { append($0, of: polygon.vertices, to: text) }
    case .envelope(let envelope): append(envelope, to: text)
    }
    if let reference = geometry.spatialReference {
      appendReference(reference, wkt: wkt, to: text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func append(_ point: Point, to text: TextBuffer) {
    text.append("\"x\":")
    text.append(orNull: point.x)
    text.append(",\"y\":")
    text.append(orNull: point.y)
    for (name, value) in [("z", point.z), ("m", point.m)] {
      guard let value else { continue }
      text.append(",\"\(name)\":")
      // A null would mean that the point has no height or measure.
      if value.isNaN { text.append("\"NaN\"") } else { text.append(real: value) }
    }
  }

  private static func append(_ envelope: Envelope, to text: TextBuffer) {
    let bounds: [(String, Double)] = [
      ("\"xmin\":", envelope.xMin), (",\"ymin\":", envelope.yMin),
      (",\"xmax\":", envelope.xMax), (",\"ymax\":", envelope.yMax),
    ]
    for (name, value) in bounds {
      text.append(name)
      text.append(orNull: value)
    }
    for (name, range) in [("z", envelope.zRange), ("m", envelope.mRange)] {
      guard let range else { continue }
      text.append(",\"\(name)min\":")
      text.append(real: range.lowerBound)
      text.append(",\"\(name)max\":")
      text.append(real: range.upperBound)
    }
  }

  private static func appendFlags(_ vertices: VertexList, to text: TextBuffer) {
    if vertices.z != nil { text.append("\"hasZ\":true,") }
    if vertices.m != nil { text.append("\"hasM\":true,") }
  }

  private static func append(_ range: Range<Int>, of vertices: VertexList, to text: TextBuffer) {
    text.append(separated: range) { index in
      text.append(UInt8(ascii: "["))
      text.append(real: vertices.xy[index].x)
      text.append(UInt8(ascii: ","))
      text.append(real: vertices.xy[index].y)
      for value in [vertices.z?[index], vertices.m?[index]] {
        guard let value else { continue }
        text.append(UInt8(ascii: ","))
        text.append(orNull: value)
      }
      text.append(UInt8(ascii: "]"))
    }
  }

  private static func appendReference(
    _ reference: SpatialReference, wkt: ((SpatialReference) -> String?)?, to text: TextBuffer
  ) {
    switch reference.code {
    case 3857?: text.append(",\"spatialReference\":{\"wkid\":102100,\"latestWkid\":3857}")
    case let code?: text.append(",\"spatialReference\":{\"wkid\":\(code)}")
    case nil:
      let definition = reference.definition
      let isWKT = definition.last == "]" && definition.first?.isLetter == true
      guard let wkt = wkt?(reference) ?? (isWKT ? definition : nil) else { return }
      text.append(",\"spatialReference\":{\"wkt\":")
      var quoted: [UInt8] = []
      JSONText.append(wkt, to: &quoted)
      text.append(contentsOf: quoted)
      text.append(UInt8(ascii: "}"))
    }
  }
}

extension TextBuffer {
  fileprivate func append(orNull value: Double) {
    if value.isNaN { append("null") } else { append(real: value) }
  }
}
