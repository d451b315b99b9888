import PlumbCore

/// Reads the cells of areas, one area at a time, on one worker.
final class ZonalReader {
  /// The tiles that have been requested.
  private(set) var touched: Set<TileCache.Key> = []
  /// The number of decoded tiles.
  private(set) var decodedCount = 0
  private let cells: ZonalGrid
  private let cache: TileCache
  private let pool = ReaderPool(limit: 4)
  private var failures = ReadFailures()
  /// The buffer for values. It is allocated at the first read because, with many rasters, a worker
  /// reads only some of them.
  private var buffer: ZonalBuffer?
  /// The counts of integers of 8 or 16 bits; nil until single values are needed.
  private var counts: ZonalCounts?
  /// Recently used tiles, so that the next area needs no lookup in the cache. The position of a
  /// tile in the array is computed from its key. The array is empty between reads.
  private var recent: [(key: TileCache.Key, tile: TileBuffer)?] = []

  /// The cells of the current area that several files contain.
  private var overlap = ZonalOverlap()

  private static let recentLimit = 256
  /// The approximate size of all recent tiles in bytes.
  private static let recentBytes = 4 << 20

  init(_ cells: ZonalGrid, _ cache: TileCache) { (self.cells, self.cache) = (cells, cache) }

  deinit { buffer?.deallocate() }

  /// Returns the failures since the last call, and clears them.
  func removeFailures() -> ReadFailures {
    defer { failures = ReadFailures() }
    return failures
  }

  /// Releases the recently used tiles and the memory of counts.
  func releaseMemory() { (recent, counts, overlap) = ([], nil, ZonalOverlap()) }

  func closeFiles() { pool.closeAll() }

  /// Removes the raster's tiles from the cache.
  func dropTiles() {
    let numbers = cells.members.map(\.sourceID)
    if let first = numbers.min(), let last = numbers.max() { cache.drop(sources: first...last) }
  }

  /// Removes tiles from the cache.
  ///
  /// - Parameter bands: the bands that were read.
  func dropTiles(_ tiles: [(member: ZonalGrid.Member, tile: Int)], bands: [Int]) {
    cache.drop(
      tiles.flatMap { member, tile in
        member.planes(of: bands).map {
          TileCache.Key(source: member.sourceID, plane: UInt32($0), tile: UInt32(tile))
        }
      })
  }

  /// The arguments of a read of one area.
  private struct Work {
    var area: CoverageParts.Cells
    var isExact: Bool
    /// The requested bands.
    var bands: [Int]
    var band: Int
    var worker: Int
    var detail: ZonalSampler.Detail
    var distribution: UnsafeMutablePointer<ZonalDistribution>?
    var result: UnsafeMutablePointer<ZonalSampler.Result>
  }

  /// Reads the cells of an area in a band. All requested bands of an area must be read one after another,
  /// beginning with the first.
  ///
  /// - Parameters:
  ///   - area: the coverage of the area.
  ///   - isExact: whether cells are weighted by their coverage.
  ///   - bands: the requested bands.
  ///   - worker: the number of the calling worker.
  ///   - distribution: receives the values; nil if single values are not needed.
  func read(
    _ area: CoverageParts.Cells, isExact: Bool, bands: [Int], band: Int, worker: Int,
    _ detail: ZonalSampler.Detail, _ distribution: UnsafeMutablePointer<ZonalDistribution>?,
    _ result: inout ZonalSampler.Result
  ) {
    guard area.window.width > 0 else { return }
    withUnsafeMutablePointer(to: &result) { result in
      let work = Work(
        area: area, isExact: isExact, bands: bands, band: band, worker: worker,
        detail: detail, distribution: distribution, result: result)
      if band == bands.first { overlap = ZonalOverlap() }
      if bands.count > 1, !overlap.isComplete {
        read(work, values: false)
        overlap.complete()
      }
      read(work, values: true)
      if overlap.hasReadError { result.pointee.hasReadError = true }
    }
    if let distribution { counts?.move(to: &distribution.pointee) }
    let moments = result.moments
    result.surface = isExact ? moments.count : moments.surface
    result.touched = isExact ? moments.coverage : moments.touched
  }

  /// Reads the cells of an area in all files.
  ///
  /// - Parameter values: whether to add the values. If false, the method only determines which file
  ///   provides each cell that several files contain.
  private func read(_ work: Work, values: Bool) {
    for (number, file) in cells.members.enumerated() where values || file.overlaps {
      guard let window = file.window.intersection(work.area.window) else { continue }
      overlap.file = number
      (overlap.earlier, overlap.later) = file.overlaps ? (file.earlier, file.later) : ([], [])
      read(window, of: file, work, values: values)
    }
  }

  /// Reads the cells of an area in a file.
  ///
  /// - Parameter window: the part of the file's window that is within the area's extent.
  private func read(
    _ window: CellWindow, of file: ZonalGrid.Member, _ work: Work, values: Bool
  ) {
    let grid = file.profile.grid
    let (width, height) = (grid.tileWidth, grid.tileHeight)
    let tiles = file.tiles(in: window)
    for down in tiles.down {
      let start = Int32(file.window.row + down * height)
      let rows = start..<start + Int32(min(grid.height - down * height, height))
      let runs = Self.range(work.area.runs, rows) { $0.row }
      let cells = Self.range(work.area.cells, rows) { $0.row }
      if runs.isEmpty, cells.isEmpty { continue }
      for across in tiles.across {
        // The results of cancelled work are not used.
        if WorkCancellation.isCurrentCancelled { return }
        let start = Int32(file.window.column + across * width)
        let columns = start..<start + Int32(min(grid.width - across * width, width))
        let isTouched =
          work.area.runs[runs].contains {
            $0.start < columns.upperBound && $0.end > columns.lowerBound
          } || work.area.cells[cells].contains { columns.contains($0.column) }
        if !isTouched { continue }
        do throws(RasterError) {
          for band in values ? [work.band] : work.bands {
            try scan(
              down * grid.tilesAcross + across, of: file, band, runs, cells, work, values: values)
          }
        } catch {
          work.result.pointee.hasReadError = true
          if !values { overlap.hasReadError = true }
          failures.add(file.source.path, error.line)
        }
      }
    }
  }

  /// Returns the indices of the elements in the given rows. The elements are sorted by row.
  @inline(__always)
  private static func range<Element>(
    _ list: UnsafeBufferPointer<Element>, _ rows: Range<Int32>, _ row: (Element) -> Int32
  ) -> Range<Int> {
    let range = list.indices
    guard !range.isEmpty else { return range }
    if row(list[range.lowerBound]) >= rows.lowerBound,
      row(list[range.upperBound - 1]) < rows.upperBound
    {
      return range
    }
    func first(_ wanted: Int32) -> Int {
      var (low, high) = (range.lowerBound, range.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if row(list[middle]) < wanted { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return first(rows.lowerBound)..<first(rows.upperBound)
  }

  /// Adds the cells of an area that are in a tile.
  private func scan(
    _ tile: Int, of file: ZonalGrid.Member, _ band: Int, _ runs: Range<Int>,
    _ cells: Range<Int>, _ work: Work, values needsValues: Bool
  ) throws(RasterError) {
    let profile = file.profile
    let plane = profile.plane(band: band)
    let values = try self.tile(tile, of: file, plane)
    var owner: TileBuffer?
    var mask: ZonalScan.Mask?
    switch profile.bands[band].validity {
    case .all, .noData: break
    case .alpha(let alpha):
      let plane = profile.plane(band: alpha)
      let buffer = try self.tile(tile, of: file, plane)
      mask = ZonalScan.Mask(
        base: UnsafeRawPointer(buffer.bytes.baseAddress!) + profile.bandOffset(alpha),
        stride: profile.cellStride(plane: plane),
        byteCount: profile.bands[alpha].pixelType.byteCount)
      owner = buffer
    case .mask:
      let buffer = try self.tile(tile, of: file, profile.maskPlane(band: band))
      mask = ZonalScan.Mask(
        base: UnsafeRawPointer(buffer.bytes.baseAddress!), stride: 1, byteCount: 1)
      owner = buffer
    }
    var window = profile.grid.window(tile: tile)
    window.column += file.window.column
    window.row += file.window.row
    let buffer = self.buffer ?? ZonalBuffer()
    self.buffer = buffer
    let detail = work.detail
    let sizes = needsValues ? try detail.sizes?.weights(window, worker: work.worker) : nil
    let weights = needsValues ? try detail.weights?.weights(window, worker: work.worker) : nil
    let counts = needsValues ? counts(for: profile.bands[band].pixelType, work) : nil
    withUnsafeMutablePointer(to: &overlap) { overlap in
      withExtendedLifetime((values, owner)) {
        let description = profile.bands[band]
        let scan = ZonalScan(
          base: UnsafeRawPointer(values.bytes.baseAddress!) + profile.bandOffset(band),
          stride: profile.cellStride(plane: plane), kernel: description.pixelType.zonalKernel,
          mask: mask, window: window,
          tileWidth: profile.grid.tileWidth,
          runs: UnsafeBufferPointer(rebasing: work.area.runs[runs]),
          cells: UnsafeBufferPointer(rebasing: work.area.cells[cells]),
          isExact: work.isExact,
          cellWeights: work.isExact
            ? UnsafeBufferPointer(start: nil, count: 0)
            : UnsafeBufferPointer(rebasing: work.area.weights[cells]),
          scale: detail.isScaled ? description.scale : 1,
          offset: detail.isScaled ? description.offset : 0, sizes: sizes, weights: weights,
          needsPositions: detail.needsPositions, needsExtras: detail.needsExtras,
          overlap: file.overlaps ? overlap : nil, result: work.result,
          distribution: work.distribution, counts: counts, buffer: buffer)
        if needsValues {
          description.visitValidity(scan)
        } else {
          description.visitValidity(ZonalOverlapScan(scan: scan, overlap: overlap))
        }
      }
    }
  }

  /// Returns the counts for a type; nil if single values are not needed, if values are kept in the order of
  /// the cells, or if the type is not an integer of 8 or 16 bits.
  private func counts(for type: PixelType, _ work: Work) -> ZonalCounts? {
    guard let distribution = work.distribution, !work.detail.needsCells,
      !type.isFloatingPoint, type.byteCount <= 2
    else { return nil }
    let bitCount = type.byteCount * 8
    if let counts, counts.size >= 1 << bitCount { return counts }
    counts?.move(to: &distribution.pointee)
    counts = ZonalCounts(bitCount: bitCount)
    return counts
  }

  private func tile(
    _ tile: Int, of file: ZonalGrid.Member, _ plane: Int
  ) throws(RasterError) -> TileBuffer {
    let key = TileCache.Key(source: file.sourceID, plane: UInt32(plane), tile: UInt32(tile))
    let byteCount = file.profile.tileByteCount(plane: plane)
    let limit = max(1, min(Self.recentLimit, Self.recentBytes / max(1, byteCount)))
    let position = (tile &+ plane &* 37 &+ Int(file.sourceID) &* 101) % limit
    if recent.isEmpty { recent = Array(repeating: nil, count: Self.recentLimit) }
    if let known = recent[position], known.key == key { return known.tile }
    touched.insert(key)
    let buffer: TileBuffer
    if let known = cache.resident(key) {
      buffer = known
    } else {
      let reader = try pool.reader(id: file.sourceID, for: file.source)
      buffer = try cache.tile(key, byteCount: byteCount) { buffer throws(RasterError) in
        decodedCount += 1
        try reader.readTile(plane: plane, tile: tile, into: buffer)
      }
    }
    recent[position] = (key, buffer)
    return buffer
  }
}
