import CPlumb
import Plumb
import PlumbVerbs

/// The caller's shapes, with a column that contains the index of each shape or the number of its
/// group.
///
/// Only one thread at a time may use the shapes.
private final class NumberedShapes: InputSource {
  let fields = [Field(name: "row", kind: .integer)]
  private let shapes: ShapeList
  private let groups: [Int64]?
  private var position: Int64 = 0

  init(_ shapes: ShapeList, groups: [Int64]?) { (self.shapes, self.groups) = (shapes, groups) }

  var spatialReference: SpatialReference? { shapes.spatialReference }
  var featureCount: Int? { shapes.featureCount }
  var faults: FeatureFaults { shapes.faults }
  var warnings: [MessageTemplate] { shapes.warnings }

  func next(limit: Int) throws -> [Feature]? {
    guard var features = try shapes.next(limit: limit) else { return nil }
    for index in features.indices {
      features[index].attributes = [.integer(groups?[Int(position)] ?? position)]
      position += 1
    }
    return features
  }
}

/// The options of a call.
private struct ZonalQuery: Sendable {
  var request = Zonal.Request()
  var crs: String?

  init(_ options: UnsafePointer<CChar>?, rasters: [String], hasGroups: Bool) throws {
    try Zonal.options.read(options, into: &request)
    try Zonal.check(request, by: .library)
    // The CRS applies to the caller's shapes.
    (crs, request.crs) = (request.crs, nil)
    request.rasters = rasters
    if hasGroups {
      guard request.radius == nil else {
        throw CallError.bad("groups cannot be combined with a radius")
      }
      request.groupColumn = "row"
    }
  }

  /// Computes the statistics and returns them as a table.
  func table(
    _ shapes: NumberedShapes, _ progress: CallProgress
  ) throws -> (table: ArrowTable, warnings: [MessageTemplate]) {
    var context = RunContext(.library) { _ in }
    context.progress = { share, _ in progress.share = share ?? -1 }
    let result = try Zonal.table(
      request, of: FeatureInput(shapes, itemName: "feature", firstNumber: 0), in: context)
    let (fields, rows) = (result.table.fields, result.table.rows)
    let workers = Workers(count: request.threads)
    let columns = try fields.indices.map { index in
      try Self.column(fields[index], rows, at: index, workers)
    }
    return (ArrowTable(columns: columns, count: rows.count), result.warnings)
  }

  private static func column(
    _ field: Field, _ rows: [[FieldValue]], at index: Int, _ workers: Workers
  ) throws -> ArrowColumn {
    switch field.kind {
    case .integer:
      try .fixed(field.name, "l", Int64.self, count: rows.count, workers: workers) { row, value in
        guard case .integer(let number) = rows[row][index] else { return false }
        value = number
        return true
      }
    case .real:
      try .fixed(field.name, "g", Double.self, count: rows.count, workers: workers) { row, value in
        switch rows[row][index] {
        case .real(let number): value = number
        case .integer(let number): value = Double(number)
        default: return false
        }
        return true
      }
    case .text, .boolean:
      try .texts(
        field.name,
        rows.map { row in
          if case .null = row[index] { return nil }
          return row[index].plainText
        }, workers: workers)
    }
  }
}

/// Computes statistics of the cells of rasters under shapes.
@c @implementation
public func plumb_zonal(
  _ shapes: UnsafePointer<plumb_shapes>?, _ groups: UnsafePointer<Int64>?,
  _ rasters: UnsafePointer<UnsafePointer<CChar>?>?, _ rasterCount: Int64,
  _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ schema: UnsafeMutablePointer<ArrowSchema>?,
  _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  tabling(schema, array) {
    guard let shapes else { throw CallError.null("the shapes") }
    let paths = try texts(rasters, rasterCount, "the rasters")
    guard !paths.isEmpty else { throw CallError.bad("no rasters: name at least one") }
    let query = try ZonalQuery(options, rasters: paths, hasGroups: groups != nil)
    let list = try ShapeList(
      shapes.pointee, reference: query.crs.map { try SpatialReference(userInput: $0) },
      copies: poll != nil)
    let numbers = groups.map {
      Array(UnsafeBufferPointer(start: $0, count: Int(shapes.pointee.count)))
    }
    let numbered = WorkerStates([NumberedShapes(list, groups: numbers)])
    let result = try Poll(poll, context).run(mayOutlive: true) { progress in
      try query.table(numbered[0], progress)
    }
    warn(result.warnings)
    return result.table
  }
}
