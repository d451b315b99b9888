import PlumbCore
import PlumbTestSupport
import Synchronization
import Testing

@testable import PlumbRaster

/// Tiles whose reader is cancelled while other work needs them.
@Suite struct CancelledTileTests {
  /// Work that waits for a tile does not receive the failure of the cancelled work that decodes it.
  @Test func aTileOfCancelledWorkIsReadByTheNext() throws {
    let cache = TileCache(capacity: 1 << 20)
    let key = TileCache.Key(source: 1, plane: 0, tile: 0)
    let stage = WaitableState(0)
    let cancellation = WorkCancellation()
    let first = BackgroundValue {
      try WorkCancellation.run(cancellation) {
        try cache.tile(key, byteCount: 8) { _ throws(RasterError) in
          stage.change { $0 = 1 }
          stage.wait { $0 == 2 ? () : nil }
          cancellation.cancel()
          throw RasterError("the work was cancelled")
        }
      }
    }
    stage.wait { $0 == 1 ? () : nil }
    let second = BackgroundValue {
      try cache.tile(key, byteCount: 8) { bytes throws(RasterError) in
        for index in bytes.indices { bytes[index] = 7 }
      }
    }
    RandomMoments.wait(seconds: 0.01)
    stage.change { $0 = 2 }
    #expect(throws: CancellationError.self) { _ = try first.value() }
    let tile = try second.value()
    #expect(tile.bytes.allSatisfy { $0 == 7 })
    // A failure of other work still reaches all waiting work.
    #expect(throws: RasterError.self) {
      _ = try cache.tile(TileCache.Key(source: 2, plane: 0, tile: 0), byteCount: 8) {
        _ throws(RasterError) in throw RasterError("broken")
      }
    }
  }

  /// Neither values nor failures of cancelled work reach the sampler's next request.
  @Test(arguments: [Resampling.nearest, .bilinear])
  func valuesOfCancelledWorkDoNotGetOut(resampling: Resampling) throws {
    let side = 128
    let cells = (0..<side * side).map { Double($0 &* 7919 % 10_007) }
    let source = MemorySource(
      width: side, height: side, tile: (16, 16), bands: [cells])
    let raster = try Raster(name: "r", members: [source])
    // A cache that does not hold any tile.
    let shared = try RasterSampler(
      [RasterSampler.Request(raster)], resampling: resampling, cache: TileCache(capacity: 0),
      workers: Workers(count: 2))
    var generator = SeededGenerator(seed: 3)
    let x = (0..<4000).map { _ in Double.random(in: 0..<Double(side), using: &generator) }
    let y = (0..<4000).map { _ in Double.random(in: 0..<Double(side), using: &generator) }
    func values(_ sampler: RasterSampler) -> [Double?] {
      let column = sampler.sample(x: x, y: y)[0].columns[0]
      return x.indices.map { column[$0]?.real }
    }
    let whole = values(shared)
    #expect(whole.allSatisfy { $0 != nil })
    let seconds = RandomMoments.seconds { _ = values(shared) }
    var moments = RandomMoments(seed: 4, seconds: seconds)
    while moments.needsMore(30) {
      let run = CancelledRun(after: moments.next()) { values(shared) }
      moments.record(wasStrike: run.wasStrike)
      #expect(run.isRight { $0 == whole })
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
    #expect(shared.drainFailures().count == 0)
    #expect(values(shared) == whole)
  }
}
