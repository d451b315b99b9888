import PlumbCore
import PlumbIO

/// GeoJSON geometry objects (RFC 7946).
///
/// A polyline with one part is written as a `LineString`, and a polyline with several parts as a
/// `MultiLineString`. A polygon is written as a `Polygon` or a `MultiPolygon`, and an envelope as a
/// `Polygon`. In the text, exterior rings are counter-clockwise and holes are clockwise. Measures
/// and the CRS are omitted, because GeoJSON does not support them. Numbers are written as the
/// shortest text that is parsed to the same double.
public enum GeoJSONGeometry {
  /// Appends a geometry object, or `null` for nil.
  ///
  /// An empty geometry has empty `coordinates`. GeoJSON cannot represent infinity and NaN. A
  /// geometry with an x or y that is infinite or NaN (except an empty point) is written as `null`,
  /// because the geometry without this vertex would be a different geometry. A height that is
  /// infinite or NaN is omitted.
  public static func append(_ geometry: Geometry?, to text: inout TextBuffer) {
    switch geometry {
    case nil: text.append("null")
    case .point(let point)? where point.isEmpty:
      text.append("{\"type\":\"Point\",\"coordinates\":[]}")
    case .point(let point)?:
      write("Point", VertexList([point.xy], z: point.z.map { [$0] }), to: text) { positions in
        positions.append(0)
      }
    case .multipoint(let multipoint)?:
      write("MultiPoint", multipoint.vertices, to: text) { positions in
        positions.append(list: multipoint.vertices.xy.indices)
      }
    case .polyline(let polyline)?: append(polyline, to: text)
    case .polygon(let polygon)?: append(polygon, to: text)
    case .envelope(let envelope)?: append(envelope.polygon, to: text)
    }
  }

  private static func append(_ polyline: Polyline, to text: TextBuffer) {
    let parts = polyline.parts
    if polyline.isOneLine {
      return write("LineString", polyline.vertices, to: text) { positions in
        positions.append(list: polyline.vertices.xy.indices)
      }
    }
    write("MultiLineString", polyline.vertices, to: text) { positions in
      positions.text.append(separated: parts) { positions.append(list: $0) }
    }
  }

  private static func append(_ polygon: Polygon, to text: TextBuffer) {
    let rings = polygon.ringsCounterClockwise
    let parts = polygon.parts
    if polygon.isOneArea {
      return write("Polygon", polygon.vertices, to: text) { positions in
        positions.text.append(separated: rings) { positions.append($0) }
      }
    }
    write("MultiPolygon", polygon.vertices, to: text) { positions in
      positions.text.append(separated: parts) { part in
        positions.text.append(separated: rings[part]) { positions.append($0) }
      }
    }
  }

  private static func write(
    _ type: String, _ vertices: VertexList, to text: TextBuffer, coordinates: (Positions) -> Void
  ) {
    guard vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      return text.append("null")
    }
    text.append("{\"type\":\"")
    text.append(type)
    text.append("\",\"coordinates\":")
    coordinates(Positions(vertices: vertices, text: text))
    text.append(UInt8(ascii: "}"))
  }

  /// Writes vertices as positions.
  private struct Positions {
    let vertices: VertexList
    let text: TextBuffer

    func append(_ index: Int) {
      let point = vertices.xy[index]
      text.append(UInt8(ascii: "["))
      text.append(real: point.x)
      text.append(UInt8(ascii: ","))
      text.append(real: point.y)
      if let z = vertices.z?[index], z.isFinite {
        text.append(UInt8(ascii: ","))
        text.append(real: z)
      }
      text.append(UInt8(ascii: "]"))
    }

    func append(list range: Range<Int>) { text.append(separated: range) { append($0) } }

    func append(_ ring: OrderedRing) { text.append(separated: ring.indices) { append($0) } }
  }
}
