import Benchmark
import Plumb

/// A million points on one large grid, the same in every run.
struct Fixture {
  static let count = 1_000_000
  let grid = TileGrid(width: 10980, height: 10980, tileWidth: 256, tileHeight: 256)
  let transform = GridTransform(coefficients: [300_000, 10, 0, 6_200_000, 0, -10])!
  let x = TrivialBuffer<Double>(count: count)
  let y = TrivialBuffer<Double>(count: count)
  let columns = TrivialBuffer<Int32>(count: count)
  let rows = TrivialBuffer<Int32>(count: count)
  let keys = TrivialBuffer<UInt64>(count: count)
  let offsets = TrivialBuffer<UInt32>(count: count)

  init() {
    var state: UInt64 = 1
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / 9_007_199_254_740_992
    }
    for i in 0..<Self.count {
      x[i] = 300_000 + next() * 109_800
      y[i] = 6_200_000 - next() * 109_800
    }
    locate()
    split()
  }

  func locate() {
    CellLocator(width: grid.width, height: grid.height, transform: transform).locate(
      x: x.base, y: y.base, count: Self.count, columns: columns.base, rows: rows.base)
  }

  func split() {
    let splitter = TileSplitter(grid)
    for i in 0..<Self.count {
      let (tile, offset) = splitter.split(column: columns.base[i], row: rows.base[i])
      keys.base[i] = UInt64(tile)
      offsets.base[i] = offset
    }
  }

  func plan() -> LocationPlan {
    LocationPlan(
      keys: keys, offsets: offsets, count: Self.count, keyLimit: grid.tileCount, firstIndex: 0,
      workers: Workers(count: 1))
  }
}

let benchmarks: @Sendable () -> Void = {
  // The checkout's sample rasters, four folders up from this file.
  let rasters =
    #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 } + "/rasters"
  let perMillion = Benchmark.Configuration(
    metrics: [.wallClock, .instructions, .peakMemoryResident], maxDuration: .seconds(3))

  Benchmark("locate 1 M points", configuration: perMillion) { benchmark in
    let fixture = Fixture()
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { fixture.locate() }
  }

  Benchmark("group 1 M points by 1,849 tiles", configuration: perMillion) { benchmark in
    let fixture = Fixture()
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(fixture.plan()) }
  }

  Benchmark("gather 1 M points, tiles resident", configuration: perMillion) { benchmark in
    let raster = try Raster.open(rasters + "/evi_cape_town.tif")
    let sampler = try RasterSampler([RasterSampler.Request(raster)], workers: Workers(count: 1))
    guard let corners = raster.members[0].profile.corners else { return }
    let fixture = Fixture()
    for i in 0..<Fixture.count {
      fixture.x[i] =
        corners[0].x + (corners[2].x - corners[0].x) * (fixture.x[i] - 300_000) / 109_800
      fixture.y[i] =
        corners[0].y + (corners[2].y - corners[0].y) * (6_200_000 - fixture.y[i]) / 109_800
    }
    let points = PointCoordinates(
      x: fixture.x.base, y: fixture.y.base, count: Fixture.count)
    blackHole(sampler.sample([points]))
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(sampler.sample([points])) }
  }

  Benchmark("cache hit", configuration: .init(scalingFactor: .kilo)) { benchmark in
    let cache = TileCache()
    let key = TileCache.Key(source: 1, plane: 0, tile: 0)
    _ = try cache.tile(key, byteCount: 1 << 17) { _ throws(RasterError) in }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(cache.resident(key)) }
  }

  Benchmark("one point, cached", configuration: .init(scalingFactor: .kilo)) { benchmark in
    let raster = try Raster.open(rasters + "/evi_cape_town.tif")
    let probe = try CellProbe(raster, band: 0, cache: TileCache())
    guard let corner = raster.members[0].profile.corners?[0] else { return }
    blackHole(probe.value(x: corner.x + 50_000, y: corner.y - 50_000))
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      blackHole(probe.value(x: corner.x + 50_000, y: corner.y - 50_000))
    }
  }

  Benchmark("decode a tile (256 x 256 int16 DEFLATE)") { benchmark in
    let raster = try Raster.open(rasters + "/evi_cape_town.tif")
    let source = raster.members[0]
    let reader = try source.makeReader()
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: source.profile.tileByteCount(plane: 0), alignment: 64)
    defer { buffer.deallocate() }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      try reader.readTile(plane: 0, tile: 4, into: buffer)
    }
  }
}
