import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster

extension Identify {
  /// The largest number of values of the series at single points.
  private static let seriesValues = 2_000_000

  /// Writes the values of all dates at single points, one line of JSON for each point.
  static func runSeries(
    _ request: Request, on subject: Subject, at points: [SIMD2<Double>], _ output: RunOutput,
    in context: RunContext
  ) throws -> Outcome {
    let rasters: [Raster]
    let cache: TileCache
    var known: [DatedStack]?
    var reference: SpatialReference?
    switch subject {
    case .rasters(let opened, let tiles): (rasters, cache) = (opened, tiles)
    case .stacks(let stacks, let opened):
      (known, rasters, cache) = (stacks, stacks.map(\.raster), opened.cache)
      reference = opened.map.resolvedReference
    case .map, .cells: preconditionFailure("the stacks of a map have been opened")
    }
    let stacks =
      try known
      ?? DatedStack.open(
        rasters, ImageDates(request.dates, access: context.access), grouping: request.grouping)
    let columns = stacks.reduce(0) { $0 + $1.slices.count * $1.bands(request.bandIndices).count }
    guard points.count * columns <= seriesValues else {
      throw PlumbError(
        messageTemplate:
          "\(.series): \(points.count) points with \(columns) values each are more than "
          + "\(seriesValues) values; give a table of points, or fewer points", code: .limit)
    }
    let found = try withCoordinates(of: points) { coordinates in
      try dates(
        of: rasters, cache, request, at: coordinates, times: nil, in: context, known: stacks,
        reference: reference)
    }
    let text = TextBuffer(capacity: 1 << 14)
    let label = (try request.reference ?? found.stacks.source.reference)?.label
    for (row, point) in points.enumerated() {
      append(found, row, QueryPoint(x: point.x, y: point.y, reference: label), to: text)
      try output.check(text.count)
    }
    try output.write(Array(text.bytes))
    return .done
  }

  /// Calls `body` with points.
  private static func withCoordinates<Result>(
    of points: [SIMD2<Double>], _ body: (PointCoordinates) throws -> Result
  ) rethrows -> Result {
    let statuses = points.map {
      ($0.x.isFinite && $0.y.isFinite ? SampleStatus.ok : .badPoint).rawValue
    }
    return try points.map(\.x).withUnsafeBufferPointer { x in
      try points.map(\.y).withUnsafeBufferPointer { y in
        try statuses.withUnsafeBufferPointer { status in
          guard let x = x.baseAddress, let y = y.baseAddress, let status = status.baseAddress
          else { preconditionFailure("a request has points") }
          return try body(PointCoordinates(x: x, y: y, status: status, count: points.count))
        }
      }
    }
  }

  /// Appends the series of each band of each stack at a point.
  private static func append(
    _ found: DatedAnswers, _ row: Int, _ point: QueryPoint, to text: TextBuffer
  ) {
    IdentifyJSON.append(x: point.x, y: point.y, to: text)
    IdentifyJSON.appendReference(point.reference, to: text)
    text.append(literal: ",\"series\":[")
    var columns: [(stack: String, band: Int, date: ImageDate, values: ValueColumn)] = []
    for column in found.columns {
      guard let label = found.stacks.label(of: column), case .value(let index) = column.content
      else { continue }
      let values = found.answers.rasters[column.part].columns[index]
      columns.append((label.stack, label.band, label.date, values))
    }
    var keys: [(stack: String, band: Int)] = []
    for column in columns
    where !keys.contains(where: { $0.stack == column.stack && $0.band == column.band }) {
      keys.append((column.stack, column.band))
    }
    for (number, key) in keys.enumerated() {
      text.append(literal: number > 0 ? ",{\"stack\":" : "{\"stack\":")
      text.append(json: key.stack)
      text.append(literal: ",\"band\":")
      text.append(signed: Int64(key.band))
      text.append(literal: ",\"values\":[")
      var isFirst = true
      for column in columns where column.stack == key.stack && column.band == key.band {
        text.append(literal: isFirst ? "{\"date\":" : ",{\"date\":")
        isFirst = false
        text.append(json: column.date.text)
        text.append(literal: ",\"value\":")
        if let value = column.values[row] {
          text.append(json: value)
        } else {
          text.append(literal: "null")
        }
        text.append(literal: ",\"status\":")
        text.append(json: column.values.status(at: row).name)
        text.append(literal: "}")
      }
      text.append(literal: "]}")
    }
    text.append(literal: "]}\n")
  }
}
