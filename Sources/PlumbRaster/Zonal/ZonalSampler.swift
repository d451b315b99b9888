import PlumbCore
import Synchronization

/// Reads the raster cells that areas cover.
///
/// Areas are read in the order of the tiles. A tile is decoded once if the cache can contain the
/// tiles of all areas that are read at the same time.
package final class ZonalSampler: Sendable {
  /// The cells of the raster.
  package let cells: ZonalGrid
  private let workers: Workers
  private let keepsFilesOpen: Bool
  private let readers: WorkerStates<ZonalReader>
  private let failures = Mutex(ReadFailures())

  /// The values that are collected for an area, in addition to the sums.
  package struct Detail: Sendable {
    /// Whether the distinct values are needed.
    package var needsDistribution = false
    /// Whether the values of the cells are needed, in the order in which they are read.
    package var needsCells = false
    /// Whether the positions of the minimum and the maximum are needed.
    package var needsPositions = false
    /// Whether values are multiplied by the band's scale, and its offset is added.
    package var isScaled = false
    /// The maximum number of distinct values of an area, and of its cells if `needsCells` is set.
    package var entryLimit = Int.max
    /// Determines when and where distinct values are moved to a file; nil to keep all values in
    /// memory.
    package var spill: ZonalDistribution.Spill?
    /// The number of distinct values above which quantiles are approximate; nil for exact
    /// quantiles.
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
    /// The size, in cells, of the part of the area that is covered by cells with a value.
    package internal(set) var surface = 0.0
    /// The size, in cells, of the part of the area that is covered by cells with or without a
    /// value.
    package internal(set) var touched = 0.0
    /// Whether some of the cells could not be read.
    package var hasReadError = false
  }

  /// - Parameters:
  ///   - raster: a raster of files whose cells are on one grid.
  ///   - cache: the cache of decoded tiles.
  ///   - workers: the threads that read tiles.
  ///   - keepsFilesOpen: whether files remain open after a read.
  /// - Throws: for cells that differ in size or are not on one grid.
  package init(
    _ raster: Raster, cache: TileCache = TileCache(), workers: Workers = Workers(),
    keepsFilesOpen: Bool = true
  ) throws(RasterError) {
    let cells = try ZonalGrid(raster)
    (self.cells, self.workers, self.keepsFilesOpen) = (cells, workers, keepsFilesOpen)
    readers = WorkerStates(count: workers.count) { ZonalReader(cells, cache) }
  }

  /// The number of distinct tiles that were requested, and the number of decoded tiles. Must not be
  /// used while areas are read.
  package var tileCounts: (touched: Int, decoded: Int) {
    var touched: Set<TileCache.Key> = []
    var decoded = 0
    for worker in 0..<workers.count {
      touched.formUnion(readers[worker].touched)
      decoded += readers[worker].decodedCount
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

  /// Receives the values of an area in a band.
  ///
  /// - Parameters:
  ///   - area: the index of the area in the original coverage.
  ///   - band: the index in the list of bands.
  package typealias Receiver =
    @Sendable (
      _ area: Int, _ band: Int, _ result: Result, _ distribution: ZonalDistribution
    ) -> Void

  /// Reads the cells of areas in the given bands.
  ///
  /// - Parameters:
  ///   - areas: the coverage of the areas on the raster's grid.
  ///   - bands: the bands, counted from 0.
  ///   - detail: the values that `body` receives.
  ///   - isLast: whether the raster is not read again, so that each tile is removed from the cache
  ///     after the last area that needs it.
  ///   - worker: the number of the calling worker, which then reads all areas; nil to read on all
  ///     workers.
  ///   - body: called once for each area and band, on any worker, in any order.
  package func read(
    _ areas: OrderedCoverage, bands: [Int], detail: Detail, isLast: Bool = false,
    worker: Int? = nil, _ body: @escaping Receiver
  ) {
    defer { if isLast { readers[0].dropTiles() } }
    let order = areas.order(along: cells.grid)
    // A worker that reads a raster alone removes all tiles together, which is faster.
    if let worker {
      read(areas, order[...], bands, detail, worker, nil, body)
      if !keepsFilesOpen { readers[worker].closeFiles() }
      return
    }
    let grain = max(1, min(64, order.count / (workers.count * 16)))
    let uses = isLast ? TileUses(areas.coverage.areas, of: cells) : nil
    workers.runRanges(order.count, grain: grain) { worker, range in
      read(areas, order[range], bands, detail, worker, uses, body)
    }
    if !keepsFilesOpen { for worker in 0..<workers.count { readers[worker].closeFiles() } }
  }

  private func read(
    _ areas: OrderedCoverage, _ order: ArraySlice<Int32>, _ bands: [Int], _ detail: Detail,
    _ worker: Int, _ uses: TileUses?, _ body: Receiver
  ) {
    let reader = readers[worker]
    var distribution = ZonalDistribution(
      keepsCells: detail.needsCells, entryLimit: detail.entryLimit, spill: detail.spill,
      sketchCount: detail.sketchCount)
    let hasDistribution = detail.needsDistribution || detail.needsCells
    let (coverage, originals) = (areas.coverage, areas.originals)
    coverage.withPointers { pointers in
      for index in order {
        let area = pointers[Int(index)]
        for (number, band) in bands.enumerated() {
          var result = Result()
          if !WorkCancellation.isCurrentCancelled {
            if hasDistribution { distribution.removeAll() }
            withUnsafeMutablePointer(to: &distribution) { distribution in
              reader.read(
                area, isExact: coverage.isExact, bands: bands, band: band,
                worker: worker, detail, hasDistribution ? distribution : nil, &result)
            }
            if hasDistribution { distribution.finish() }
          }
          body(Int(originals?[Int(index)] ?? index), number, result, distribution)
        }
      }
    }
    reader.releaseMemory()
    if let uses {
      let windows = order.map { coverage.areas[Int($0)].window }
      reader.dropTiles(uses.remove(windows), bands: bands)
    }
    let found = reader.removeFailures()
    if found.count > 0 { failures.withLock { $0.add(found) } }
  }
}
