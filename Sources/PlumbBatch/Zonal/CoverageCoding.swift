import PlumbCore
import PlumbRaster

/// The encoding of the coverage of consecutive areas in a file.
///
/// Areas, runs and cells are in ascending order, so rows and columns are stored as differences,
/// with seven bits per byte. Fractions and weights are stored as 64-bit numbers, so that statistics
/// do not change.
enum CoverageCoding {
  /// Returns the bytes of a range of areas.
  static func bytes(_ areas: ZonalAreas, _ range: Range<Int>, hashes: [UInt64]) -> [UInt8] {
    var bytes = ByteWriter()
    for index in range { bytes.put(hashes[index]) }
    let coverage = areas.coverage
    for index in range {
      let area = coverage.areas[index]
      let fault = areas.faults[index].map { $0 == .badArea ? 1 : 2 } ?? 0
      bytes.put(count: fault | (areas.isAreal[index] ? 4 : 0) | (area.condition == .valid ? 8 : 0))
      bytes.put(areas.sizes[index].bitPattern)
      bytes.put(area.size.bitPattern)
      let window = area.window
      for number in [window.column, window.row, window.width, window.height] {
        bytes.put(count: number)
      }
      bytes.put(count: area.runs.count)
      bytes.put(count: area.cells.count)
      coverage.withCells(of: index) { area in
        var place = Place(window)
        for run in area.runs {
          place.put(row: run.row, column: run.start, &bytes)
          bytes.put(count: Int(run.end - run.start))
          place.column = Int(run.end)
        }
        place = Place(window)
        for cell in area.cells {
          place.put(row: cell.row, column: cell.column, &bytes)
          place.column += 1
        }
        for cell in area.cells { bytes.put(cell.fraction.bitPattern) }
        for weight in area.weights { bytes.put(weight.bitPattern) }
      }
    }
    return bytes.bytes
  }

  /// Reads the hashes of the areas of a block, which precede the areas.
  static func hashes(_ reader: inout ByteReader, count: Int) throws(Damage) -> [UInt64] {
    guard count <= reader.remaining / 8 else { throw Damage() }
    var hashes: [UInt64] = []
    hashes.reserveCapacity(count)
    for _ in 0..<count { hashes.append(try reader.number()) }
    return hashes
  }

  /// Reads the next areas of a block.
  ///
  /// - Parameter grid: the grid of the cells. An area beyond the grid means that the data is
  ///   damaged.
  static func areas(
    _ reader: inout ByteReader, count: Int, isExact: Bool, _ grid: TileGrid
  ) throws(Damage) -> ZonalAreas {
    var areas = ZonalAreas(isExact: isExact)
    var coverage = CoverageStore.Content(isExact: isExact)
    for _ in 0..<count {
      let flags = try reader.count()
      areas.faults.append(flags & 3 == 0 ? nil : flags & 3 == 1 ? .badArea : .transformFailed)
      areas.isAreal.append(flags & 4 != 0)
      areas.sizes.append(Double(bitPattern: try reader.number()))
      let size = Double(bitPattern: try reader.number())
      let window = CellWindow(
        column: try reader.count(), row: try reader.count(), width: try reader.count(),
        height: try reader.count())
      guard window.column <= grid.width, window.width <= grid.width - window.column,
        window.row <= grid.height, window.height <= grid.height - window.row
      else { throw Damage() }
      let (runCount, cellCount) = (try reader.count(), try reader.count())
      // Each run takes at least 3 bytes, and each cell at least 10.
      guard runCount <= reader.remaining / 3, cellCount <= reader.remaining / 10 else {
        throw Damage()
      }
      try runs(&reader, runCount, window, &coverage)
      try cells(&reader, cellCount, window, &coverage)
      coverage.endArea(
        size: size, condition: flags & 8 == 0 ? .unusable : .valid, window: window)
    }
    areas.coverage = CoverageParts(coverage.store)
    return areas
  }

  /// The position of the next run or cell in a window.
  private struct Place {
    let window: CellWindow
    var row: Int
    /// The first column that is not used yet.
    var column: Int

    init(_ window: CellWindow) {
      (self.window, row, column) = (window, window.row, window.column)
    }

    /// The number of columns from `column` on.
    var columnsLeft: Int { window.column + window.width - column }

    /// Moves to the row and the first column of the next run or cell.
    mutating func advance(_ reader: inout ByteReader) throws(Damage) {
      let step = try reader.count()
      guard step < window.row + window.height - row else { throw Damage() }
      if step > 0 { column = window.column }
      row += step
      let gap = try reader.count()
      guard gap < columnsLeft else { throw Damage() }
      column += gap
    }

    /// Writes the row and the first column of the next run or cell, and moves to them.
    mutating func put(row: Int32, column: Int32, _ bytes: inout ByteWriter) {
      bytes.put(count: Int(row) - self.row)
      if Int(row) > self.row { self.column = window.column }
      bytes.put(count: Int(column) - self.column)
      (self.row, self.column) = (Int(row), Int(column))
    }
  }

  private static func runs(
    _ reader: inout ByteReader, _ count: Int, _ window: CellWindow,
    _ coverage: inout CoverageStore.Content
  ) throws(Damage) {
    var place = Place(window)
    for _ in 0..<count {
      try place.advance(&reader)
      let length = try reader.count()
      guard length > 0, length <= place.columnsLeft else { throw Damage() }
      coverage.runs.append(
        CoverageStore.Run(
          row: Int32(place.row), start: Int32(place.column), end: Int32(place.column + length)))
      place.column += length
    }
  }

  private static func cells(
    _ reader: inout ByteReader, _ count: Int, _ window: CellWindow,
    _ coverage: inout CoverageStore.Content
  ) throws(Damage) {
    let first = coverage.cells.count
    var place = Place(window)
    for _ in 0..<count {
      try place.advance(&reader)
      coverage.cells.append(
        CoverageStore.Cell(row: Int32(place.row), column: Int32(place.column), fraction: 0))
      place.column += 1
    }
    for index in first..<first + count {
      coverage.cells[index].fraction = try fraction(&reader)
    }
    if !coverage.isExact {
      for _ in 0..<count { coverage.weights.append(try fraction(&reader)) }
    }
  }

  private static func fraction(_ reader: inout ByteReader) throws(Damage) -> Double {
    let value = Double(bitPattern: try reader.number())
    guard value >= 0 else { throw Damage() }
    return value
  }

  /// An error for bytes that do not represent a coverage.
  struct Damage: Error {}

  /// Writes numbers as bytes in little-endian order.
  struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    @inline(__always)
    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Adds a number of at least 0, seven bits per byte.
    @inline(__always)
    mutating func put(count: Int) {
      var rest = UInt(bitPattern: count)
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func put(_ text: String) {
      put(UInt32(text.utf8.count))
      bytes += text.utf8
    }
  }

  /// Reads the bytes that `ByteWriter` has written.
  struct ByteReader {
    let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    @inline(__always)
    mutating func number<Number: FixedWidthInteger>() throws(Damage) -> Number {
      let size = MemoryLayout<Number>.size
      guard remaining >= size else { throw Damage() }
      let number = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: position, as: Number.self)
      }
      position += size
      return Number(littleEndian: number)
    }

    /// Reads a number of at least 0 and less than 2^35.
    @inline(__always)
    mutating func count() throws(Damage) -> Int {
      var (number, shift) = (0, 0)
      while shift < 35, position < bytes.count {
        let byte = bytes[position]
        position += 1
        number |= Int(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
      throw Damage()
    }
  }
}
