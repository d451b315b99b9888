import PlumbCore

/// The cells of a mask or alpha band in tiles that are in memory.
struct TapMask {
  /// The address of the first cell in each tile.
  var bases: [UnsafeRawPointer]
  /// The number of bytes between consecutive cells.
  var stride: Int
  /// The size of a value in bytes.
  var byteCount: Int
  /// The status of a cell whose bytes are all 0.
  var reason: SampleStatus

  @inline(__always)
  func isMasked(_ tile: Int, _ cell: Int) -> Bool {
    let address = bases[tile] + cell &* stride
    for byte in 0..<byteCount where address.load(fromByteOffset: byte, as: UInt8.self) != 0 {
      return false
    }
    return true
  }
}

/// Interpolates the points of one tile from tiles that are in memory.
struct TapGather: ValidityVisitor {
  let points: TapPoints
  let rows: RowNumbers
  /// The tile that contains the points.
  let tile: Int
  let entries: UnsafeBufferPointer<PlanEntry>
  /// The numbers of the tiles in memory, `tile` first.
  let tiles: [UInt32]
  /// The address of the band's first value in each of `tiles`.
  let bases: [UnsafeRawPointer]
  /// The number of bytes between consecutive cells.
  let stride: Int
  let mask: TapMask?
  let column: ValueColumn

  func visit<Test: ValidityTest>(_ test: Test) {
    // The constant rule makes the number of taps a compile-time constant in each loop.
    if points.grid.rule.side == 2 {
      gather(test, TapRule(side: 2))
    } else {
      gather(test, TapRule(side: 4))
    }
  }

  @inline(__always)
  private func gather<Test: ValidityTest>(_ test: Test, _ rule: TapRule) {
    let grid = points.grid
    let width = grid.grid.tileWidth
    let (ok, noData) = (SampleStatus.ok.rawValue, SampleStatus.nodata.rawValue)
    let results = column.bytes.assumingMemoryBound(to: Double.self)
    let statuses = column.status.base
    let (xs, ys) = (points.xFractions.base, points.yFractions.base)
    let (home, hasMask) = (bases[0], mask != nil)
    let (list, firstRow) = (rows.list?.base, rows.first)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: rule.count) { taps in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: rule.count) { status in
        guard let taps = taps.baseAddress, let status = status.baseAddress else { return }
        for entry in entries {
          if TapGrid.isApart(entry) {
            fillApart(test, entry, taps, status)
          } else {
            var cell = grid.firstTap(entry)
            for row in 0..<rule.side {
              for across in 0..<rule.side {
                let value = home.load(
                  fromByteOffset: (cell &+ across) &* stride, as: Test.Value.self)
                let tap = row * rule.side + across
                taps[tap] = value.number
                status[tap] = test.isValid(value) ? ok : noData
                if hasMask { markMasked(tile: 0, cell: cell &+ across, &status[tap]) }
              }
              cell &+= width
            }
          }
          let (slot, centreCell) = (Int(entry.index), TapGrid.centreCell(entry))
          let result = rule.combine(
            values: taps, status: status, centreColumn: centreCell.column,
            centreRow: centreCell.row, x: xs[slot],
            y: ys[slot])
          let row = list.map { Int($0[slot]) } ?? firstRow &+ slot
          statuses[row] = result.status
          results[row] = result.value
        }
      }
    }
  }

  private func markMasked(tile: Int, cell: Int, _ status: inout UInt8) {
    guard let mask, status == SampleStatus.ok.rawValue, mask.isMasked(tile, cell) else { return }
    status = mask.reason.rawValue
  }

  private func fillApart<Test: ValidityTest>(
    _ test: Test, _ entry: PlanEntry, _ taps: UnsafeMutablePointer<Double>,
    _ status: UnsafeMutablePointer<UInt8>
  ) {
    for tap in 0..<points.grid.rule.count { status[tap] = SampleStatus.outside.rawValue }
    points.grid.forEachTap(of: entry, tile: tile) { tap, number, offset in
      guard let index = tiles.firstIndex(of: number) else { return }
      let value = bases[index].load(
        fromByteOffset: Int(offset) &* stride, as: Test.Value.self)
      taps[tap] = value.number
      status[tap] = (test.isValid(value) ? SampleStatus.ok : .nodata).rawValue
      markMasked(tile: index, cell: Int(offset), &status[tap])
    }
  }
}
