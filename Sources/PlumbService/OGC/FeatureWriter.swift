import Plumb
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Writes features as GeoJSON in a CRS, in the axis order of the CRS.
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

  /// Warnings about omitted shapes.
  var warnings: [String] { shapes.warnings }

  /// The shape of a feature in the CRS, with x before y; nil if there is no shape.
  func shape(_ row: Int) throws -> Geometry? {
    guard let geometry = try shapes.shape(row), !geometry.isEmpty else { return nil }
    return reference.reference == .wgs84 ? Antimeridian.split(geometry) : geometry
  }

  /// Appends a feature without its closing brace.
  func append(_ row: Int, to text: TextBuffer) throws {
    text.append(literal: "{\"type\":\"Feature\",\"id\":")
    text.append(signed: rows.ids[row])
    text.append(literal: ",\"geometry\":")
    var text = text
    GeoJSONGeometry.append(try shape(row).map { reference.ordered($0) }, to: &text)
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
