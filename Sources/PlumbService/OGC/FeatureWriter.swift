import Plumb
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Writes features as GeoJSON in a reference, in its order of coordinates.
struct FeatureWriter {
  private let rows: FeatureRows
  private let reference: OGCReference
  private let shapes: ShapeMaker
  private let keys: [[UInt8]]

  init(_ rows: FeatureRows, _ reference: OGCReference) throws {
    (self.rows, self.reference) = (rows, reference)
    var query = RowQuery()
    query.outReference = reference.reference
    query.returnsZ = true
    shapes = try ShapeMaker(rows, query)
    keys = rows.fields.map { field in
      var bytes: [UInt8] = []
      JSONText.append(key: field.name, to: &bytes)
      return bytes
    }
  }

  /// Appends a feature without the brace that ends it.
  func append(_ row: Int, to text: TextBuffer) throws {
    text.append(literal: "{\"type\":\"Feature\",\"id\":")
    text.append(signed: rows.ids[row])
    text.append(literal: ",\"geometry\":")
    var shape = try shapes.shape(row)
    if let own = shape, !own.isEmpty {
      shape = reference.ordered(reference.reference == .wgs84 ? Antimeridian.cut(own) : own)
    } else {
      shape = nil
    }
    var text = text
    GeoJSONGeometry.append(shape, to: &text)
    text.append(literal: ",\"properties\":{")
    let attributes = rows.table.features[row].attributes
    for (index, key) in keys.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: key)
      text.append(json: attributes[safe: index] ?? .null)
    }
    text.append(UInt8(ascii: "}"))
  }
}

/// Shapes that reach beyond 180 degrees, which GeoJSON has in parts.
enum Antimeridian {
  /// A shape in degrees, cut where it crosses 180 degrees; itself where it does not, or where it cannot
  /// be cut.
  static func cut(_ shape: Geometry) -> Geometry {
    let box = shape.envelope
    guard box.xMin < -180 || box.xMax > 180, box.xMax - box.xMin <= 720, box.xMin.magnitude < 1e4
    else { return shape }
    switch shape {
    case .point, .multipoint:
      return shape.mapped { SIMD2(turned($0.x), $0.y) }
    case .polyline, .polygon, .envelope: break
    }
    var parts: [Geometry] = []
    let first = ((box.xMin + 180) / 360).rounded(.down)
    let last = ((box.xMax + 180) / 360).rounded(.up)
    for turn in Int(first)..<max(Int(first) + 1, Int(last)) {
      let shift = Double(turn) * 360
      let window = Envelope(xMin: shift - 180, yMin: -90, xMax: shift + 180, yMax: 90)
      guard let part = try? GeometryEngine.intersection(shape, .polygon(window.polygon)),
        part.dimension == shape.dimension, !part.isEmpty
      else { continue }
      parts.append(part.mapped { SIMD2($0.x - shift, $0.y) })
    }
    guard !parts.isEmpty, let whole = try? GeometryEngine.union(parts) else { return shape }
    return whole
  }

  private static func turned(_ x: Double) -> Double {
    x.magnitude <= 180 ? x : x.remainder(dividingBy: 360)
  }
}
