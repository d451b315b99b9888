import PlumbCore

/// The values of an area's cells in one tile. Compiled for each pixel type and validity rule.
struct ZonalScan: ValidityVisitor {
  /// The bytes of a plane that marks the cells with values.
  struct Mask {
    var base: UnsafeRawPointer
    var stride: Int
    var byteCount: Int

    @inline(__always)
    func isSet(_ cell: Int) -> Bool {
      for byte in 0..<byteCount
      where base.load(fromByteOffset: cell &* stride &+ byte, as: UInt8.self) != 0 {
        return true
      }
      return false
    }
  }

  /// The band's value in the tile's first cell.
  let base: UnsafeRawPointer
  /// The number of bytes between consecutive cells.
  let stride: Int
  let mask: Mask?
  /// The cells of the raster in the tile.
  let window: CellWindow
  let tileWidth: Int
  /// The area's runs and partially covered cells in the rows of the tile.
  let runs: UnsafeBufferPointer<CoverageStore.Run>
  let cells: UnsafeBufferPointer<CoverageStore.Cell>
  /// Whether cells are weighted by their coverage.
  let isExact: Bool
  /// The weight of each partially covered cell, unless cells are weighted by their coverage.
  let cellWeights: UnsafeBufferPointer<Double>
  /// The factor of values, and the number that is added afterwards.
  let scale: Double
  let offset: Double
  let sizes: CellPlane?
  let weights: CellPlane?
  let needsPositions: Bool
  let needsExtras: Bool
  /// The cells that other files have, too; nil if there are none.
  let overlap: UnsafeMutablePointer<ZonalOverlap>?
  let result: UnsafeMutablePointer<ZonalSampler.Result>
  /// Nil if the values are not needed one by one.
  let distribution: UnsafeMutablePointer<ZonalDistribution>?

  func visit<Test: ValidityTest>(_ test: Test) {
    if let overlap { return visit(test, overlap) }
    var sums = result.pointee.moments
    let (first, end) = (window.column, window.column + window.width)
    for run in runs {
      let (start, stop) = (max(Int(run.start), first), min(Int(run.end), end))
      guard start < stop else { continue }
      let columns = start..<stop
      let before = sums.count
      sums.coverage += Double(columns.count)
      let row = Int(run.row) - window.row
      let origin = row &* tileWidth &- first
      for column in columns { add(origin &+ column, row, 1, test, &sums) }
      if !isExact {
        sums.touched += Double(columns.count)
        sums.surface += sums.count - before
      }
    }
    for position in cells.indices {
      let cell = cells[position]
      guard Int(cell.column) >= first, Int(cell.column) < end else { continue }
      let row = Int(cell.row) - window.row
      let index = row &* tileWidth &+ Int(cell.column) &- first
      guard !isExact else {
        sums.coverage += cell.fraction
        add(index, row, cell.fraction, test, &sums)
        continue
      }
      let weight = cellWeights[position]
      sums.touched += cell.fraction
      if value(index, test) != nil { sums.surface += cell.fraction }
      if weight > 0 {
        sums.coverage += weight
        add(index, row, weight, test, &sums)
      }
    }
    result.pointee.moments = sums
  }

  /// Adds cells that other files may have, too.
  private func visit<Test: ValidityTest>(
    _ test: Test, _ overlap: UnsafeMutablePointer<ZonalOverlap>
  ) {
    var sums = result.pointee.moments
    let (first, end) = (window.column, window.column + window.width)
    for run in runs {
      let (start, stop) = (max(Int(run.start), first), min(Int(run.end), end))
      guard start < stop else { continue }
      for column in start..<stop {
        add(Int(run.row), column, fraction: 1, weight: 1, test, overlap, &sums)
      }
    }
    for position in cells.indices {
      let cell = cells[position]
      guard Int(cell.column) >= first, Int(cell.column) < end else { continue }
      add(
        Int(cell.row), Int(cell.column), fraction: cell.fraction,
        weight: isExact ? cell.fraction : cellWeights[position], test, overlap, &sums)
    }
    result.pointee.moments = sums
  }

  private func add<Test: ValidityTest>(
    _ row: Int, _ column: Int, fraction: Double, weight: Double, _ test: Test,
    _ overlap: UnsafeMutablePointer<ZonalOverlap>, _ sums: inout ZonalMoments
  ) {
    if !overlap.pointee.isEarlier(row: row, column: column) {
      sums.touched += fraction
      if weight > 0 { sums.coverage += weight }
    } else if overlap.pointee.isKnown(row: row, column: column) {
      return
    }
    let rowInTile = row - window.row
    let index = rowInTile &* tileWidth &+ column &- window.column
    guard value(index, test) != nil else { return }
    overlap.pointee.add(row: row, column: column)
    sums.surface += fraction
    if weight > 0 { add(index, rowInTile, weight, test, &sums) }
  }

  /// The value of a cell; nil if it has none.
  @inline(__always)
  private func value<Test: ValidityTest>(_ index: Int, _ test: Test) -> Double? {
    let value = base.load(fromByteOffset: index &* stride, as: Test.Value.self)
    guard test.isValid(value) else { return nil }
    if let mask, !mask.isSet(index) { return nil }
    return value.number
  }

  @inline(__always)
  private func add<Test: ValidityTest>(
    _ index: Int, _ row: Int, _ weight: Double, _ test: Test, _ sums: inout ZonalMoments
  ) {
    guard var number = value(index, test) else { return }
    number = number * scale + offset
    sums.add(number, weight: weight)
    if needsExtras { return addExtras(number, row, index &- row &* tileWidth, weight) }
    distribution?.pointee.add(number, weight: weight)
  }

  @inline(never)
  private func addExtras(_ number: Double, _ row: Int, _ column: Int, _ weight: Double) {
    var area = 0.0
    if let sizes {
      area = weight * sizes.value(row: row, column: column)
      result.pointee.extras.add(size: area)
    }
    if let weights {
      result.pointee.extras.add(
        number, coverage: weight, weight: weights.value(row: row, column: column))
    }
    if needsPositions {
      result.pointee.extras.add(number, row: row + window.row, column: column + window.column)
    }
    distribution?.pointee.add(number, weight: weight, area: area)
  }
}
