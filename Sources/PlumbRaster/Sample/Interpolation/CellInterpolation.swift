import PlumbCore

/// Interpolates values from single cells, if tiles cannot be read completely, or if reading single cells is
/// cheaper.
struct CellInterpolation: Sendable {
  let reading: TileReading
  let resampling: Resampling

  private var locator: PointLocator { PointLocator(reading: reading) }

  /// The number of points that are interpolated together. The values of their taps in all bands are
  /// in memory at the same time.
  private static func interpolationBatch(bands: Int) -> Int {
    max(1 << 8, (1 << 15) / max(1, bands / 4))
  }

  /// Interpolates one file at the points of `list` into columns of doubles. Taps are read cell by
  /// cell. This method is used if tiles cannot be read completely, or if reading single cells is
  /// cheaper.
  func interpolate(
    _ source: any TileSource, id: UInt32, bands: [Int], _ points: PointCoordinates,
    _ list: [UInt32], _ columns: [ValueColumn], _ store: TileStore
  ) {
    let size = Self.interpolationBatch(bands: bands.count)
    var start = 0
    while start < list.count {
      let end = min(list.count, start + size)
      interpolateTogether(source, id, bands, points, list[start..<end], columns, store)
      start = end
    }
  }

  private func interpolateTogether(
    _ source: any TileSource, _ id: UInt32, _ bands: [Int], _ points: PointCoordinates,
    _ list: ArraySlice<UInt32>, _ columns: [ValueColumn], _ store: TileStore
  ) {
    let rule = TapRule(resampling)
    let (side, taps) = (rule.side, rule.count)
    let grid = source.profile.grid
    let (x, y) = (
      TrivialBuffer(list.map { points.x[Int($0)] }), TrivialBuffer(list.map { points.y[Int($0)] })
    )
    let status = TrivialBuffer(
      list.map { points.status?[Int($0)] ?? SampleStatus.ok.rawValue })
    let tapPoints = PointCoordinates(x: x.base, y: y.base, status: status.base, count: list.count)
    let keys = TrivialBuffer<UInt64>(count: list.count * taps)
    let offsets = TrivialBuffer<UInt32>(count: list.count * taps)
    let fractions = TrivialBuffer<TapPosition>(count: list.count)
    let tapColumns = bands.map {
      ValueColumn(pixelType: source.profile.bands[$0].pixelType, count: list.count * taps)
    }
    let splitter = TileSplitter(grid)
    // Beyond the edge of a raster that spans a full period, the cells of the opposite edge follow.
    let width = PeriodicLocator(source.profile)?.isClosed == true ? grid.width : 0
    locator.forEachBlock(source, id, tapPoints, 0..<list.count, keepsPositions: true) {
      _, first, count, block in
      for i in 0..<count {
        let point = first + i
        let isInside = block.columns[i] >= 0 && tapPoints.isOK(point)
        let position =
          isInside
          ? TapPosition(
            column: Int(block.columns[i]), row: Int(block.rows[i]), x: block.x[i], y: block.y[i])
          : .none
        fractions.base[point] = position
        for tap in 0..<taps {
          var cell = position.cell(tap: tap, side: side)
          if cell.column < 0 { cell.column += width }
          if cell.column >= grid.width { cell.column -= width }
          let slot = point * taps + tap
          if isInside, cell.column >= 0, cell.column < grid.width, cell.row >= 0,
            cell.row < grid.height
          {
            let (tile, offset) = splitter.split(column: Int32(cell.column), row: Int32(cell.row))
            keys.base[slot] = UInt64(tile)
            offsets.base[slot] = offset
          } else {
            keys.base[slot] = LocationPlan.noKey
            for column in tapColumns {
              column.status.base[slot] =
                (block.columns[i] == CellLocator.failed ? .transformFailed : SampleStatus.outside)
                .rawValue
            }
          }
        }
      }
    }
    let plan = LocationPlan(
      keys: keys, offsets: offsets, count: keys.count, keyLimit: grid.tileCount, firstIndex: 0,
      workers: reading.workers)
    let targets = BandColumns(bands, tapColumns, of: source.profile)
    reading.tileWorkers([source]).run(plan.groups.count) { worker, job in
      let group = plan.groups[job]
      reading.readTile(
        source, id: id, tile: Int(group.key), entries: plan.entries(of: group), targets: targets,
        store: store, worker: worker)
    }
    for (column, tapColumn) in zip(columns, tapColumns) {
      combine(tapColumn, rule, fractions, status, list, column)
    }
  }

  /// Computes a column's values from the taps of points.
  ///
  /// - Parameters:
  ///   - taps: the values of all taps of each point of `list`, point by point.
  ///   - fractions: the points' positions relative to the cells' centres.
  ///   - status: the statuses of the points.
  private func combine(
    _ taps: ValueColumn, _ rule: TapRule, _ fractions: TrivialBuffer<TapPosition>,
    _ status: TrivialBuffer<UInt8>, _ list: ArraySlice<UInt32>, _ column: ValueColumn
  ) {
    let count = rule.count
    reading.workers.runRanges(list.count, grain: 4096) { _, part in
      let values = column.bytes.assumingMemoryBound(to: Double.self)
      let numbers = taps.numbers(part.lowerBound * count..<part.upperBound * count)
      for i in part {
        let point = Int(list[list.startIndex + i])
        if status.base[i] != SampleStatus.ok.rawValue {
          column.status.base[point] = status.base[i]
          continue
        }
        let position = fractions.base[i]
        let (result, value) = rule.combine(
          values: numbers.base + (i - part.lowerBound) * count,
          status: taps.status.base + i * count, centreColumn: position.centreColumn,
          centreRow: position.centreRow, x: position.xFraction, y: position.yFraction)
        column.status.base[point] = result
        values[point] = value
      }
    }
  }
}

extension ValueColumn {
  /// The values as doubles, regardless of their statuses.
  fileprivate func numbers(_ range: Range<Int>) -> TrivialBuffer<Double> {
    let numbers = TrivialBuffer<Double>(count: range.count)
    for i in range {
      let value = CellValue(pixelType, at: bytes + i * pixelType.byteCount)
      numbers.base[i - range.lowerBound] = value.real ?? 0
    }
    return numbers
  }
}
