import PlumbCore

// The rule of interpolation. A point whose own cell has no value has none. Bilinear weighs the two
// by two cells whose centres surround the point; cells without a value, and those beyond the
// raster's edge, are left out and the other weights scaled up to 1. Cubic (Catmull-Rom, a = -0.5)
// needs all sixteen cells, else it is bilinear there. A cell that cannot be read and would weigh
// in makes a read error.

extension RasterSampler {
  /// Points that are interpolated together: their taps in all bands are in memory at once.
  private static func interpolationBatch(bands: Int) -> Int {
    max(1 << 8, (1 << 15) / max(1, bands / 4))
  }

  /// Interpolates a single-file raster at the points of a range.
  func interpolate(
    _ index: Int, _ points: PointCoordinates, _ range: Range<Int>, _ answer: RasterAnswer
  ) {
    let request = requests[index]
    interpolate(
      request.raster.members[0], id: request.raster.firstSourceID, bands: request.bands, points,
      range.map { UInt32($0) }, answer.columns)
    guard let provenance = answer.provenance else { return }
    forEachBlock(request.raster.members[0], request.raster.firstSourceID, points, range) {
      _, first, count, block in
      provenance.keep(block, first: first, count: count)
    }
  }

  /// Interpolates one file at the points of `list` into columns of doubles.
  func interpolate(
    _ source: any TileSource, id: UInt32, bands: [Int], _ points: PointCoordinates,
    _ list: [UInt32], _ columns: [ValueColumn]
  ) {
    let size = Self.interpolationBatch(bands: bands.count)
    var start = 0
    while start < list.count {
      let end = min(list.count, start + size)
      interpolateBatch(source, id, bands, points, list[start..<end], columns)
      start = end
    }
  }

  private func interpolateBatch(
    _ source: any TileSource, _ id: UInt32, _ bands: [Int], _ points: PointCoordinates,
    _ list: ArraySlice<UInt32>, _ columns: [ValueColumn]
  ) {
    let side = resampling == .cubic ? 4 : 2
    let taps = side * side
    let grid = source.profile.grid
    let (x, y) = (
      TrivialBuffer(list.map { points.x[Int($0)] }), TrivialBuffer(list.map { points.y[Int($0)] })
    )
    let status = TrivialBuffer(
      list.map { points.status?[Int($0)] ?? SampleStatus.ok.rawValue })
    let own = PointCoordinates(x: x.base, y: y.base, status: status.base, count: list.count)
    let keys = TrivialBuffer<UInt64>(count: list.count * taps)
    let offsets = TrivialBuffer<UInt32>(count: list.count * taps)
    let fractions = TrivialBuffer<TapPosition>(count: list.count)
    let tapColumns = bands.map {
      ValueColumn(pixelType: source.profile.bands[$0].pixelType, count: list.count * taps)
    }
    let splitter = TileSplitter(grid)
    // Beside a raster that goes all the way round lie the cells of its other edge.
    let width = PeriodicLocator(source.profile)?.isClosed == true ? grid.width : 0
    forEachBlock(source, id, own, 0..<list.count, keepsPositions: true) { _, first, count, block in
      for i in 0..<count {
        let point = first + i
        let isInside = block.columns[i] >= 0 && isOK(own, point)
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
      workers: workers)
    tileWorkers([source]).run(plan.groups.count) { worker, job in
      let group = plan.groups[job]
      readTile(
        source, id: id, tile: Int(group.key), entries: plan.entries(of: group), bands: bands,
        columns: tapColumns, worker: worker)
    }
    workers.runRanges(list.count, grain: 4096) { _, part in
      for (column, tapColumn) in zip(columns, tapColumns) {
        let values = column.bytes.assumingMemoryBound(to: Double.self)
        for i in part {
          let point = Int(list[list.startIndex + i])
          if status.base[i] != SampleStatus.ok.rawValue {
            column.status.base[point] = status.base[i]
            continue
          }
          let (result, value) = fractions.base[i].combine(
            tapColumn, first: i * taps, side: side)
          column.status.base[point] = result.rawValue
          values[point] = value
        }
      }
    }
  }
}

/// Where a point lies among the centres of cells.
struct TapPosition: BitwiseCopyable {
  /// The cell whose centre is next to the left and above, and how far past it the point lies.
  var left: Int
  var top: Int
  var xFraction: Double
  var yFraction: Double
  /// The cell that holds the point, counted from `left` and `top`: 0 or 1.
  var ownColumn: Int
  var ownRow: Int

  static let none = TapPosition(column: -8, row: -8, x: -8, y: -8)

  /// - Parameters:
  ///   - column: of the cell that holds the point.
  ///   - x: the grid position, unrounded.
  init(column: Int, row: Int, x: Double, y: Double) {
    (left, xFraction) = Self.split(x, cell: column)
    (top, yFraction) = Self.split(y, cell: row)
    ownColumn = column - left
    ownRow = row - top
  }

  private static func split(_ position: Double, cell: Int) -> (Int, Double) {
    let shifted = position - 0.5
    let base = shifted < Double(cell) ? cell - 1 : cell
    return (base, min(max(shifted - Double(base), 0), 1))
  }

  func cell(tap: Int, side: Int) -> (column: Int, row: Int) {
    let half = side / 2 - 1
    return (left - half + tap % side, top - half + tap / side)
  }

  func combine(_ taps: ValueColumn, first: Int, side: Int) -> (SampleStatus, Double) {
    func slot(_ column: Int, _ row: Int) -> Int {
      let half = side / 2 - 1
      return first + (row + half) * side + column + half
    }
    let own = taps.status(at: slot(ownColumn, ownRow))
    guard own == .ok else { return (own, 0) }
    if side == 4 {
      for tap in first..<first + 16 where taps.status(at: tap) == .readError {
        return (.readError, 0)
      }
      if let value = cubic(taps, first: first) { return (.ok, value) }
    }
    var (sum, weights) = (0.0, 0.0)
    for row in 0...1 {
      for column in 0...1 {
        let weight =
          (column == 0 ? 1 - xFraction : xFraction) * (row == 0 ? 1 - yFraction : yFraction)
        let tap = slot(column, row)
        guard weight > 0 else { continue }
        if taps.status(at: tap) == .readError { return (.readError, 0) }
        guard let value = taps[tap]?.real else { continue }
        sum += weight * value
        weights += weight
      }
    }
    return weights > 0 ? (.ok, sum / weights) : (.nodata, 0)
  }

  private func cubic(_ taps: ValueColumn, first: Int) -> Double? {
    let (wx, wy) = (Self.cubicWeights(xFraction), Self.cubicWeights(yFraction))
    var sum = 0.0
    for row in 0..<4 {
      var line = 0.0
      for column in 0..<4 {
        guard let value = taps[first + row * 4 + column]?.real else { return nil }
        line += wx[column] * value
      }
      sum += wy[row] * line
    }
    return sum
  }

  /// Catmull-Rom's weights of the cells at -1, 0, 1 and 2 for a point at `t` in 0…1.
  private static func cubicWeights(_ t: Double) -> SIMD4<Double> {
    let (t2, t3) = (t * t, t * t * t)
    return SIMD4(
      -0.5 * t + t2 - 0.5 * t3,
      1 - 2.5 * t2 + 1.5 * t3,
      0.5 * t + 2 * t2 - 1.5 * t3,
      -0.5 * t2 + 0.5 * t3)
  }
}
