import Foundation
import PlumbCore
import PlumbTestSupport
import Synchronization
import Testing

@testable import PlumbRaster

/// Statistics of cells under areas, compared with sums over all cells of the raster.
@Suite struct ZonalTests {
  private static let side = (width: 70, height: 50)

  private func coverage(
    _ random: inout SeededGenerator, _ grid: TileGrid, count: Int
  ) -> CoverageStore {
    let builder = CoverageBuilder(grid: grid, transform: .identity)
    for _ in 0..<count {
      let centre = SIMD2(
        Double.random(in: -5...75, using: &random), Double.random(in: -5...55, using: &random))
      let radius = pow(10, Double.random(in: -1...1.5, using: &random))
      var ring = (0..<9).map { index -> SIMD2<Double> in
        let angle = 6.283185307179586 * Double(index) / 9
        let reach = radius * Double.random(in: 0.3...1, using: &random)
        return centre + reach * SIMD2(cos(angle), sin(angle))
      }
      ring.append(ring[0])
      builder.add(Polygon(VertexList(ring)))
    }
    return builder.store
  }

  /// The cells with a value and their coverage, in row order.
  private func cells(
    _ store: CoverageStore, _ index: Int, _ value: (Int, Int) -> Double?
  ) -> (covered: Double, entries: [(value: Double, weight: Double)]) {
    var weights: [[Int]: Double] = [:]
    for run in store.runs[store.areas[index].runs] {
      for column in run.start..<run.end { weights[[Int(run.row), Int(column)]] = 1 }
    }
    for cell in store.cells[store.areas[index].cells] {
      weights[[Int(cell.row), Int(cell.column)]] = cell.fraction
    }
    var entries: [(Double, Double)] = []
    for (cell, weight) in weights.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      if let value = value(cell[0], cell[1]) { entries.append((value, weight)) }
    }
    return (weights.values.reduce(0, +), entries)
  }

  @Test(
    arguments: [
      PixelType.uint8, .int8, .uint16, .int16, .uint32, .int32, .int64, .float32, .float64,
    ], [0, 1, 2])
  func statistics(type: PixelType, rule: Int) throws {
    var random = SeededGenerator(seed: UInt64(380 + rule))
    let (width, height) = Self.side
    let count = width * height
    // The cells have few distinct values, and the limits of the type.
    let limits: ClosedRange<Int> =
      switch type {
      case .uint8: 0...255
      case .int8: -128...127
      case .uint16, .uint32: 0...65_535
      default: -32_768...32_767
      }
    let band = (0..<count).map { _ in
      if type.isFloatingPoint, Int.random(in: 0...9, using: &random) == 0 { return Double.nan }
      let range = Int.random(in: 0...9, using: &random) == 0 ? limits : 0...100
      return Double(Int.random(in: range, using: &random))
    }
    let mask = (0..<count).map { _ in Double(Int.random(in: 0...3, using: &random)) }
    let validity: Validity =
      [.all, .noData(.real(7)), .mask(meansNoData: false)][rule]
    let source = TypedSource(
      type, width: width, height: height, tile: (16, 16), validity: [validity],
      isInterleaved: false, bands: [band], masks: rule == 2 ? [mask] : [], scale: 0.5, offset: 3)
    @Sendable func value(_ row: Int, _ column: Int) -> Double? {
      let cell = row * width + column
      if rule == 1, band[cell] == 7 { return nil }
      if rule == 2, mask[cell] == 0 { return nil }
      return band[cell].isNaN ? nil : band[cell] * 0.5 + 3
    }
    let stores = [120, 80].map { coverage(&random, source.profile.grid, count: $0) }
    var parts = CoverageParts(stores[0])
    parts.append(CoverageParts(stores[1]))
    let raster = try Raster(name: "r", members: [source])
    let ordered = OrderedCoverage(parts, along: source.profile.grid, movesAreas: rule > 0)
    // Sums without a distribution are those of a kernel, unless there is a mask.
    for needsDistribution in [true, false] {
      source.reads.withLock { $0 = [:] }
      let sampler = try ZonalSampler(raster, workers: Workers(count: 3))
      let seen = Mutex<Set<Int>>([])
      var detail = ZonalSampler.Detail(needsDistribution: needsDistribution)
      detail.isScaled = true
      sampler.read(ordered, bands: [0], detail: detail, isLast: true) {
        area, _, result, distribution in
        #expect(seen.withLock { $0.insert(area).inserted })
        let (covered, entries) = cells(stores[area / 120], area % 120, value)
        #expect(!result.hasReadError)
        check(result.moments, covered, entries)
        if !entries.isEmpty, needsDistribution {
          check(distribution, entries)
        } else {
          #expect(distribution.entries.isEmpty && distribution.quantile(0.5).isNaN)
        }
      }
      #expect(seen.withLock { $0.count } == 200)
      #expect(sampler.removeFailures().count == 0)
      // The cache has room for all tiles, and a tile is removed after its last area, so each is decoded once.
      #expect(source.reads.withLock { $0.values.allSatisfy { $0 == 1 } })
    }
  }

  private func check(
    _ moments: ZonalMoments, _ covered: Double, _ entries: [(value: Double, weight: Double)]
  ) {
    let total = entries.reduce(0) { $0 + $1.weight }
    let sum = entries.reduce(0) { $0 + $1.value * $1.weight }
    #expect(abs(moments.coverage - covered) < 1e-9 && abs(moments.count - total) < 1e-9)
    #expect(abs(moments.sum - sum) < 1e-7 * max(1, abs(sum)))
    guard !entries.isEmpty else {
      #expect(moments.minimum == .infinity && moments.mean.isNaN)
      return
    }
    let mean = sum / total
    let variance =
      entries.reduce(0) { $0 + $1.weight * ($1.value - mean) * ($1.value - mean) } / total
    #expect(
      abs(moments.mean - mean) < 1e-12 * 65_536
        && abs(moments.variance - variance) < 1e-9 * max(1, variance))
    #expect(moments.minimum == entries.map(\.value).min())
    #expect(moments.maximum == entries.map(\.value).max())
  }

  /// Sizes that are the same in a row, differ in each cell, or are products of factors.
  private struct Sizes: CellWeights {
    let kind: Int

    private func row(_ row: Int) -> SIMD8<Double> {
      [1, Double(row), kind == 0 ? 0 : -0.25, 0, 0, 0, 0, 0]
    }

    private func column(_ column: Int) -> SIMD8<Double> {
      [9, 1, kind == 0 ? 0 : Double(column) / 8, 0, 0, 0, 0, 0]
    }

    func size(_ row: Int, _ column: Int) -> Double {
      (self.row(row) * self.column(column)).sum()
    }

    func weights(_ window: CellWindow, worker: Int) -> CellPlane {
      let rows = window.row..<window.row + window.height
      let columns = window.column..<window.column + window.width
      return switch kind {
      case 0: CellPlane(rows: rows.map { size($0, 0) })
      case 1:
        CellPlane(
          rows.flatMap { row in columns.map { size(row, $0) } }, width: window.width)
      default:
        CellPlane(rows: rows.map(row), columns: CellPlane.ColumnFactors(columns.map(column)))
      }
    }
  }

  @Test(arguments: [PixelType.uint8, .int8, .int16, .int32, .float32], [0, 1, 2])
  func sizes(type: PixelType, rule: Int) throws {
    var random = SeededGenerator(seed: UInt64(410 + rule))
    let (width, height) = Self.side
    // Cells in a row often have the same value.
    var made: [Double] = []
    while made.count < width * height {
      let value = type.isFloatingPoint && made.count % 5 == 0 ? Double.nan : Double(made.count % 9)
      let count = min(Int.random(in: 1...12, using: &random), width * height - made.count)
      made += [Double](repeating: value, count: count)
    }
    let band = made
    let mask = band.map { _ in Double(Int.random(in: 0...3, using: &random)) }
    let source = TypedSource(
      type, width: width, height: height, tile: (16, 16),
      validity: [[.all, .noData(.real(7)), .mask(meansNoData: false)][rule]],
      isInterleaved: false, bands: [band], masks: rule == 2 ? [mask] : [])
    @Sendable func isValid(_ cell: Int) -> Bool {
      !band[cell].isNaN && (rule != 1 || band[cell] != 7) && (rule != 2 || mask[cell] != 0)
    }
    let store = coverage(&random, source.profile.grid, count: 60)
    let ordered = OrderedCoverage(
      CoverageParts(store), along: source.profile.grid, movesAreas: false)
    let raster = try Raster(name: "r", members: [source])
    for (kind, needsDistribution, needsPositions) in [
      (0, true, false), (1, true, false), (2, true, false), (0, false, false), (1, false, false),
      (2, false, false), (2, true, true),
    ] {
      let sizes = Sizes(kind: kind)
      let seen = Mutex(0)
      var detail = ZonalSampler.Detail(needsDistribution: needsDistribution)
      (detail.sizes, detail.needsPositions) = (sizes, needsPositions)
      try ZonalSampler(raster).read(ordered, bands: [0], detail: detail) {
        area, _, result, distribution in
        seen.withLock { $0 += 1 }
        #expect(!result.hasReadError)
        let (_, values) = cells(store, area) { row, column in
          isValid(row * width + column) ? band[row * width + column] : nil
        }
        let (_, parts) = cells(store, area) { row, column in
          isValid(row * width + column) ? sizes.size(row, column) : nil
        }
        func isClose(_ found: Double, _ expected: Double) -> Bool {
          abs(found - expected) < 1e-11 * max(1, expected)
        }
        #expect(isClose(result.extras.area, parts.reduce(0) { $0 + $1.value * $1.weight }))
        guard needsDistribution else { return }
        #expect(distribution.entries.map(\.value) == Set(values.map(\.value)).sorted())
        for entry in distribution.entries {
          let same = zip(values, parts).filter { $0.0.value == entry.value }
          #expect(isClose(entry.weight, same.reduce(0) { $0 + $1.0.weight }))
          #expect(isClose(entry.area, same.reduce(0) { $0 + $1.1.value * $1.1.weight }))
        }
      }
      #expect(seen.withLock { $0 } == 60)
    }
  }

  /// A tile, its mask, and the tiles of overlapping files leave the cache after their last area.
  @Test(arguments: [1, 2]) func tilesLeaveTheCache(memberCount: Int) throws {
    let members = (0..<memberCount).map { number in
      TypedSource(
        .int16, width: 64, height: 8, tile: (8, 8), validity: [.mask(meansNoData: false)],
        isInterleaved: false, bands: [Array(repeating: Double(number), count: 512)],
        masks: [Array(repeating: 1, count: 512)])
    }
    let raster = try Raster(name: "r", members: members)
    let builder = CoverageBuilder(grid: members[0].profile.grid, transform: .identity)
    // Areas in the first tile, in both of the first tiles, and in the last tile; many in the last tile, so that
    // several ranges of areas are read.
    for x in [1.0, 7] + Array(repeating: 60, count: 200) {
      builder.add(Polygon(VertexList([[x, 2], [x, 4], [x + 2, 4], [x + 2, 2], [x, 2]])))
    }
    for isLast in [true, false] {
      let cache = TileCache()
      let sampler = try ZonalSampler(raster, cache: cache, workers: Workers(count: 1))
      let ordered = OrderedCoverage(CoverageParts(builder.store), along: sampler.cells.grid)
      let held = Mutex<[Bool]>([])
      sampler.read(ordered, bands: [0], detail: ZonalSampler.Detail(), isLast: isLast) {
        area, _, result, _ in
        #expect(result.moments.count == 4)
        guard area == 201 else { return }
        held.withLock { held in
          for member in sampler.cells.members {
            for plane in member.planes(of: [0]).sorted() {
              for tile: UInt32 in [0, 1, 7] {
                held.append(
                  cache.holds(
                    TileCache.Key(source: member.sourceID, plane: UInt32(plane), tile: tile)))
              }
            }
          }
        }
      }
      let expected = Array(repeating: [!isLast, !isLast, true], count: 2 * memberCount).flatMap {
        $0
      }
      #expect(held.withLock { $0 } == expected)
      #expect(sampler.tileCounts == (6 * memberCount, 6 * memberCount))
    }
  }

  private func check(
    _ distribution: ZonalDistribution, _ entries: [(value: Double, weight: Double)]
  ) {
    var weights: [Double: Double] = [:]
    for entry in entries { weights[entry.value, default: 0] += entry.weight }
    #expect(distribution.entries.map(\.value) == weights.keys.sorted())
    let values = weights.keys.sorted()
    let steps = Double(values.count - 1)
    for share in [0, 0.1, 0.5, 0.9, 1] {
      var position: [Double] = []
      var sum = 0.0
      for (index, value) in values.enumerated() {
        position.append(Double(index) * weights[value]! + steps * sum)
        sum += weights[value]!
      }
      let wanted = share * position[position.count - 1]
      let above = position.firstIndex { $0 >= wanted } ?? position.count - 1
      var expected = values[above]
      if above > 0, position[above] > position[above - 1] {
        let part = (wanted - position[above - 1]) / (position[above] - position[above - 1])
        expected = values[above - 1] + (values[above] - values[above - 1]) * part
      }
      #expect(abs(distribution.quantile(share) - expected) < 1e-9 * 65_536)
    }
    let greatest = weights.values.max()!
    #expect(weights[distribution.majority]! > greatest - 1e-9)
    #expect(weights[distribution.minority]! < weights.values.min()! + 1e-9)
  }

  @Test(arguments: [0, 1, 2, 3]) func sortedEntries(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var sort = EntrySort()
    for count in [0, 1, 2, 199, 200, 201, 5_000, 300] {
      let values = (0..<count).map { index -> Double in
        switch Int.random(in: 0...5, using: &random) {
        case 0:
          [0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude][
            index % 6]
        case 1: Double(Int.random(in: -9...9, using: &random))
        case 2: Double(Float.random(in: -1...1, using: &random))
        case 3: Double.random(in: -1e300...1e300, using: &random)
        default: seed == 0 ? 7 : Double.random(in: 0...1, using: &random)
        }
      }
      var entries = values.map { ZonalDistribution.Entry(value: $0, weight: $0) }
      sort.sort(&entries)
      #expect(entries.map(\.value) == values.sorted())
      #expect(entries.allSatisfy { $0.value == $0.weight })
      sort.sort(&entries)
      #expect(entries.map(\.value) == values.sorted())
    }
  }

  /// Files of one raster can have different types and scales.
  @Test func countsOfSeveralConversions() {
    let counts = ZonalCounts(bitCount: 8)
    var distribution = ZonalDistribution()
    counts.start(ZonalCounts.Conversion(least: 0, scale: 1, offset: 0), &distribution)
    counts.add(200, weight: 1, area: 2)
    counts.add(0, weight: 0.5)
    counts.start(ZonalCounts.Conversion(least: -128, scale: -2, offset: 1), &distribution)
    counts.add(0, weight: 0.25)
    counts.add(255, weight: 1)
    counts.add(28, weight: 1, area: 4)
    counts.move(to: &distribution)
    counts.move(to: &distribution)
    distribution.finish()
    #expect(distribution.entries.map(\.value) == [-253, 0, 200, 201, 257])
    #expect(distribution.entries.map(\.weight) == [1, 0.5, 1, 1, 0.25])
    #expect(distribution.entries.map(\.area) == [0, 0, 2, 4, 0])
  }

  /// The example is from exactextract's documentation: quantiles of 1, 2, 3, 4 with these
  /// coverages.
  @Test func quantilesOfUnequalWeights() {
    var distribution = ZonalDistribution()
    for (value, weight) in [(4.0, 0.25), (1.0, 0.5), (3.0, 1), (2.0, 1), (3.0, 0.5)] {
      distribution.add(value, weight: weight)
    }
    distribution.finish()
    #expect(distribution.entries.map(\.weight) == [0.5, 1, 1.5, 0.25])
    #expect(distribution.quantile(0) == 1 && distribution.quantile(1) == 4)
    #expect(distribution.majority == 3 && distribution.minority == 4)
  }

  /// Values in a file give the same statistics as values in memory.
  @Test(arguments: [0, 1, 2, 3]) func distributionsInFiles(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = MemorySpillFile()
    let spill = ZonalDistribution.Spill(entryCount: 64) { file }
    var (spilled, memory) = (ZonalDistribution(spill: spill), ZonalDistribution())
    let range = [10.0, 1000, 1e5, 1e12][Int(seed)]
    // Duplicates are merged only when there are as many entries as the smallest limit.
    let count = 300_000
    for _ in 0..<count {
      let value = (Double.random(in: -range...range, using: &random)).rounded()
      let weight = Double(Int.random(in: 1...8, using: &random)) / 8
      spilled.add(value, weight: weight, area: weight)
      memory.add(value, weight: weight, area: weight)
    }
    spilled.finish()
    memory.finish()
    #expect(file.isUsed == (seed > 0))
    #expect(spilled.failure == nil && spilled.readFailure == nil)
    #expect(spilled.entries == memory.entries)
    #expect(spilled.variety == memory.variety)
    for share in [0, 0.1, 0.5, 0.9, 1] {
      #expect(spilled.quantile(share) == memory.quantile(share))
    }
    #expect(spilled.majority == memory.majority && spilled.minority == memory.minority)
    // The next area begins without values.
    spilled.removeAll()
    spilled.add(3, weight: 1)
    spilled.finish()
    #expect(spilled.quantile(0.5) == 3 && spilled.variety == 1)
  }

  /// The ranks of approximate quantiles differ by at most the documented error.
  @Test(arguments: [1, 2, 3]) func approximateQuantiles(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (exact, sketch) = (ZonalDistribution(), ZonalDistribution(sketchCount: 100_000))
    for _ in 0..<400_000 {
      let value = pow(Double.random(in: 0...1, using: &random), Double(seed)) * 1e4
      let weight = Double.random(in: 0.01...1, using: &random)
      exact.add(value, weight: weight)
      sketch.add(value, weight: weight)
    }
    exact.finish()
    sketch.finish()
    #expect(exact.rankError == 0 && sketch.rankError > 0 && sketch.rankError < 0.1)
    #expect(sketch.entries.count < 100_000)
    let total = exact.entries.reduce(0) { $0 + $1.weight }
    for share in [0, 0.01, 0.25, 0.5, 0.9, 0.999, 1] {
      let found = sketch.quantile(share)
      let below = exact.entries.reduce(0) { $1.value <= found ? $0 + $1.weight : $0 }
      #expect(abs(below / total - share) <= sketch.rankError)
    }
    sketch.removeAll()
    #expect(sketch.rankError == 0)
  }

  @Test func filesThatCannotBeWritten() {
    let spill = ZonalDistribution.Spill(entryCount: 64) { throw PlumbError("full") }
    var distribution = ZonalDistribution(spill: spill)
    for value in 0..<200_000 { distribution.add(Double(value), weight: 1) }
    distribution.finish()
    #expect(distribution.failure != nil)
  }

  private final class MemorySpillFile: ZonalSpillFile {
    private let bytes = Mutex<[UInt8]>([])

    var isUsed: Bool { bytes.withLock { !$0.isEmpty } }

    func reserve(_ byteCount: Int) -> Int {
      bytes.withLock { bytes in
        bytes += [UInt8](repeating: 0, count: byteCount)
        return bytes.count - byteCount
      }
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws {
      bytes.withLock { $0.replaceSubrange(offset..<offset + source.count, with: source) }
    }

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) throws {
      bytes.withLock { target.copyBytes(from: $0[offset..<offset + target.count]) }
    }
  }

  /// Where files overlap, the values of a cell in all bands are those of its first file with a value in any of
  /// the bands, as for points. A cell is counted once, even if no file has a value for it.
  @Test(arguments: 0..<12)
  func severalBandsOfOverlappingFiles(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(900 + seed))
    let bandCount = Int.random(in: 1...3, using: &random)
    let members = (0..<Int.random(in: 2...5, using: &random)).map { number -> MemorySource in
      let (width, height) = (
        Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random)
      )
      let (x, y) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
      return MemorySource(
        path: "\(number)", width: width, height: height, tile: (4, 3),
        transform: GridTransform(coefficients: [Double(x), 1, 0, Double(-y), 0, -1])!,
        noData: 0,
        bands: (0..<bandCount).map { _ in
          (0..<width * height).map { _ in Double(Int.random(in: 0...2, using: &random)) }
        })
    }
    let raster = try Raster(name: "m", members: members)
    let zonal = try ZonalSampler(raster, workers: Workers(count: 2))
    let cells = try ZonalGrid(raster)
    let builder = CoverageBuilder(grid: cells.grid, transform: cells.transform)
    var (x, y): ([Double], [Double]) = ([], [])
    for row in 0..<16 {
      for column in 0..<16 {
        let (left, top) = (Double(column), Double(-row))
        builder.add(
          Polygon(
            VertexList([
              [left, top], [left + 1, top], [left + 1, top - 1], [left, top - 1], [left, top],
            ])))
        x.append(left + 0.5)
        y.append(top - 0.5)
      }
    }
    let answer = try RasterSampler([RasterSampler.Request(raster)]).sample(x: x, y: y)[0]
    let ordered = OrderedCoverage(CoverageParts(builder.store), along: cells.grid)
    let seen = Mutex(0)
    zonal.read(ordered, bands: Array(0..<bandCount), detail: ZonalSampler.Detail()) {
      area, band, result, _ in
      let value = answer.columns[band][area]?.real
      #expect(result.moments.count == (value == nil ? 0 : 1), "area \(area), band \(band)")
      #expect(result.moments.sum == value ?? 0, "area \(area), band \(band)")
      let isCovered = members.contains { member in
        guard case .affine(let transform) = member.profile.mapping else { return false }
        let grid = member.profile.grid
        return (0..<grid.width).contains(area % 16 - Int(transform.coefficients[0]))
          && (0..<grid.height).contains(area / 16 + Int(transform.coefficients[3]))
      }
      #expect(result.touched == (isCovered ? 1 : 0), "area \(area), band \(band)")
      seen.withLock { $0 += 1 }
    }
    #expect(seen.withLock { $0 } == 256 * bandCount)
  }

  /// If a file cannot be read in one band, the files of its cells are unknown in all bands.
  @Test func bandsThatCannotBeRead() throws {
    let members = [true, false].map { isBroken in
      MemorySource(
        path: "\(isBroken)", width: 4, height: 4, tile: (4, 4), brokenPlanes: isBroken ? [0] : [],
        bands: [Array(repeating: 1, count: 16), Array(repeating: 2, count: 16)])
    }
    let cells = try ZonalGrid(Raster(name: "m", members: members))
    let builder = CoverageBuilder(grid: cells.grid, transform: .identity)
    builder.add(Polygon(VertexList([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]])))
    let ordered = OrderedCoverage(CoverageParts(builder.store), along: cells.grid)
    for (bands, wanted) in [([0, 1], [true, true]), ([1], [false])] {
      let sampler = try ZonalSampler(Raster(name: "m", members: members))
      sampler.read(ordered, bands: bands, detail: ZonalSampler.Detail()) { _, band, result, _ in
        #expect(result.hasReadError == wanted[band])
        if !wanted[band] { #expect(result.moments.count == 16 && result.moments.sum == 32) }
      }
    }
  }

  @Test func tilesThatCannotBeRead() throws {
    let source = MemorySource(
      width: 8, height: 8, tile: (4, 4), broken: [3], bands: [Array(repeating: 2, count: 64)])
    let builder = CoverageBuilder(grid: source.profile.grid, transform: .identity)
    for x in [0.5, 4.5] {
      builder.add(
        Polygon(VertexList([[x, 5], [x, 6], [x + 1, 6], [x + 1, 5], [x, 5]])))
    }
    let sampler = try ZonalSampler(
      Raster(name: "r", members: [source]), workers: Workers(count: 1))
    let results = Mutex<[Int: ZonalSampler.Result]>([:])
    let ordered = OrderedCoverage(CoverageParts(builder.store), along: source.profile.grid)
    sampler.read(ordered, bands: [0], detail: ZonalSampler.Detail()) { area, _, result, _ in
      results.withLock { $0[area] = result }
    }
    let found = results.withLock { $0 }
    #expect(found[0]?.hasReadError == false && found[0]?.moments.sum == 2)
    #expect(found[1]?.hasReadError == true && found[1]?.moments.count == 0)
    #expect(sampler.removeFailures().count == 1 && sampler.removeFailures().count == 0)
  }
}
