import PlumbCore
import PlumbTestSupport
import Synchronization
import Testing

@testable import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct TileCacheTests {
  private func key(_ tile: Int, plane: Int = 0, source: Int = 0) -> TileCache.Key {
    TileCache.Key(source: UInt32(source), plane: UInt32(plane), tile: UInt32(tile))
  }

  /// The size of a tile, from its number, so that the budget is not a multiple of it.
  private func size(_ tile: Int) -> Int { 100 + tile % 7 * 37 }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ tile: Int) {
    for i in buffer.indices { buffer[i] = UInt8(truncatingIfNeeded: tile &* 31 &+ i) }
  }

  private func isFilled(_ buffer: TileBuffer, _ tile: Int) -> Bool {
    buffer.bytes.count == size(tile)
      && buffer.bytes.indices.allSatisfy {
        buffer.bytes[$0] == UInt8(truncatingIfNeeded: tile &* 31 &+ $0)
      }
  }

  /// Random use: correct bytes, one load for each miss, and never more than the budget.
  @Test(arguments: [0, 90, 400, 1500, 6000, 1 << 20])
  func randomUseKeepsTheBudget(capacity: Int) throws {
    let cache = TileCache(capacity: capacity)
    var generator = SeededGenerator(seed: UInt64(capacity))
    var (loads, hits, bytes) = (0, 0, 0)
    for step in 0..<3000 {
      let tile = Int.random(in: 0..<40, using: &generator)
      let wasResident = cache.resident(key(tile)) != nil
      if wasResident { hits += 1 }
      var didLoad = false
      let buffer = try cache.tile(key(tile), byteCount: size(tile)) { buffer throws(RasterError) in
        didLoad = true
        fill(buffer, tile)
      }
      #expect(didLoad != wasResident)
      if didLoad { (loads, bytes) = (loads + 1, bytes + size(tile)) } else { hits += 1 }
      #expect(isFilled(buffer, tile))
      if step % 50 == 0 {
        let kept = (0..<40).filter { cache.resident(key($0)) != nil }
        hits += kept.count
        #expect(kept.map(size).reduce(0, +) <= capacity)
        // A tile that fits is cached, and the newest tile is not evicted.
        #expect(kept.contains(tile) == (size(tile) <= capacity))
      }
    }
    #expect(cache.statistics.decodedTiles == loads)
    #expect(cache.statistics.decodedBytes == bytes)
    #expect(cache.statistics.hits == hits)
    if capacity == 1 << 20 { #expect(loads == 40) }
  }

  /// A buffer in use outlives its cache entry.
  @Test func tilesInUseStayWhole() throws {
    let cache = TileCache(capacity: 300)
    var retained: [TileBuffer] = []
    for tile in 0..<30 {
      retained.append(
        try cache.tile(key(tile), byteCount: size(tile)) { buffer throws(RasterError) in
          fill(buffer, tile)
        })
    }
    #expect(cache.resident(key(0)) == nil)
    for (tile, buffer) in retained.enumerated() { #expect(isFilled(buffer, tile)) }
  }

  /// A tile that is used repeatedly remains cached during a stream of tiles that are used once.
  @Test func usedTilesStay() throws {
    let cache = TileCache(capacity: 10 * 100)
    var loadsOfFavourite = 0
    for tile in 1..<200 {
      _ = try cache.tile(key(0), byteCount: 100) { _ throws(RasterError) in loadsOfFavourite += 1 }
      _ = try cache.tile(key(tile), byteCount: 100) { _ throws(RasterError) in }
    }
    #expect(loadsOfFavourite == 1)
  }

  /// Unused tiles are evicted for new ones; a tile larger than the budget evicts none.
  @Test func unusedTilesLeave() throws {
    let cache = TileCache(capacity: 10 * 100)
    for tile in 0..<60 {
      _ = try cache.tile(key(tile), byteCount: 100) { _ throws(RasterError) in }
    }
    let kept = (0..<60).filter { cache.resident(key($0)) != nil }
    #expect(kept.count == 10)
    #expect(kept.allSatisfy { $0 >= 40 })
    _ = try cache.tile(key(99), byteCount: 1001) { _ throws(RasterError) in }
    #expect((0..<60).filter { cache.resident(key($0)) != nil } == kept)
  }

  @Test func keysDoNotMix() throws {
    let cache = TileCache()
    var loads = 0
    for _ in 0..<2 {
      for source in 0..<3 {
        for plane in 0..<3 {
          for tile in 0..<3 {
            let number = source * 9 + plane * 3 + tile
            let buffer = try cache.tile(
              key(tile, plane: plane, source: source), byteCount: size(number)
            ) { buffer throws(RasterError) in
              loads += 1
              fill(buffer, number)
            }
            #expect(isFilled(buffer, number))
          }
        }
      }
    }
    #expect(loads == 27)
  }

  /// A plane is in the cache completely or not at all.
  @Test func wholePlanes() throws {
    let cache = TileCache(capacity: 1000)
    for tile in 0..<9 {
      #expect(cache.residents(source: 0, plane: 0, tileCount: 9) == nil)
      _ = try cache.tile(key(tile), byteCount: 100) { buffer throws(RasterError) in
        buffer[0] = UInt8(tile)
      }
    }
    let tiles = try #require(cache.residents(source: 0, plane: 0, tileCount: 9))
    #expect(tiles.map { Int($0.bytes[0]) } == Array(0..<9))
    #expect(cache.residents(source: 0, plane: 1, tileCount: 9) == nil)
    for tile in 0..<4 {
      _ = try cache.tile(key(tile, plane: 1), byteCount: 100) { _ throws(RasterError) in }
    }
    #expect(cache.residents(source: 0, plane: 0, tileCount: 9) == nil)
  }

  /// Many threads and few tiles: each is loaded once, and every thread receives it.
  @Test func threadsShareOneLoad() {
    let cache = TileCache()
    let loads = (0..<5).map { _ in Counter() }
    let wrong = Counter()
    Workers(count: 8).run(400) { _, job in
      let tile = job % 5
      do {
        let buffer = try cache.tile(key(tile), byteCount: size(tile)) {
          buffer throws(RasterError) in
          loads[tile].add()
          usleep(2000)
          fill(buffer, tile)
        }
        if !isFilled(buffer, tile) { wrong.add() }
      } catch {
        wrong.add()
      }
    }
    #expect(loads.map(\.value) == [1, 1, 1, 1, 1])
    #expect(wrong.value == 0)
  }

  /// Threads with a budget of a few tiles: the bytes are still correct, and there is at most one
  /// load per request.
  @Test func threadsUnderASmallBudget() {
    let cache = TileCache(capacity: 500)
    let (wrong, loads) = (Counter(), Counter())
    Workers(count: 8).run(4000) { _, job in
      let tile = (job &* 7919) % 23
      let buffer = try? cache.tile(key(tile), byteCount: size(tile)) {
        buffer throws(RasterError) in
        loads.add()
        fill(buffer, tile)
      }
      if buffer.map({ isFilled($0, tile) }) != true { wrong.add() }
    }
    #expect(wrong.value == 0)
    #expect(cache.statistics.decodedTiles == loads.value)
    let kept = (0..<23).filter { cache.resident(key($0)) != nil }
    #expect(kept.map(size).reduce(0, +) <= 500)
  }

  /// A failure reaches all threads that wait for the tile, and is not cached.
  @Test func failuresAreSharedAndForgotten() throws {
    let cache = TileCache()
    let (failures, loads) = (Counter(), Counter())
    Workers(count: 4).run(4) { _, _ in
      do {
        _ = try cache.tile(key(1), byteCount: 10) { _ throws(RasterError) in
          loads.add()
          usleep(20_000)
          throw RasterError("broken")
        }
      } catch {
        if (error as? RasterError)?.message == "broken" { failures.add() }
      }
    }
    #expect(failures.value == 4)
    #expect((1...4).contains(loads.value))
    #expect(cache.resident(key(1)) == nil)
    #expect(cache.statistics.decodedTiles == 0)
    let buffer = try cache.tile(key(1), byteCount: size(1)) { buffer throws(RasterError) in
      fill(buffer, 1)
    }
    #expect(isFilled(buffer, 1))
  }
}

/// A counter shared by threads.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  func add() { count.wrappingAdd(1, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}
