import PlumbCore
import PlumbIO

/// Well-known text of OGC simple features, optionally with the `SRID=n;` prefix of PostGIS.
///
/// In the text, exterior rings are counter-clockwise and holes are clockwise. An envelope is
/// written as a `POLYGON`. A missing height or measure is `NaN`, which not every reader accepts.
/// Other numbers must not be NaN. Numbers are written as the shortest text that is parsed to the
/// same double.
public enum WKTGeometry {
  /// The text of a geometry.
  ///
  /// An empty point is `POINT EMPTY` and has no numbers.
  /// - Parameters:
  ///   - geometry: the geometry, which is written in its CRS.
  ///   - withReference: whether to add the prefix `SRID=n;` if the CRS is an EPSG or Esri code.
  ///     Other CRSs are always omitted.
  /// - Throws: if a coordinate is infinite, or NaN in a geometry that is not empty.
  public static func encode(
    _ geometry: Geometry, withReference: Bool = false
  ) throws(FormatError) -> String {
    var text = TextBuffer(capacity: 256)
    try append(geometry, withReference: withReference, to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Appends the text that `encode` returns for a geometry. If the method throws, nothing is
  /// appended.
  public static func append(
    _ geometry: Geometry, withReference: Bool = false, to text: inout TextBuffer
  ) throws(FormatError) {
    try geometry.checkNumbers(for: "WKT")
    if withReference, let code = geometry.spatialReference?.code { text.append("SRID=\(code);") }
    switch geometry {
    case .point(let point):
      let location = VertexList(
        [point.xy], z: point.z.map { [$0] }, m: point.m.map { [$0] })
      let writer = Writer(vertices: location, text: text)
      writer.tag("POINT")
      if point.isEmpty { writer.empty() } else { writer.list(0..<1) }
    case .multipoint(let multipoint):
      let writer = Writer(vertices: multipoint.vertices, text: text)
      writer.tag("MULTIPOINT")
      writer.separated(multipoint.vertices.xy.indices) { writer.list($0..<$0 + 1) }
    case .polyline(let polyline): append(polyline, to: text)
    case .polygon(let polygon): append(polygon, to: text)
    case .envelope(let envelope): append(envelope.polygon, to: text)
    }
  }

  private static func append(_ polyline: Polyline, to text: TextBuffer) {
    let writer = Writer(vertices: polyline.vertices, text: text)
    if polyline.isOneLine {
      writer.tag("LINESTRING")
      return writer.list(polyline.vertices.xy.indices)
    }
    writer.tag("MULTILINESTRING")
    writer.separated(polyline.parts) { writer.list($0) }
  }

  private static func append(_ polygon: Polygon, to text: TextBuffer) {
    let writer = Writer(vertices: polygon.vertices, text: text)
    let rings = polygon.ringsCounterClockwise
    if polygon.isOneArea {
      writer.tag("POLYGON")
      return writer.separated(rings) { ring in writer.separated(ring.indices) { writer.vertex($0) }
      }
    }
    writer.tag("MULTIPOLYGON")
    writer.separated(polygon.parts) { part in
      writer.separated(rings[part]) { ring in
        writer.separated(ring.indices) { writer.vertex($0) }
      }
    }
  }

  private struct Writer {
    let vertices: VertexList
    let text: TextBuffer

    func tag(_ name: StaticString) {
      text.append(name.utf8Start, name.utf8CodeUnitCount)
      text.append(UInt8(ascii: " "))
      if vertices.z != nil { text.append(UInt8(ascii: "Z")) }
      if vertices.m != nil { text.append(UInt8(ascii: "M")) }
      if vertices.z != nil || vertices.m != nil { text.append(UInt8(ascii: " ")) }
    }

    func empty() { text.append("EMPTY") }

    func separated<Elements: Sequence>(_ elements: Elements, _ write: (Elements.Element) -> Void) {
      guard elements.contains(where: { _ in true }) else { return empty() }
      text.append(
        separated: elements, open: UInt8(ascii: "("), close: UInt8(ascii: ")"), write)
    }

    func list(_ range: Range<Int>) { separated(range) { vertex($0) } }

    func vertex(_ index: Int) {
      text.append(real: vertices.xy[index].x)
      text.append(UInt8(ascii: " "))
      text.append(real: vertices.xy[index].y)
      for value in [vertices.z?[index], vertices.m?[index]] {
        guard let value else { continue }
        text.append(UInt8(ascii: " "))
        if value.isNaN { text.append("NaN") } else { text.append(real: value) }
      }
    }
  }
}
