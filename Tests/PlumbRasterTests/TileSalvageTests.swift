import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// The cells that are read from a tile that cannot be read completely, and the number of reads.
@Suite struct TileSalvageTests {
  /// Fails for windows with a broken cell; a cell's value is its position.
  private final class Reader: TileReader {
    var blockRows: Int?
    var readsWholeBlocks = false
    let isBroken: (Int, Int) -> Bool
    private(set) var reads = 0

    init(isBroken: @escaping (Int, Int) -> Bool) { self.isBroken = isBroken }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      throw RasterError("broken")
    }

    func readWindow(
      plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
      rowStride: Int
    ) throws(RasterError) {
      reads += 1
      for row in 0..<window.height {
        for column in 0..<window.width {
          let cell = (window.column + column, window.row + row)
          if isBroken(cell.0, cell.1) { throw RasterError("broken") }
          (memory + row * rowStride + column * cellStride).storeBytes(
            of: Double(cell.1 * 1000 + cell.0), as: Double.self)
        }
      }
    }
  }

  private static let side = 128

  private static let profile = RasterProfile(
    grid: TileGrid(width: side, height: side, tileWidth: side, tileHeight: side),
    mapping: .affine(.identity), reference: nil, bands: [Band(pixelType: .float64)],
    isInterleaved: false)

  /// Reads cells and checks that each value is that of the cell.
  ///
  /// - Returns: the number of readable cells that were not read.
  private func lost(_ reader: Reader, _ offsets: [UInt32]) -> Int {
    let entries = offsets.enumerated().map {
      PlanEntry(offset: $1, index: UInt32($0))
    }
    let salvage = entries.withUnsafeBufferPointer {
      TileSalvage(reader, Self.profile, plane: 0, tile: 0, entries: $0)
    }
    var lost = 0
    for (position, offset) in offsets.enumerated() {
      let (row, column) = Int(offset).quotientAndRemainder(dividingBy: Self.side)
      if let salvage, !salvage.unread[position] {
        let value = salvage.bytes.bytes.load(
          fromByteOffset: position * 8, as: Double.self)
        #expect(value == Double(row * 1000 + column) && !reader.isBroken(column, row))
      } else if !reader.isBroken(column, row) {
        lost += 1
      }
    }
    return lost
  }

  private static let all = (0..<UInt32(side * side)).map { $0 }

  @Test func brokenRowsCostThemselves() {
    var random = SeededGenerator(seed: 5)
    let broken = Set((0..<Self.side).shuffled(using: &random).prefix(20))
    for blockRows in [nil, 1, 16] as [Int?] {
      let reader = Reader { broken.contains($1) }
      reader.blockRows = blockRows
      #expect(lost(reader, Self.all) == 0)
      #expect(reader.reads < 2 * 20 * Self.side, "\(reader.reads)")
    }
    // For a driver that decodes whole rows, each row is read once.
    let rows = Reader { broken.contains($1) }
    (rows.blockRows, rows.readsWholeBlocks) = (1, true)
    #expect(lost(rows, Self.all) == 0)
    #expect(rows.reads == Self.side)
    let columns = Reader { column, _ in broken.contains(column) }
    #expect(lost(columns, Self.all) == 0)
    #expect(columns.reads < 2 * 20 * Self.side, "\(columns.reads)")
  }

  @Test func everySecondRowOrColumn() {
    for isRow in [true, false] {
      let reader = Reader { (isRow ? $1 : $0) % 2 == 0 }
      #expect(lost(reader, Self.all) == 0)
    }
  }

  @Test(arguments: [40..<80, 0..<1, 127..<128, 100..<101, 1..<127])
  func aStripAmongBrokenCells(columns: Range<Int>) {
    let strip = Reader { column, _ in !columns.contains(column) }
    #expect(lost(strip, Self.all) == 0)
    let bar = Reader { !columns.contains($1) }
    #expect(lost(bar, Self.all) == 0)
  }

  @Test(arguments: 0..<12 as Range<UInt64>) func rectangles(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rectangles = (0..<3).map { _ in
      let (width, height) = (
        Int.random(in: 16..<80, using: &random), Int.random(in: 16..<80, using: &random)
      )
      return (
        Int.random(in: 0..<Self.side - width, using: &random),
        Int.random(in: 0..<Self.side - height, using: &random), width, height
      )
    }
    func isInside(_ column: Int, _ row: Int) -> Bool {
      rectangles.contains { x, y, width, height in
        (x..<x + width).contains(column) && (y..<y + height).contains(row)
      }
    }
    let islands = Reader { !isInside($0, $1) }
    #expect(lost(islands, Self.all) == 0)
    #expect(islands.reads < Self.side * Self.side / 2, "\(islands.reads)")
  }

  /// Like the bytes of a file that is truncated within a row.
  @Test(arguments: [0, 1, 127, 128, 10_000, 16_383]) func cellsUpToAnEnd(count: Int) {
    let reader = Reader { $1 * Self.side + $0 >= count }
    #expect(lost(reader, Self.all) == 0)
  }

  @Test func aBlockThatIsBrokenAllOverIsAbandoned() {
    let reader = Reader { _, _ in true }
    #expect(lost(reader, Self.all) == 0)
    #expect(reader.reads < Self.side * Self.side / 14, "\(reader.reads)")
  }

  /// Cells between holes that are 16 cells apart are not lost either.
  @Test func holes() {
    let reader = Reader { $0 % 60 >= 16 && $1 % 50 >= 16 && $0 % 60 < 50 && $1 % 50 < 40 }
    #expect(lost(reader, Self.all) == 0)
    #expect(reader.reads < Self.side * Self.side / 2, "\(reader.reads)")
  }

  /// All points that are far apart are read, with two reads each, regardless of the broken cells.
  @Test(arguments: [1, 4, 10, 60, 1000], [0.1, 0.5, 0.99, 1])
  func cellsFarApart(count: Int, share: Double) {
    var random = SeededGenerator(seed: UInt64(count))
    let broken = (0..<Self.side * Self.side).map { _ in
      Double.random(in: 0..<1, using: &random) < share
    }
    let reader = Reader { broken[$1 * Self.side + $0] }
    let cells = (0..<count).map { _ in
      UInt32.random(in: 0..<UInt32(Self.side * Self.side), using: &random)
    }
    // Some cells are requested twice.
    #expect(lost(reader, cells + cells.prefix(3)) == 0)
    #expect(reader.reads <= 2 * count, "\(reader.reads)")
  }
}
