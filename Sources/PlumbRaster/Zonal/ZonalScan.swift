import CKernels
import PlumbCore

/// Adds the values of an area's cells in one tile. The methods are compiled for each pixel type and
/// validity rule.
struct ZonalScan: ValidityVisitor {
  /// The bytes of a mask or alpha plane, which are not 0 in cells with a value.
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

  /// The address of the band's value in the tile's first cell.
  let base: UnsafeRawPointer
  /// The number of bytes between consecutive cells.
  let stride: Int
  /// The kernel for the type of the values; nil if there is none.
  let kernel: ZonalKernel?
  let mask: Mask?
  /// The window of the grid that the tile covers.
  let window: CellWindow
  let tileWidth: Int
  /// The area's runs and partially covered cells in the rows of the tile.
  let runs: UnsafeBufferPointer<CoverageStore.Run>
  let cells: UnsafeBufferPointer<CoverageStore.Cell>
  /// Whether cells are weighted by their coverage.
  let isExact: Bool
  /// The weight of each partially covered cell, unless cells are weighted by their coverage.
  let cellWeights: UnsafeBufferPointer<Double>
  /// The factor by which values are multiplied, and the number that is added afterwards.
  let scale: Double
  let offset: Double
  let sizes: CellPlane?
  let weights: CellPlane?
  let needsPositions: Bool
  let needsExtras: Bool
  /// The cells that other files also contain; nil if the file does not overlap another file.
  let overlap: UnsafeMutablePointer<ZonalOverlap>?
  let result: UnsafeMutablePointer<ZonalSampler.Result>
  /// Receives each value; nil if single values are not needed.
  let distribution: UnsafeMutablePointer<ZonalDistribution>?
  /// Receives the values of types that are counted, in place of `distribution`; nil if values are not counted.
  let counts: ZonalCounts?
  /// Receives the values before they are added to the sums.
  let buffer: ZonalBuffer

  func visit<Test: ValidityTest>(_ test: Test) {
    if let counts, let distribution, let least = Test.Value.leastCounted {
      counts.start(
        ZonalCounts.Conversion(least: least, scale: scale, offset: offset), &distribution.pointee)
    }
    var sums = result.pointee.moments
    if let overlap {
      visit(test, overlap, &sums)
    } else if let kernel, let invalid = test.invalidRange, mask == nil, isExact,
      stride == MemoryLayout<Test.Value>.size, distribution == nil || needsExtras
    {
      sums.add(kernelTile(invalid), kernel)
    } else {
      var count = 0
      for run in runs { add(run, test, &count, &sums) }
      addCells(test, &count, &sums)
      flush(test, &count, &sums)
    }
    result.pointee.moments = sums
    if needsExtras, overlap == nil {
      if let sizes, combinesCells {
        for run in runs { addSizes(of: run, sizes, test) }
      } else {
        forEachRunCell { row, column in addExtras(row, column, 1, test) }
      }
      forEachPartialCell { row, column, _, weight in
        if weight > 0 { addExtras(row, column, weight, test) }
      }
    }
  }

  /// Whether consecutive cells are added together, because only their sizes and counts are needed.
  private var combinesCells: Bool {
    weights == nil && !needsPositions && (distribution == nil || counts != nil)
  }

  /// Calls a function with the row, the column, the covered fraction and the weight of each cell in
  /// the tile.
  @inline(__always)
  private func forEachCell(_ body: (Int, Int, Double, Double) -> Void) {
    forEachRunCell { row, column in body(row, column, 1, 1) }
    forEachPartialCell(body)
  }

  /// Calls a function with the row and the column of each completely covered cell in the tile.
  @inline(__always)
  private func forEachRunCell(_ body: (Int, Int) -> Void) {
    for run in runs { for column in columns(of: run) { body(Int(run.row), column) } }
  }

  /// Calls a function with the row, the column, the covered fraction and the weight of each
  /// partially covered cell in the tile.
  @inline(__always)
  private func forEachPartialCell(_ body: (Int, Int, Double, Double) -> Void) {
    let (first, end) = (window.column, window.column + window.width)
    for position in cells.indices {
      let cell = cells[position]
      guard Int(cell.column) >= first, Int(cell.column) < end else { continue }
      body(
        Int(cell.row), Int(cell.column), cell.fraction,
        isExact ? cell.fraction : cellWeights[position])
    }
  }

  /// The columns of a run in the tile.
  @inline(__always)
  private func columns(of run: CoverageStore.Run) -> Range<Int> {
    let start = max(Int(run.start), window.column)
    return start..<max(start, min(Int(run.end), window.column + window.width))
  }

  // MARK: Sums

  private func kernelTile(_ invalid: NoDataRange<Double>) -> plumb_zonal_tile {
    plumb_zonal_tile(
      values: base, column: Int32(window.column), row: Int32(window.row),
      width: Int32(window.width), stride: Int64(tileWidth), runs: runs.kernelRuns,
      run_count: Int64(runs.count), cells: cells.kernelCells, cell_count: Int64(cells.count),
      low: invalid.low, high: invalid.high, scale: scale, offset: offset)
  }

  /// Adds consecutive cells that are covered completely.
  ///
  /// - Parameter count: the number of values in the buffer, which the method updates.
  @inline(__always)
  private func add<Test: ValidityTest>(
    _ run: CoverageStore.Run, _ test: Test, _ count: inout Int, _ sums: inout ZonalMoments
  ) {
    let columns = columns(of: run)
    guard !columns.isEmpty else { return }
    let end = columns.upperBound
    sums.coverage += Double(columns.count)
    let origin = (Int(run.row) - window.row) &* tileWidth &- window.column
    var column = columns.lowerBound
    var valid = 0
    while column < end {
      if count >= ZonalBuffer.capacity { flush(test, &count, &sums) }
      let stop = min(end, column &+ ZonalBuffer.capacity &- count)
      let before = count
      for index in origin &+ column..<origin &+ stop { add(index, 1, test, &count) }
      valid &+= count &- before
      column = stop
    }
    if !isExact {
      sums.touched += Double(columns.count)
      sums.surface += Double(valid)
    }
  }

  /// Adds the cells that are covered partially.
  @inline(__always)
  private func addCells<Test: ValidityTest>(
    _ test: Test, _ count: inout Int, _ sums: inout ZonalMoments
  ) {
    for position in cells.indices {
      let cell = cells[position]
      let column = Int(cell.column) &- window.column
      guard column >= 0, column < window.width else { continue }
      let index = (Int(cell.row) &- window.row) &* tileWidth &+ column
      var weight = cell.fraction
      if !isExact {
        weight = cellWeights[position]
        sums.touched += cell.fraction
        if value(index, test) != nil { sums.surface += cell.fraction }
        guard weight > 0 else { continue }
      }
      sums.coverage += weight
      if count >= ZonalBuffer.capacity { flush(test, &count, &sums) }
      add(index, weight, test, &count)
    }
  }

  /// Adds a cell to the buffer if it has a value.
  @inline(__always)
  private func add<Test: ValidityTest>(
    _ index: Int, _ weight: Double, _ test: Test, _ count: inout Int
  ) {
    let value = base.load(fromByteOffset: index &* stride, as: Test.Value.self)
    // If the value is not valid, the next value overwrites it.
    buffer.values[count] = value.number * scale + offset
    buffer.weights[count] = weight
    if Test.Value.leastCounted != nil { buffer.indices[count] = value.countIndex }
    var isValid = test.isValid(value)
    if let mask { isValid = isValid && mask.isSet(index) }
    count &+= isValid ? 1 : 0
  }

  /// Adds the values of the buffer to the sums. Also adds them to the distribution, unless
  /// `addExtras` does so.
  @inline(never)
  private func flush<Test: ValidityTest>(
    _ test: Test, _ count: inout Int, _ sums: inout ZonalMoments
  ) {
    sums.add(buffer.values, weights: buffer.weights, count: count)
    if let distribution, !needsExtras {
      if let counts, Test.Value.leastCounted != nil {
        for index in 0..<count {
          counts.add(buffer.indices[index], weight: buffer.weights[index])
        }
      } else {
        for index in 0..<count {
          distribution.pointee.add(buffer.values[index], weight: buffer.weights[index])
        }
      }
    }
    count = 0
  }

  /// The stored value of a cell; nil if it has none.
  @inline(__always)
  private func value<Test: ValidityTest>(_ index: Int, _ test: Test) -> Test.Value? {
    let value = base.load(fromByteOffset: index &* stride, as: Test.Value.self)
    guard test.isValid(value) else { return nil }
    if let mask, !mask.isSet(index) { return nil }
    return value
  }

  /// Adds a cell to the distribution, if there is one.
  @inline(__always)
  private func count<Value: CellNumber>(_ value: Value, weight: Double, area: Double = 0) {
    guard let distribution else { return }
    if let counts, Value.leastCounted != nil {
      counts.add(value.countIndex, weight: weight, area: area)
    } else {
      distribution.pointee.add(value.number * scale + offset, weight: weight, area: area)
    }
  }

  // MARK: Extras

  /// Adds a cell to the sums that only some statistics need, and to the distribution.
  private func addExtras<Test: ValidityTest>(
    _ row: Int, _ column: Int, _ weight: Double, _ test: Test
  ) {
    let (rowInTile, columnInTile) = (row - window.row, column - window.column)
    guard let value = value(rowInTile &* tileWidth &+ columnInTile, test) else { return }
    let number = value.number * scale + offset
    var area = 0.0
    if let sizes {
      area = weight * sizes.value(row: rowInTile, column: columnInTile)
      result.pointee.extras.add(size: area)
    }
    if let weights {
      result.pointee.extras.add(
        number, coverage: weight, weight: weights.value(row: rowInTile, column: columnInTile))
    }
    if needsPositions { result.pointee.extras.add(number, row: row, column: column) }
    count(value, weight: weight, area: area)
  }

  /// Adds the sizes of a run's cells that have a value. Adjacent cells are added in one step; if
  /// values are counted, only adjacent cells with the same value.
  @inline(__always)
  private func addSizes<Test: ValidityTest>(
    of run: CoverageStore.Run, _ sizes: CellPlane, _ test: Test
  ) {
    let columns = columns(of: run)
    let row = Int(run.row) - window.row
    let origin = row &* tileWidth &- window.column
    var column = columns.lowerBound
    while column < columns.upperBound {
      let start = column
      column &+= 1
      guard let value = value(origin &+ start, test) else { continue }
      while column < columns.upperBound, let next = self.value(origin &+ column, test),
        counts == nil || next.countIndex == value.countIndex
      {
        column &+= 1
      }
      let size = sizes.sum(row: row, columns: start - window.column..<column - window.column)
      result.pointee.extras.add(size: size)
      count(value, weight: Double(column - start), area: size)
    }
  }

  // MARK: Cells of several files

  /// Calls a function with the row and the column of each cell that has a value.
  @inline(__always)
  func forEachValue<Test: ValidityTest>(_ test: Test, _ body: (Int, Int) -> Void) {
    forEachCell { row, column, _, _ in
      let index = (row - window.row) &* tileWidth &+ column &- window.column
      if value(index, test) != nil { body(row, column) }
    }
  }

  /// Adds cells that other files may also contain.
  private func visit<Test: ValidityTest>(
    _ test: Test, _ overlap: UnsafeMutablePointer<ZonalOverlap>, _ sums: inout ZonalMoments
  ) {
    forEachCell { row, column, fraction, weight in
      add(row, column, fraction: fraction, weight: weight, test, overlap, &sums)
    }
  }

  private func add<Test: ValidityTest>(
    _ row: Int, _ column: Int, fraction: Double, weight: Double, _ test: Test,
    _ overlap: UnsafeMutablePointer<ZonalOverlap>, _ sums: inout ZonalMoments
  ) {
    if !overlap.pointee.isEarlier(row: row, column: column) {
      sums.touched += fraction
      if weight > 0 { sums.coverage += weight }
    }
    if overlap.pointee.isElsewhere(row: row, column: column) { return }
    let index = (row - window.row) &* tileWidth &+ column &- window.column
    guard let value = value(index, test) else { return }
    overlap.pointee.add(row: row, column: column)
    sums.surface += fraction
    guard weight > 0 else { return }
    sums.add(value.number * scale + offset, weight: weight)
    if needsExtras {
      addExtras(row, column, weight, test)
    } else {
      count(value, weight: weight)
    }
  }
}

/// The values and the coverage of up to `capacity` cells of an area. The owner of the buffer frees
/// its memory.
struct ZonalBuffer {
  /// The number of cells that fit. One more cell may be written and discarded.
  static let capacity = 1 << 10
  let values: UnsafeMutablePointer<Double>
  let weights: UnsafeMutablePointer<Double>
  /// The index of each value among the counts; not set for types that are not counted.
  let indices: UnsafeMutablePointer<UInt16>

  init() {
    values = .allocate(capacity: Self.capacity + 1)
    weights = .allocate(capacity: Self.capacity + 1)
    indices = .allocate(capacity: Self.capacity + 1)
  }

  func deallocate() {
    values.deallocate()
    weights.deallocate()
    indices.deallocate()
  }
}
