import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

@Suite struct TileArenaTests {
  /// Tiles of many sizes are allocated and freed; no two share a byte, and all memory is freed.
  @Test(arguments: [1, 2, 3])
  func randomUse(seed: UInt64) {
    let arena = TileArena()
    var generator = SeededGenerator(seed: seed)
    let sizes = [1, 63, 64, 65, 1000, 4096, 32_768, 70_001, TileArena.largestTile]
    var tiles: [(tile: TileBuffer, mark: UInt8)] = []
    func isWhole(_ entry: (tile: TileBuffer, mark: UInt8)) -> Bool {
      let bytes = entry.tile.bytes
      return bytes[0] == entry.mark && bytes[bytes.count - 1] == entry.mark
        && bytes[bytes.count / 2] == entry.mark
    }
    for step in 0..<3000 {
      // Grows at first, and then shrinks.
      if tiles.isEmpty || Double.random(in: 0..<1, using: &generator) < (step < 1500 ? 0.7 : 0.3) {
        let tile = TileBuffer(byteCount: sizes.randomElement(using: &generator)!, arena: arena)
        let mark = UInt8.random(in: 0...255, using: &generator)
        tile.bytes.initializeMemory(as: UInt8.self, repeating: mark)
        tiles.append((tile, mark))
      } else {
        let entry = tiles.remove(at: Int.random(in: 0..<tiles.count, using: &generator))
        #expect(isWhole(entry))
      }
    }
    let ranges = tiles.map { entry in
      let start = UInt(bitPattern: entry.tile.bytes.baseAddress!)
      return start..<start + UInt(entry.tile.bytes.count)
    }.sorted { $0.lowerBound < $1.lowerBound }
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    #expect(ranges.allSatisfy { $0.lowerBound % 16 == 0 })
    #expect(tiles.allSatisfy(isWhole))
    #expect(arena.byteCount >= ranges.reduce(0) { $0 + $1.count })
    tiles = []
    #expect(arena.byteCount == 0)
  }

  /// A tile too large for a page is allocated separately.
  @Test func largeTiles() {
    let arena = TileArena()
    let tile = TileBuffer(byteCount: TileArena.largestTile + 1, arena: arena)
    tile.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    #expect(tile.bytes.count == TileArena.largestTile + 1)
    #expect(arena.byteCount == 0)
    #expect(tile.bytes.allSatisfy { $0 == 7 })
  }
}
