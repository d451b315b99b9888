import PlumbCore

/// Samples rasters whose sources return values for points, not tiles.
struct PointValueSampling: Sendable {
  let reading: TileReading
  let resampling: Resampling

  /// Samples a raster at the points of a part.
  func sample(_ values: PointValues, _ request: RasterSampler.Request, _ part: SamplePart) {
    let source = request.raster.members[0]
    let (points, answer) = (part.points[0], part.answers[0])
    var rows: [Int] = []
    var queriedPoints: [SIMD2<Double>] = []
    let period = source.profile.longitudePeriod
    PointLocator(reading: reading).forEachBlock(
      source, request.raster.firstSourceID, points, part.range, of: 0
    ) {
      first, count, block in
      if values.hasCellGrid { answer.provenance?.keep(block, first: first, count: count) }
      for i in 0..<count {
        let row = first + i
        if !values.hasCellGrid, let provenance = answer.provenance {
          provenance.member.base[row] = block.columns[i] >= 0 ? 0 : -1
          provenance.column.base[row] = -1
          provenance.row.base[row] = -1
        }
        guard block.columns[i] >= 0, points.isOK(row) else {
          for column in answer.columns {
            column.status.base[row] = points.reason(row, column: block.columns[i])
          }
          continue
        }
        rows.append(row)
        queriedPoints.append(
          Self.moved(SIMD2(points.x[row], points.y[row]), source.profile, period))
      }
    }
    guard !rows.isEmpty else { return }
    guard resampling == .nearest else {
      reading.keepFailure(
        source.path, RasterError("a service returns cell values, which cannot be interpolated"))
      return fail(rows, answer)
    }
    let found = values.ask(queriedPoints, request.bands)
    if let fault = found.fault { reading.keepFailure(source.path, fault) }
    for (row, values) in zip(rows, found.values) {
      for (band, column) in answer.columns.enumerated() {
        guard let values else {
          column.status.base[row] = SampleStatus.readError.rawValue
          continue
        }
        guard let value = values[band], !value.isNaN else {
          column.status.base[row] = SampleStatus.nodata.rawValue
          continue
        }
        value.store(
          as: column.pixelType, at: column.bytes + row * column.pixelType.byteCount)
        column.status.base[row] = SampleStatus.ok.rawValue
      }
    }
    if found.values.count < rows.count { fail(Array(rows[found.values.count...]), answer) }
  }

  private func fail(_ rows: [Int], _ answer: RasterAnswer) {
    for column in answer.columns {
      for row in rows { column.status.base[row] = SampleStatus.readError.rawValue }
    }
  }

  /// Shifts a point by whole periods into the longitude range of a raster in degrees.
  private static func moved(
    _ point: SIMD2<Double>, _ profile: RasterProfile, _ period: Double?
  ) -> SIMD2<Double> {
    guard let period, period > 0, let placement = profile.mapping.placement else {
      return point
    }
    let (left, right) = (
      placement.coordinates(column: 0, row: 0).x,
      placement.coordinates(column: Double(profile.grid.width), row: 0).x
    )
    guard point.x < min(left, right) || point.x > max(left, right) else { return point }
    let shift = ((min(left, right) - point.x) / period).rounded(.up) * period
    return SIMD2(point.x + shift, point.y)
  }
}

extension CellValue {
  fileprivate var isNaN: Bool {
    switch self {
    case .float32(let value): value.isNaN
    case .float64(let value): value.isNaN
    default: false
    }
  }
}
