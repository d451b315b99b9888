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
  let runs: ArraySlice<CoverageStore.Run>
  let cells: ArraySlice<CoverageStore.Cell>
  let moments: UnsafeMutablePointer<ZonalMoments>
  /// Nil if the values are not needed one by one.
  let distribution: UnsafeMutablePointer<ZonalDistribution>?

  func visit<Test: ValidityTest>(_ test: Test) {
    var sums = moments.pointee
    let (first, end) = (window.column, window.column + window.width)
    for run in runs {
      let (start, stop) = (max(Int(run.start), first), min(Int(run.end), end))
      guard start < stop else { continue }
      let columns = start..<stop
      sums.coverage += Double(columns.count)
      let origin = (Int(run.row) - window.row) &* tileWidth &- first
      for column in columns { add(origin &+ column, 1, test, &sums) }
    }
    for cell in cells where Int(cell.column) >= first && Int(cell.column) < end {
      sums.coverage += cell.fraction
      let index = (Int(cell.row) - window.row) &* tileWidth &+ Int(cell.column) &- first
      add(index, cell.fraction, test, &sums)
    }
    moments.pointee = sums
  }

  @inline(__always)
  private func add<Test: ValidityTest>(
    _ index: Int, _ weight: Double, _ test: Test, _ sums: inout ZonalMoments
  ) {
    let value = base.load(fromByteOffset: index &* stride, as: Test.Value.self)
    guard test.isValid(value) else { return }
    if let mask, !mask.isSet(index) { return }
    let number = value.number
    sums.add(number, weight: weight)
    distribution?.pointee.add(number, weight: weight)
  }
}
