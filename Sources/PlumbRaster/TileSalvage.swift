import PlumbCore

/// Reads what can be read of a tile that cannot be read whole: by rows of the file's own blocks, then
/// by rows, then by cells, of those that are asked.
///
/// A block none of whose probed cells can be read is given up, so that a file of many broken blocks
/// takes a bounded multiple of the time that reading them takes.
struct TileSalvage {
  /// Cells that are tried before a block is given up.
  static let probes = 32

  let reader: any TileReader
  let profile: RasterProfile
  let plane: Int
  let tile: Int
  let entries: UnsafeBufferPointer<PlanEntry>
  /// The cells in the order of the entries.
  let bytes: TileBuffer
  /// Which of them could not be read.
  let unread: TrivialBuffer<Bool>
  private let size: Int
  /// The entries' numbers in the order of their cells.
  private let order: [Int]

  /// - Returns: nil when not one of the cells can be read.
  init?(
    _ reader: any TileReader, _ profile: RasterProfile, plane: Int, tile: Int,
    entries: UnsafeBufferPointer<PlanEntry>
  ) {
    let height = profile.grid.window(tile: tile).height
    let blockRows = max(1, reader.blockRows ?? height)
    guard !entries.isEmpty, !(reader.readsWholeBlocks && blockRows >= height) else { return nil }
    self.reader = reader
    self.profile = profile
    self.plane = plane
    self.tile = tile
    self.entries = entries
    size = profile.cellStride(plane: plane)
    bytes = TileBuffer(byteCount: entries.count * size)
    bytes.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unread = TrivialBuffer(count: entries.count)
    for i in 0..<entries.count { unread.base[i] = true }
    order = entries.indices.sorted { entries[$0].offset < entries[$1].offset }
    var start = 0
    var hasAny = false
    while start < order.count {
      let block = row(order[start]) / blockRows
      var end = start + 1
      while end < order.count, row(order[end]) / blockRows == block { end += 1 }
      if readBlock(start..<end) { hasAny = true }
      start = end
    }
    if !hasAny { return nil }
  }

  /// The row of an entry's cell in the raster.
  private func row(_ entry: Int) -> Int {
    profile.grid.cell(tile: tile, offset: Int(entries[entry].offset)).row
  }

  /// - Parameter range: of `order`.
  private func readBlock(_ range: Range<Int>) -> Bool {
    if read(range) { return true }
    if reader.readsWholeBlocks { return false }
    let step = max(1, (range.count + Self.probes - 1) / Self.probes)
    var hasAny = false
    for position in stride(from: range.lowerBound, to: range.upperBound, by: step) {
      if read(position..<position + 1) { hasAny = true }
    }
    if read(range.upperBound - 1..<range.upperBound) { hasAny = true }
    guard hasAny, step > 1 else { return hasAny }
    var start = range.lowerBound
    while start < range.upperBound {
      let line = row(order[start])
      var end = start + 1
      while end < range.upperBound, row(order[end]) == line { end += 1 }
      if !read(start..<end) { readCells(start..<end) }
      start = end
    }
    return true
  }

  private func readCells(_ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      let offset = entries[order[start]].offset
      var end = start + 1
      while end < range.upperBound, entries[order[end]].offset == offset { end += 1 }
      _ = read(start..<end)
      start = end
    }
  }

  /// Reads the smallest window round the cells of a range of `order`.
  private func read(_ range: Range<Int>) -> Bool {
    let grid = profile.grid
    let cells = range.lazy.map { grid.cell(tile: tile, offset: Int(entries[order[$0]].offset)) }
    var (left, right) = (Int.max, Int.min)
    for cell in cells {
      left = min(left, cell.column)
      right = max(right, cell.column)
    }
    let (top, bottom) = (row(order[range.lowerBound]), row(order[range.upperBound - 1]))
    let window = CellWindow(
      column: left, row: top, width: right - left + 1, height: bottom - top + 1)
    let scratch = TileBuffer(byteCount: window.width * window.height * size)
    guard let base = scratch.bytes.baseAddress, let target = bytes.bytes.baseAddress else {
      return false
    }
    do throws(RasterError) {
      try reader.readWindow(
        plane: plane, window, into: base, cellStride: size, rowStride: size * window.width)
    } catch {
      return false
    }
    for position in range {
      let entry = order[position]
      let cell = grid.cell(tile: tile, offset: Int(entries[entry].offset))
      let place = (cell.row - top) * window.width + cell.column - left
      (target + entry * size).copyMemory(from: base + place * size, byteCount: size)
      unread.base[entry] = false
    }
    return true
  }
}
