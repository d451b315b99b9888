import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Compares cells split one by one and in blocks with integer division.
@Suite struct TileSplitterTests {
  @Test func `splits like integer division, above all at tile edges`() {
    var generator = SeededGenerator(seed: 41)
    for round in 0..<400 {
      let maximum = round % 2 == 0 ? Int(Int32.max) : 600
      let (tileWidth, tileHeight) = (
        Int.random(in: 1...maximum, using: &generator), Int.random(in: 1...600, using: &generator)
      )
      let grid = TileGrid(
        width: Int(Int32.max), height: 100_000, tileWidth: tileWidth, tileHeight: tileHeight)
      let splitter = TileSplitter(grid)
      var (columns, rows): ([Int32], [Int32]) = ([], [])
      for _ in 0..<67 {
        columns.append(cell(grid.width, tileWidth, &generator))
        rows.append(cell(grid.height, tileHeight, &generator))
      }
      (columns[5], rows[9], columns[66], rows[66]) = (-1, -2, -2, -1)
      let nowhere = UInt32.max
      var tiles = [UInt32](repeating: 0, count: columns.count)
      var offsets = tiles
      let missing = splitter.split(
        columns: columns, rows: rows, count: columns.count, nowhere: nowhere, tiles: &tiles,
        offsets: &offsets)
      #expect(missing == zip(columns, rows).count { $0 < 0 || $1 < 0 })
      for i in columns.indices {
        let (column, row) = (Int(columns[i]), Int(rows[i]))
        guard column >= 0, row >= 0 else {
          #expect(tiles[i] == nowhere && offsets[i] == 0)
          continue
        }
        let tile = row / tileHeight * grid.tilesAcross + column / tileWidth
        let offset = row % tileHeight * tileWidth + column % tileWidth
        let single = splitter.split(column: columns[i], row: rows[i])
        #expect(tiles[i] == UInt32(truncatingIfNeeded: tile) && single.tile == tiles[i])
        #expect(offsets[i] == UInt32(truncatingIfNeeded: offset) && single.offset == offsets[i])
      }
    }
  }

  /// Any cell of an axis, or one next to the edge of a tile.
  private func cell(_ count: Int, _ length: Int, _ generator: inout SeededGenerator) -> Int32 {
    let any = Int.random(in: 0..<count, using: &generator)
    let edge = any / length * length
    return Int32([any, edge, max(edge - 1, 0), count - 1].randomElement(using: &generator)!)
  }
}
