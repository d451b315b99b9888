import PlumbCore
import Synchronization

/// Reads the cells of a raster under areas, on all workers.
///
/// Areas are read in the order of their tiles, so that a tile is decoded once if the cache has room for the
/// tiles of the areas that are read at the same time.
package final class ZonalSampler: Sendable {
  /// The cells of the raster.
  package let cells: ZonalGrid
  private let workers: Workers
  private let cache: TileCache
  private let pools: WorkerStates<ReaderPool>
  private let failures = Mutex(ReadFailures())
  private let counters: WorkerStates<Counters>

  /// The tiles that a worker has read.
  private final class Counters {
    var touched: Set<TileCache.Key> = []
    var decoded = 0
  }

  /// The values that are collected for an area, in addition to the sums.
  package struct Detail: Sendable {
    /// Whether the distinct values are needed.
    package var needsDistribution = false
    /// Whether the values of the cells are needed in order.
    package var needsCells = false
    /// Whether the positions of the minimum and the maximum are needed.
    package var needsPositions = false
    /// Whether values are multiplied by the band's scale, and its offset is added.
    package var isScaled = false
    /// The maximum number of distinct values, and of values of cells, of an area.
    package var entryLimit = Int.max
    /// How distinct values are moved to a file; nil to keep all in memory.
    package var spill: ZonalDistribution.Spill?
    /// The number of distinct values above which quantiles are approximate; nil for exact quantiles.
    package var sketchCount: Int?
    /// The sizes of the cells in m²; nil if they are not needed.
    package var sizes: (any CellWeights)?
    /// The weights of the cells; nil if they are not needed.
    package var weights: (any CellWeights)?

    /// Creates details without sizes and weights of cells.
    package init(needsDistribution: Bool = false, needsCells: Bool = false) {
      (self.needsDistribution, self.needsCells) = (needsDistribution, needsCells)
    }

    /// Whether `ZonalExtras` are needed.
    var needsExtras: Bool { needsPositions || sizes != nil || weights != nil }
  }

  /// The result of one area in one band.
  package struct Result: Sendable {
    /// The sums of the values.
    package var moments = ZonalMoments()
    /// The sums that only some statistics need.
    package var extras = ZonalExtras()
    /// The part of the area, in cells, that cells with a value cover.
    package fileprivate(set) var surface = 0.0
    /// The part of the area, in cells, that any cells cover.
    package fileprivate(set) var touched = 0.0
    /// Whether some of the cells could not be read.
    package var hasReadError = false
  }

  /// - Parameters:
  ///   - raster: a raster of files whose cells are on one grid.
  ///   - cache: the cache of decoded tiles.
  ///   - workers: the threads that read tiles.
  /// - Throws: for cells that differ in size or are not on one grid.
  package init(
    _ raster: Raster, cache: TileCache = TileCache(), workers: Workers = Workers()
  ) throws(RasterError) {
    cells = try ZonalGrid(raster)
    (self.workers, self.cache) = (workers, cache)
    pools = WorkerStates(count: workers.count) { ReaderPool(limit: 4) }
    counters = WorkerStates(count: workers.count) { Counters() }
  }

  /// The number of different tiles that were needed, and how often a tile was decoded. Not to be called while
  /// areas are read.
  package var tileCounts: (touched: Int, decoded: Int) {
    var touched: Set<TileCache.Key> = []
    var decoded = 0
    for worker in 0..<workers.count {
      touched.formUnion(counters[worker].touched)
      decoded += counters[worker].decoded
    }
    return (touched.count, decoded)
  }

  /// Returns the failures since the last call, and clears them.
  package func removeFailures() -> ReadFailures {
    failures.withLock { state in
      defer { state = ReadFailures() }
      return state
    }
  }

  /// Reads the cells of areas in one band.
  ///
  /// - Parameters:
  ///   - areas: the coverage of the areas on the raster's grid.
  ///   - band: the band, counted from 0.
  ///   - detail: the values that `body` receives.
  ///   - body: called once for each area, on any worker, in any order.
  package func read(
    _ areas: CoverageStore, band: Int, detail: Detail,
    _ body: @Sendable (_ area: Int, Result, ZonalDistribution) -> Void
  ) {
    let order = order(of: areas)
    let grain = max(1, min(64, order.count / (workers.count * 16)))
    workers.runRanges(order.count, grain: grain) { worker, range in
      var distribution = ZonalDistribution(
        keepsCells: detail.needsCells, entryLimit: detail.entryLimit, spill: detail.spill,
        sketchCount: detail.sketchCount)
      let hasDistribution = detail.needsDistribution || detail.needsCells
      for position in range {
        let area = Int(order[position])
        var result = Result()
        if !WorkCancellation.isCurrentCancelled {
          distribution.removeAll()
          withUnsafeMutablePointer(to: &distribution) { distribution in
            read(
              areas, area, band: band, worker: worker, &result, detail,
              hasDistribution ? distribution : nil)
          }
          if hasDistribution { distribution.finish() }
          let moments = result.moments
          result.surface = areas.isExact ? moments.count : moments.surface
          result.touched = areas.isExact ? moments.coverage : moments.touched
        }
        body(area, result, distribution)
      }
    }
  }

  /// The areas in the order of the tiles that contain their centres.
  private func order(of areas: CoverageStore) -> [Int32] {
    let grid = cells.grid
    let keys = areas.areas.map { area -> Int in
      let row = (area.window.row + area.window.height / 2) / grid.tileHeight
      let column = (area.window.column + area.window.width / 2) / grid.tileWidth
      // Every second row of tiles from right to left, so that consecutive tiles are adjacent.
      return row * grid.tilesAcross + (row % 2 == 0 ? column : grid.tilesAcross - 1 - column)
    }
    return (0..<Int32(keys.count)).sorted { a, b in
      let (first, second) = (keys[Int(a)], keys[Int(b)])
      return first == second ? a < b : first < second
    }
  }

  private func read(
    _ areas: CoverageStore, _ index: Int, band: Int, worker: Int, _ result: inout Result,
    _ detail: Detail, _ distribution: UnsafeMutablePointer<ZonalDistribution>?
  ) {
    let area = areas.areas[index]
    guard area.window.width > 0 else { return }
    var overlap = ZonalOverlap()
    for member in cells.members.indices {
      guard let window = cells.members[member].window.intersection(area.window) else { continue }
      read(
        areas, area, window, member: member, band, worker, &result, detail, distribution, &overlap)
    }
  }

  /// Reads the cells of an area in a file.
  ///
  /// - Parameter window: the cells of the grid that the area's extent and the file have in common.
  private func read(
    _ areas: CoverageStore, _ area: CoverageStore.Area, _ window: CellWindow, member: Int,
    _ band: Int, _ worker: Int, _ result: inout Result, _ detail: Detail,
    _ distribution: UnsafeMutablePointer<ZonalDistribution>?, _ overlap: inout ZonalOverlap
  ) {
    let file = cells.members[member]
    let grid = file.profile.grid
    let (width, height) = (grid.tileWidth, grid.tileHeight)
    let (first, left) = (window.row - file.window.row, window.column - file.window.column)
    for down in first / height...(first + window.height - 1) / height {
      let start = Int32(file.window.row + down * height)
      let rows = start..<start + Int32(min(grid.height - down * height, height))
      let runs = Self.slice(areas.runs[area.runs], rows) { $0.row }
      let cells = Self.slice(areas.cells[area.cells], rows) { $0.row }
      if runs.isEmpty, cells.isEmpty { continue }
      for across in left / width...(left + window.width - 1) / width {
        // Cancelled work has no results.
        if WorkCancellation.isCurrentCancelled { return }
        let tile = down * grid.tilesAcross + across
        let start = Int32(file.window.column + across * width)
        let columns = start..<start + Int32(min(grid.width - across * width, width))
        let isTouched =
          runs.contains { $0.start < columns.upperBound && $0.end > columns.lowerBound }
          || cells.contains { columns.contains($0.column) }
        if !isTouched { continue }
        do throws(RasterError) {
          try scan(
            tile, member, runs, cells, areas, band: band, worker: worker, &result, detail,
            distribution, &overlap)
        } catch {
          result.hasReadError = true
          failures.withLock { $0.add(file.source.path, error.line) }
        }
      }
    }
  }

  /// The elements of some rows of a list that is sorted by row.
  private static func slice<Element>(
    _ list: ArraySlice<Element>, _ rows: Range<Int32>, _ row: (Element) -> Int32
  ) -> ArraySlice<Element> {
    func first(_ wanted: Int32) -> Int {
      var (low, high) = (list.startIndex, list.endIndex)
      while low < high {
        let middle = (low + high) / 2
        if row(list[middle]) < wanted { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return list[first(rows.lowerBound)..<first(rows.upperBound)]
  }

  private func scan(
    _ tile: Int, _ member: Int, _ runs: ArraySlice<CoverageStore.Run>,
    _ cells: ArraySlice<CoverageStore.Cell>,
    _ areas: CoverageStore, band: Int, worker: Int, _ result: inout Result,
    _ detail: Detail, _ distribution: UnsafeMutablePointer<ZonalDistribution>?,
    _ overlap: inout ZonalOverlap
  ) throws(RasterError) {
    let file = self.cells.members[member]
    let profile = file.profile
    let description = profile.bands[band]
    let plane = profile.plane(band: band)
    let values = try self.tile(file, plane, tile, worker)
    var owner: TileBuffer?
    var mask: ZonalScan.Mask?
    switch description.validity {
    case .all, .noData: break
    case .alpha(let alpha):
      let plane = profile.plane(band: alpha)
      let buffer = try self.tile(file, plane, tile, worker)
      mask = ZonalScan.Mask(
        base: UnsafeRawPointer(buffer.bytes.baseAddress!) + profile.bandOffset(alpha),
        stride: profile.cellStride(plane: plane),
        byteCount: profile.bands[alpha].pixelType.byteCount)
      owner = buffer
    case .mask:
      let buffer = try self.tile(file, profile.maskPlane(band: band), tile, worker)
      mask = ZonalScan.Mask(
        base: UnsafeRawPointer(buffer.bytes.baseAddress!), stride: 1, byteCount: 1)
      owner = buffer
    }
    var window = profile.grid.window(tile: tile)
    window.column += file.window.column
    window.row += file.window.row
    let sizes = try detail.sizes?.weights(window, worker: worker)
    let weights = try detail.weights?.weights(window, worker: worker)
    (overlap.earlier, overlap.later) = (file.earlier, file.later)
    withUnsafeMutablePointer(to: &overlap) { overlap in
      withUnsafeMutablePointer(to: &result) { result in
        withExtendedLifetime((values, owner)) {
          description.visitValidity(
            ZonalScan(
              base: UnsafeRawPointer(values.bytes.baseAddress!) + profile.bandOffset(band),
              stride: profile.cellStride(plane: plane), mask: mask, window: window,
              tileWidth: profile.grid.tileWidth, runs: runs, cells: cells,
              isExact: areas.isExact,
              cellWeights: areas.isExact ? [] : areas.weights[cells.indices],
              scale: detail.isScaled ? description.scale : 1,
              offset: detail.isScaled ? description.offset : 0, sizes: sizes, weights: weights,
              needsPositions: detail.needsPositions, needsExtras: detail.needsExtras,
              overlap: file.overlaps ? overlap : nil, result: result,
              distribution: distribution))
        }
      }
    }
  }

  private func tile(
    _ file: ZonalGrid.Member, _ plane: Int, _ tile: Int, _ worker: Int
  ) throws(RasterError) -> TileBuffer {
    let source = file.source
    let key = TileCache.Key(source: file.sourceID, plane: UInt32(plane), tile: UInt32(tile))
    let counter = counters[worker]
    counter.touched.insert(
      TileCache.Key(source: file.sourceID, plane: UInt32(plane), tile: UInt32(tile)))
    if let known = cache.resident(key) { return known }
    let reader = try pools[worker].reader(id: file.sourceID, for: source)
    return try cache.tile(key, byteCount: file.profile.tileByteCount(plane: plane)) {
      buffer throws(RasterError) in
      counter.decoded += 1
      try reader.readTile(plane: plane, tile: tile, into: buffer)
    }
  }
}
