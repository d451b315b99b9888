import PlumbCore

/// A worker's reader of a raster composed of windows of other rasters.
final class CompositeTileReader: TileReader {
  private let composite: CompositeTileSource
  private let profile: RasterProfile
  private let pool = ReaderPool(limit: 32)
  private var wholeReader: Result<any TileReader, RasterError>?

  init(_ composite: CompositeTileSource) {
    self.composite = composite
    profile = composite.profile
  }

  /// Single cells may be readable in a tile that cannot be read completely.
  var readsWholeBlocks: Bool { false }

  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    try read(plane, tile, nil, buffer)
  }

  func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    try read(plane, tile, entries, buffer)
  }

  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    if wholeReader == nil {
      wholeReader = Result { () throws(RasterError) in try composite.whole.makeReader() }
    }
    try wholeReader?.get().readWindow(
      plane: plane, window, into: memory, cellStride: cellStride, rowStride: rowStride)
  }

  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try composite.whole.makeReader().mapToGrid(x: x, y: y, count: count)
  }

  func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try composite.whole.makeReader().mapFromGrid(x: x, y: y, count: count)
  }

  private func read(
    _ plane: Int, _ tile: Int, _ entries: UnsafeBufferPointer<PlanEntry>?,
    _ buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    let window = profile.grid.window(tile: tile)
    do throws(RasterError) {
      let parts = composite.parts[plane].touching(window)
      if parts.count == 1, try readWhole(parts[0], plane, window, entries, buffer) { return }
      fill(buffer, plane)
      for part in parts { try copy(part, plane, window, entries, buffer) }
    } catch {
      // If a source cannot be read or does not match the raster's description, use the result or
      // the error of the library that reads the whole raster.
      guard let base = buffer.baseAddress else { throw error }
      let size = profile.cellStride(plane: plane)
      try readWindow(
        plane: plane, window, into: base, cellStride: size,
        rowStride: size * profile.grid.tileWidth)
    }
  }

  /// Returns the source of a part if its cells match the part's description.
  private func source(_ part: CompositeTileSource.Part, _ plane: Int) throws(RasterError)
    -> any TileSource
  {
    let source = try composite.source(part.source)
    let grid = source.profile.grid
    guard source.profile.bands.indices.contains(part.band),
      source.profile.bands[part.band].pixelType == profile.bands[plane].pixelType,
      part.column + part.window.width <= grid.width, part.row + part.window.height <= grid.height
    else { throw RasterError("\(source.path) does not match the raster composed of it") }
    return source
  }

  /// Reads a tile that is also one tile of a source.
  ///
  /// - Returns: false if the tile is not exactly one tile of the source.
  private func readWhole(
    _ part: CompositeTileSource.Part, _ plane: Int, _ window: CellWindow,
    _ entries: UnsafeBufferPointer<PlanEntry>?, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool {
    guard part.window.intersection(window) == window else { return false }
    if let noData = part.noData, noData != background(plane) { return false }
    let source = try source(part, plane)
    let grid = source.profile.grid
    let column = window.column - part.window.column + part.column
    let row = window.row - part.window.row + part.row
    let sourcePlane = source.profile.plane(band: part.band)
    guard !source.profile.isInterleaved, grid.tileWidth == profile.grid.tileWidth,
      grid.tileHeight == profile.grid.tileHeight, column % grid.tileWidth == 0,
      row % grid.tileHeight == 0,
      source.profile.tileByteCount(plane: sourcePlane) == buffer.count
    else { return false }
    let tile = row / grid.tileHeight * grid.tilesAcross + column / grid.tileWidth
    let reader = try pool.reader(id: UInt32(part.source), for: source)
    if let entries {
      try reader.readTile(plane: sourcePlane, tile: tile, for: entries, into: buffer)
    } else {
      try reader.readTile(plane: sourcePlane, tile: tile, into: buffer)
    }
    return true
  }

  /// The value of a band's cells that no part covers.
  private func background(_ plane: Int) -> NoData {
    if case .noData(let value) = profile.bands[plane].validity { value } else { .real(0) }
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ plane: Int) {
    guard let base = buffer.baseAddress else { return }
    let size = profile.cellStride(plane: plane)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    guard case .noData = profile.bands[plane].validity else { return }
    profile.bands[plane].storeNoData(at: base)
    for start in stride(from: size, to: buffer.count, by: size) {
      (base + start).copyMemory(from: base, byteCount: size)
    }
  }

  /// Copies the cells of a part within a window. If there are entries, only the source's tiles that
  /// contain an entry are read.
  private func copy(
    _ part: CompositeTileSource.Part, _ plane: Int, _ window: CellWindow,
    _ entries: UnsafeBufferPointer<PlanEntry>?, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    guard let shared = part.window.intersection(window), let base = buffer.baseAddress else {
      return
    }
    let source = try source(part, plane)
    let (sourceProfile, grid) = (source.profile, source.profile.grid)
    let sourcePlane = sourceProfile.plane(band: part.band)
    // The offsets from the raster's cells to the source's cells.
    let (right, down) = (part.column - part.window.column, part.row - part.window.row)
    let columns =
      (shared.column + right) / grid.tileWidth...(shared.column + shared.width - 1 + right)
      / grid.tileWidth
    let rows =
      (shared.row + down) / grid.tileHeight...(shared.row + shared.height - 1 + down)
      / grid.tileHeight
    var isNeeded = [Bool](repeating: entries == nil, count: columns.count * rows.count)
    for entry in entries ?? UnsafeBufferPointer(start: nil, count: 0) {
      let (row, column) = Int(entry.offset).quotientAndRemainder(
        dividingBy: profile.grid.tileWidth)
      let cell = CellWindow(
        column: window.column + column, row: window.row + row, width: 1, height: 1)
      guard cell.intersection(shared) != nil else { continue }
      let tileColumn = (cell.column + right) / grid.tileWidth - columns.lowerBound
      let tileRow = (cell.row + down) / grid.tileHeight - rows.lowerBound
      isNeeded[tileRow * columns.count + tileColumn] = true
    }
    let size = profile.bands[plane].pixelType.byteCount
    let stride = sourceProfile.cellStride(plane: sourcePlane)
    for tileRow in rows {
      for tileColumn in columns
      where isNeeded[(tileRow - rows.lowerBound) * columns.count + tileColumn - columns.lowerBound]
      {
        let number = tileRow * grid.tilesAcross + tileColumn
        let tile = try tileBytes(source, part.source, sourcePlane, number)
        let onSource = grid.window(tile: number)
        let onRaster = CellWindow(
          column: onSource.column - right, row: onSource.row - down, width: onSource.width,
          height: onSource.height)
        guard let cells = onRaster.intersection(shared), let bytes = tile.bytes.baseAddress else {
          continue
        }
        for row in cells.row..<cells.row + cells.height {
          let from =
            (row - onRaster.row) * grid.tileWidth + cells.column - onRaster.column
          let to = (row - window.row) * profile.grid.tileWidth + cells.column - window.column
          copyCells(
            from: bytes + from * stride + sourceProfile.bandOffset(part.band), stride: stride,
            to: base + to * size, count: cells.width, of: profile.bands[plane].pixelType,
            through: part.noData)
        }
      }
    }
  }

  /// A decoded tile of a source.
  private func tileBytes(
    _ source: any TileSource, _ number: Int, _ plane: Int, _ tile: Int
  ) throws(RasterError) -> TileBuffer {
    let key = TileCache.Key(source: UInt32(number), plane: UInt32(plane), tile: UInt32(tile))
    return try composite.cache.tile(
      key, byteCount: source.profile.tileByteCount(plane: plane)
    ) { buffer throws(RasterError) in
      try pool.reader(id: UInt32(number), for: source).readTile(
        plane: plane, tile: tile, into: buffer)
    }
  }
}

/// Copies the cells of a row, except transparent cells, whose value is nodata.
private func copyCells(
  from: UnsafeRawPointer, stride: Int, to: UnsafeMutableRawPointer, count: Int, of type: PixelType,
  through noData: NoData?
) {
  let size = type.byteCount
  guard let noData else {
    if stride == size {
      to.copyMemory(from: from, byteCount: count * size)
      return
    }
    for i in 0..<count { (to + i * size).copyMemory(from: from + i * stride, byteCount: size) }
    return
  }
  let isNaN = if case .real(let value) = noData { value.isNaN } else { false }
  Band(pixelType: type, validity: .noData(noData)).visitValidity(
    OpaqueCopy(from: from, stride: stride, to: to, count: count, keepsNaN: !isNaN))
}

/// Copies the cells that are not nodata. NaN is nodata only if the nodata value is NaN.
private struct OpaqueCopy: ValidityVisitor {
  let from: UnsafeRawPointer
  let stride: Int
  let to: UnsafeMutableRawPointer
  let count: Int
  let keepsNaN: Bool

  func visit<Test: ValidityTest>(_ test: Test) {
    let target = to.assumingMemoryBound(to: Test.Value.self)
    for i in 0..<count {
      let value = from.loadUnaligned(fromByteOffset: i &* stride, as: Test.Value.self)
      if test.isValid(value) || keepsNaN && test.isNaN(value) { target[i] = value }
    }
  }
}
