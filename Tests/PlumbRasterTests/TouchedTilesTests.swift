import PlumbTestSupport
import Testing

@testable import PlumbRaster

@Suite struct TouchedTilesTests {
  /// Each tile is counted once, as in a set.
  @Test func countsAsASetDoes() {
    var generator = SeededGenerator(seed: 21)
    var touched = TouchedTiles()
    var expected: Set<TileCache.Key> = []
    for _ in 0..<20_000 {
      let key = TileCache.Key(
        source: UInt32.random(in: 0..<4, using: &generator),
        plane: UInt32.random(in: 0..<3, using: &generator),
        tile: Bool.random(using: &generator)
          ? UInt32.random(in: 0..<700, using: &generator)
          : UInt32.max - UInt32.random(in: 0..<9000, using: &generator))
      touched.insert(key)
      expected.insert(key)
    }
    #expect(touched.count == expected.count)
  }

  /// Tiles that are too far apart for the memory limit of a count do not cause a wrong count.
  @Test func givesUpWhereTilesLieFarApart() {
    var touched = TouchedTiles()
    for number in 0..<(1 << 16) {
      touched.insert(TileCache.Key(source: UInt32(number), plane: 0, tile: 0))
    }
    #expect(touched.count == 1 << 16)
    touched.insert(TileCache.Key(source: 0, plane: 0, tile: 4095))
    #expect(touched.count == 1 << 16 + 1)
    touched.insert(TileCache.Key(source: 0, plane: 0, tile: 4096))
    #expect(touched.count == nil)
  }

  /// Tiles below a number are dropped in all planes, and the others are unchanged.
  @Test func cacheDropsTilesBelow() throws {
    let cache = TileCache(capacity: 1 << 20)
    for source in 0..<2 {
      for plane in 0..<2 {
        for tile in 0..<10 {
          let key = TileCache.Key(source: UInt32(source), plane: UInt32(plane), tile: UInt32(tile))
          _ = try cache.tile(key, byteCount: 100) { buffer throws(RasterError) in
            buffer[0] = UInt8(source * 100 + plane * 50 + tile)
          }
        }
      }
    }
    cache.drop(below: 6)
    for source in 0..<2 {
      for plane in 0..<2 {
        #expect(cache.residents(source: UInt32(source), plane: plane, tileCount: 4) == nil)
        for tile in 0..<10 {
          let key = TileCache.Key(source: UInt32(source), plane: UInt32(plane), tile: UInt32(tile))
          let resident = cache.resident(key)
          #expect((resident != nil) == (tile >= 6))
          if let resident {
            #expect(resident.bytes[0] == UInt8(source * 100 + plane * 50 + tile))
          }
        }
      }
    }
  }
}
