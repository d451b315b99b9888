import CPlumb
import Plumb
import PlumbVerbs

/// The status of a shape. The raw values are the numbers in the C interface.
private enum AreaStatus: UInt8 {
  case drawn, missing, unusable, empty
}

/// Collects areas.
///
/// Only one thread at a time may use a list. Any thread may deallocate it.
private final class AreaList: AreaWriter {
  private(set) var areas: [Polygon?] = []
  private(set) var isMissing: [Bool] = []

  func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    self.areas += areas
    isMissing += batch.features.map { $0.geometry?.isEmpty ?? true }
  }

  func finish() throws {}
}

/// The options of a call.
private struct BufferQuery: Sendable {
  var options: BatchBuffer.Options
  var crs: String?
  var outCRS: String?
  /// Whether the table has a column with the extent of each area.
  var hasBounds: Bool
  var layout: Buffer.Layout

  init(_ options: UnsafePointer<CChar>?, _ distances: [Double]) throws {
    var request = Buffer.Request()
    try Buffer.options.read(options, into: &request)
    try Buffer.options.check(request, by: .library)
    (crs, outCRS) = (request.crs, request.outCRS)
    (hasBounds, layout) = (request.hasBounds, request.layout ?? .wkb)
    // The CRSs apply to the caller's shapes and areas, not to an input file or an output file.
    (request.crs, request.outCRS, request.distances) = (nil, nil, distances)
    self.options = try request.batch(in: RunContext(.library) { _ in })
  }

  /// Computes the areas and returns them as a table.
  func table(
    _ shapes: ShapeList, _ progress: CallProgress
  ) throws -> (table: ArrowTable, warnings: [MessageTemplate]) {
    let list = AreaList()
    let target = try outCRS.map { try SpatialReference(userInput: $0) }
    let batch = try BatchBuffer(options, FeatureInput(shapes, itemName: "feature", firstNumber: 0))
    {
      reference in
      BufferOutput(list, reference: target ?? reference)
    }
    _ = try batch.run { share, _ in progress.share = share ?? -1 }
    var status: [AreaStatus] = list.areas.indices.map { row in
      if list.areas[row] != nil { return .drawn }
      return !options.isUnion && list.isMissing[row] ? .missing : .empty
    }
    if !options.isUnion {
      for row in shapes.faulty + batch.faultyFeatures { status[row] = .unusable }
    }
    let workers = options.workers
    let (areas, count) = (list.areas, list.areas.count)
    let geometry = try ArrowColumn.areas("geometry", areas, as: layout, workers: workers)
    let states = status.map(\.rawValue)
    let statuses = try ArrowColumn.fixed(
      "status", "C", UInt8.self, count: count, workers: workers
    ) { row, value in
      value = states[row]
      return true
    }
    var columns = [geometry, statuses]
    if hasBounds { columns += try bounds(areas, workers) }
    return (ArrowTable(columns: columns, count: count), batch.warnings)
  }

  private func bounds(_ areas: [Polygon?], _ workers: Workers) throws -> [ArrowColumn] {
    let boxes = workers.mapRanges(areas.count, grain: ArrowColumn.writeGrain) { _, range in
      range.map { row in
        areas[row].flatMap { area in area.isEmpty ? nil : Geometry.polygon(area).envelope }
      }
    }.flatMap { $0 }
    let sides: [(name: String, side: @Sendable (Envelope) -> Double)] = [
      ("xmin", \.xMin), ("ymin", \.yMin), ("xmax", \.xMax), ("ymax", \.yMax),
    ]
    return try sides.map { name, side in
      try ArrowColumn.fixed(name, "g", Double.self, count: boxes.count, workers: workers) {
        row, value in
        guard let box = boxes[row] else { return false }
        value = side(box)
        return true
      }
    }
  }
}

/// Computes the areas within a distance of shapes.
@c @implementation
public func plumb_buffer(
  _ shapes: UnsafePointer<plumb_shapes>?, _ distances: UnsafePointer<Double>?,
  _ distanceCount: Int64, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ schema: UnsafeMutablePointer<ArrowSchema>?,
  _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  tabling(schema, array) {
    guard let shapes else { throw CallError.null("the shapes") }
    guard let distances else { throw CallError.null("the distances") }
    guard distanceCount >= 1, distanceCount <= max(1, shapes.pointee.count) else {
      throw CallError.bad(
        "\(distanceCount) distances for \(shapes.pointee.count) shapes: give at least one, and at most one per shape"
      )
    }
    let query = try BufferQuery(
      options, Array(UnsafeBufferPointer(start: distances, count: Int(distanceCount))))
    let list = WorkerStates([
      try ShapeList(
        shapes.pointee, reference: query.crs.map { try SpatialReference(userInput: $0) },
        copies: poll != nil)
    ])
    let result = try Poll(poll, context).run(mayOutlive: true) { progress in
      try query.table(list[0], progress)
    }
    warn(result.warnings)
    return result.table
  }
}
