import PlumbCore

/// Reads as many of the requested cells as possible in a tile that cannot be read completely. Reads
/// rows of the file's blocks and, if parts of a block can be read, successively smaller windows.
///
/// A window that cannot be read is split in two, down to single cells. This takes at most two reads
/// per requested cell. If many cells are close together, a small window is abandoned if no cell of
/// a sample of its cells can be read. The sample includes cells of every full row and column of the
/// window, and of every part of the tile with at least 16 x 16 cells. A completely unreadable block
/// therefore takes one read per fourteen of its cells.
struct TileSalvage {
  /// The width and height in cells of the largest window that a sample represents.
  static let sampledSide = 32
  /// If a window contains at most this many cells, each cell is tried, regardless of the sample.
  static let fewCells = 64
  /// If a window has at most `fewest` unread cells, they are read one by one and the window is not
  /// tried. If a window with at most `few` unread cells cannot be read, the cells are read one by
  /// one.
  private static let (fewest, few) = (4, 8)

  /// A cell that one or more entries request.
  private struct Cell {
    var column: Int
    var row: Int
    /// The cell's entries, as a range of positions in `order`.
    var entries: Range<Int>
    var isTried = false
  }

  /// The cells' values in the order of the entries.
  let bytes: TileBuffer
  /// For each entry, whether its cell could not be read.
  let unread: TrivialBuffer<Bool>
  private let reader: any TileReader
  private let plane: Int
  private let size: Int
  /// The entries' indices in the order of their cells, row by row.
  private let order: [Int]
  private var cells: [Cell] = []
  private var scratch: TileBuffer

  /// - Returns: nil if none of the cells can be read.
  init?(
    _ reader: any TileReader, _ profile: RasterProfile, plane: Int, tile: Int,
    entries: UnsafeBufferPointer<PlanEntry>
  ) {
    let grid = profile.grid
    let height = grid.window(tile: tile).height
    let blockRows = max(1, reader.blockRows ?? height)
    guard !entries.isEmpty, !(reader.readsWholeBlocks && blockRows >= height) else { return nil }
    self.reader = reader
    self.plane = plane
    size = profile.cellStride(plane: plane)
    scratch = TileBuffer(byteCount: size)
    bytes = TileBuffer(byteCount: entries.count * size)
    bytes.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unread = TrivialBuffer(count: entries.count)
    for i in 0..<entries.count { unread.base[i] = true }
    order = entries.indices.sorted { entries[$0].offset < entries[$1].offset }
    for (position, entry) in order.enumerated() {
      let offset = entries[entry].offset
      if position > 0, entries[order[position - 1]].offset == offset {
        cells[cells.count - 1].entries = cells[cells.count - 1].entries.lowerBound..<position + 1
      } else {
        let (column, row) = grid.cell(tile: tile, offset: Int(offset))
        cells.append(Cell(column: column, row: row, entries: position..<position + 1))
      }
    }
    var start = 0
    while start < cells.count {
      let block = cells[start].row / blockRows
      var end = start + 1
      while end < cells.count, cells[end].row / blockRows == block { end += 1 }
      let numbers = Array(start..<end)
      if reader.readsWholeBlocks { _ = read(numbers) } else { search(numbers) }
      start = end
    }
    if !(0..<unread.count).contains(where: { !unread.base[$0] }) { return nil }
  }

  private enum Direction { case rows, columns }

  /// Reads as many of the given cells as possible. The cells are sorted row by row.
  ///
  /// - Parameter direction: the direction in which the enclosing window was split, if its middle row
  ///   or column could be read; otherwise nil.
  // Each step of the recursion roughly halves the number of cells. A step does not separate the
  // cells of the middle row or column.
  private mutating func search(_ numbers: [Int], _ direction: Direction? = nil) {
    let left = numbers.filter { !cells[$0].isTried && isUnread($0) }
    guard left.count > Self.fewest else { return readEach(left) }
    let box = box(of: left)
    let isHopeless = numbers.contains {
      cells[$0].isTried && isUnread($0) && box.contains(cells[$0].column, cells[$0].row)
    }
    if !isHopeless, read(left) { return }
    let isSmall = max(box.width, box.height) <= Self.sampledSide
    if left.count <= Self.few || isSmall && min(box.width, box.height) == 1 {
      return readEach(left)
    }
    // The sample may include cells that are already read.
    if isSmall, left.count > Self.fewCells, !readSample(of: numbers) { return }
    let (border, next) = middle(of: left, box, direction)
    search(numbers.filter { isBefore(border, $0) }, next)
    search(numbers.filter { !isBefore(border, $0) }, next)
  }

  private func isUnread(_ number: Int) -> Bool {
    unread.base[order[cells[number].entries.lowerBound]]
  }

  private mutating func readEach(_ numbers: [Int]) {
    for number in numbers { _ = readOne(number) }
  }

  private mutating func readOne(_ number: Int) -> Bool {
    if cells[number].isTried || !isUnread(number) { return !isUnread(number) }
    cells[number].isTried = true
    return read([number])
  }

  /// Tries a sample of a window's cells until one can be read. The sample consists of the corners
  /// and of one cell in sixteen of each row, or of each column if the window is wider than high.
  /// The positions of these cells differ in sixteen consecutive rows.
  private mutating func readSample(of numbers: [Int]) -> Bool {
    let box = box(of: numbers)
    let isUpright = box.height >= box.width
    let (lines, across) = isUpright ? (box.height, box.width) : (box.width, box.height)
    let period = 16
    let parts = (across + period - 1) / period
    var nearest = [(number: Int, distance: Int)?](repeating: nil, count: lines * parts + 4)
    func offer(_ number: Int, _ distance: Int, as index: Int) {
      if nearest[index].map({ distance < $0.distance }) ?? true {
        nearest[index] = (number, distance)
      }
    }
    for number in numbers {
      let (column, row) = (cells[number].column - box.column, cells[number].row - box.row)
      let (line, point) = isUpright ? (row, column) : (column, row)
      for corner in 0..<4 {
        let (top, left) = (corner / 2 * (lines - 1), corner % 2 * (across - 1))
        offer(number, abs(line - top) + abs(point - left), as: corner)
      }
      // Multiples of 5 modulo 16 take all values, because 5 and 16 have no common divisor.
      let step = lines < period ? line * period / lines : 5 * line % period
      let part = point * parts / across
      let (start, end) = (part * across / parts, (part + 1) * across / parts)
      let target = start + step * (end - start) / period
      offer(number, abs(point - target), as: 4 + line * parts + part)
    }
    return nearest.contains { $0.map { readOne($0.number) } ?? false }
  }

  private func isBefore(_ border: (direction: Direction, limit: Int), _ number: Int) -> Bool {
    let cell = cells[number]
    return (border.direction == .rows ? cell.row : cell.column) < border.limit
  }

  /// Returns where to split cells in two. The split is at the middle row or the middle column if
  /// one of them can be read. Otherwise, it is in the given direction, or across the longer side if
  /// the direction is nil.
  ///
  /// - Returns: the first row or column of the second part, and the direction for the next split;
  ///   the direction is nil if neither the middle row nor the middle column can be read.
  private mutating func middle(
    of numbers: [Int], _ box: CellWindow, _ direction: Direction?
  ) -> (border: (direction: Direction, limit: Int), next: Direction?) {
    let row = cells[numbers[numbers.count / 2]].row
    let columns = numbers.map { cells[$0].column }.sorted()
    let column = columns[columns.count / 2]
    var axis = box.height >= box.width ? Direction.rows : .columns
    var good: Direction?
    if box.width > 1, box.height > 1 {
      if direction != .columns, read(numbers.filter { cells[$0].row == row }) {
        good = .rows
      } else if direction != .rows, read(numbers.filter { cells[$0].column == column }) {
        good = .columns
      }
      // If the middle row or column cannot be read, the direction is kept once, because the
      // neighbouring rows or columns may be readable.
      axis = good ?? direction ?? axis
    }
    // This limit leaves neither part empty.
    let limit = axis == .rows ? max(row, box.row + 1) : max(column, box.column + 1)
    return ((axis, limit), good)
  }

  /// The bounding window of cells.
  private func box(of numbers: [Int]) -> CellWindow {
    var (left, right) = (Int.max, Int.min)
    var (top, bottom) = (Int.max, Int.min)
    for number in numbers {
      (left, right) = (min(left, cells[number].column), max(right, cells[number].column))
      (top, bottom) = (min(top, cells[number].row), max(bottom, cells[number].row))
    }
    return CellWindow(column: left, row: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// Reads the bounding window of cells.
  private mutating func read(_ numbers: [Int]) -> Bool {
    guard !numbers.isEmpty else { return false }
    let window = box(of: numbers)
    let byteCount = window.width * window.height * size
    if scratch.bytes.count < byteCount { scratch = TileBuffer(byteCount: byteCount) }
    guard let base = scratch.bytes.baseAddress, let target = bytes.bytes.baseAddress else {
      return false
    }
    do throws(RasterError) {
      try reader.readWindow(
        plane: plane, window, into: base, cellStride: size, rowStride: size * window.width)
    } catch {
      return false
    }
    for number in numbers {
      let cell = cells[number]
      let point = (cell.row - window.row) * window.width + cell.column - window.column
      for position in cell.entries {
        (target + order[position] * size).copyMemory(from: base + point * size, byteCount: size)
        unread.base[order[position]] = false
      }
    }
    return true
  }
}

extension CellWindow {
  fileprivate func contains(_ column: Int, _ row: Int) -> Bool {
    (self.column..<self.column + width).contains(column)
      && (self.row..<self.row + height).contains(row)
  }
}
