import Plumb
import PlumbCore
import PlumbGeometry
import PlumbIO

/// Writes features as GeoParquet in a CRS. The coordinates are always x before y.
struct FeatureParquet {
  private let rows: FeatureRows
  private let reference: OGCReference
  private let writer: FeatureWriter
  private static let output = "items.parquet"

  init(_ rows: FeatureRows, _ reference: OGCReference) throws {
    (self.rows, self.reference) = (rows, reference)
    writer = try FeatureWriter(rows, reference)
  }

  /// Returns a table of features with their ids and attributes.
  func reply(_ page: ArraySlice<Int>) throws -> ServiceReply {
    let files = try TemporaryFiles()
    // As in the other formats, a source without CRS has coordinates of an unknown CRS.
    let output = try FeatureLayerOutput(
      path: files.path(Self.output), .columns(.parquet), layer: Self.output,
      fields: [Field(name: idField, kind: .integer)] + rows.table.fields,
      reference: rows.reference == nil ? nil : reference.reference)
    for (count, row) in page.enumerated() {
      if count % 64 == 0 { try WorkCancellation.checkCurrent() }
      let values = [.integer(rows.ids[row])] + rows.table.features[row].attributes
      try output.append(writer.shape(row), values)
    }
    try output.finish()
    return ServiceReply(
      .stream(files.stream(Self.output)), ContentType.parquet,
      warnings: writer.warnings + output.warnings)
  }

  /// The name of the column of ids, which no attribute has.
  private var idField: String {
    let names = Set(rows.table.fields.map(\.name))
    return names.contains("id") ? rows.objectIDField : "id"
  }
}
