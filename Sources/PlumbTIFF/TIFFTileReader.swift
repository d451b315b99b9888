import CKernels
import CTIFF
import PlumbCore
import PlumbRaster

/// Reads the tiles of a TIFF for one worker.
final class TIFFTileReader: TileReader {
  private let handle: TIFFHandle
  private let profile: RasterProfile
  private let layout: TIFFLayout
  private let other: any TileSource
  /// The numbers of the tiles whose position in the file could not be read. They are recorded
  /// because libtiff reports the error only once; afterwards it returns 0, as for tiles without
  /// data.
  private var lost: Set<UInt32> = []
  /// A reader of `other`, which reads the same file with another library. It is opened when libtiff first
  /// fails.
  private var otherReader: Result<any TileReader, RasterError>?
  /// The last tile that the other library could not read. The reader does not try the tile again,
  /// because the library reads whole tiles and would fail again.
  private var brokenNumber: UInt32?
  /// The decoder of tiles; nil if libtiff decodes them.
  private let decoder: TileDecoder?
  private var needed: NeededCells
  /// A tile's bytes as stored in the file.
  private var stored = Scratch()

  init(
    _ handle: TIFFHandle, profile: RasterProfile, layout: TIFFLayout, other: any TileSource
  ) {
    self.handle = handle
    self.profile = profile
    self.layout = layout
    self.other = other
    decoder = TileDecoder(layout.format)
    needed = NeededCells(width: layout.grid.tileWidth, height: layout.grid.tileHeight)
  }

  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    // Tiles are padded to their full height, but the last strip is not.
    let grid = layout.grid
    needed.fill(rows: layout.isTiled ? grid.tileHeight : grid.window(tile: tile).height)
    try readNeeded(plane: plane, tile: tile, into: buffer)
  }

  func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    // With this many entries, almost all rows are needed.
    if entries.count > layout.grid.cellsPerTile / 4 {
      try readTile(plane: plane, tile: tile, into: buffer)
    } else {
      needed.fill(entries)
      try readNeeded(plane: plane, tile: tile, into: buffer)
    }
  }

  private func readNeeded(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    do throws(RasterError) {
      try decodeTile(plane: plane, tile: tile, into: buffer)
    } catch {
      let size = profile.cellStride(plane: plane)
      guard let base = buffer.baseAddress, handle.networkFault == nil else { throw error }
      do throws(RasterError) {
        try readOther(
          plane: plane, layout.grid.window(tile: tile), into: base, cellStride: size,
          rowStride: size * layout.grid.tileWidth)
      } catch _ {
        throw error
      }
    }
  }

  private func decodeTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    let number = UInt32(plane * layout.grid.tileCount + tile)
    handle.forgetFaults()
    guard try isStored(number) else {
      fillSparse(plane: plane, buffer)
      return
    }
    var cellBytes = buffer.count
    if !layout.isTiled {
      let window = layout.grid.window(tile: tile)
      cellBytes = window.width * window.height * profile.cellStride(plane: plane)
    }
    let cells = UnsafeMutableRawBufferPointer(rebasing: buffer[..<cellBytes])
    if decodeDirectly(number, into: cells) { return }
    // Do not try libtiff after a network error, because libtiff would request the same bytes.
    if let fault = handle.networkFault { throw fault }
    let bytes =
      layout.isTiled
      ? TIFFReadEncodedTile(handle.tiff, number, cells.baseAddress, tmsize_t(cellBytes))
      : TIFFReadEncodedStrip(handle.tiff, number, cells.baseAddress, tmsize_t(cellBytes))
    guard Int(bytes) == cellBytes else { throw failure(tile: tile) }
  }

  /// Decodes the needed cells of a stored tile without libtiff.
  ///
  /// - Returns: false if the tile has to be read by libtiff.
  private func decodeDirectly(
    _ number: UInt32, into cells: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let decoder else { return false }
    let start = TIFFGetStrileOffset(handle.tiff, number)
    let length = TIFFGetStrileByteCount(handle.tiff, number)
    // No codec produces more bytes than this limit, so a greater length is invalid.
    guard length <= UInt64(cells.count) * 2 + 1 << 16, start < UInt64(Int64.max) - length else {
      return false
    }
    // Uncompressed bytes are read directly into the result.
    let target =
      layout.isUncompressed
      ? UnsafeMutableRawBufferPointer(rebasing: cells[..<min(cells.count, Int(length))])
      : UnsafeMutableRawBufferPointer(rebasing: stored.bytes(Int(length))[..<Int(length)])
    guard handle.read(target, at: Int(start)) else { return false }
    return decoder.decode(UnsafeRawBufferPointer(target), into: cells, needed)
  }

  /// Reading a single cell takes one system call, which costs about as much as decoding 4096 bytes.
  var cellReadCost: Int? { readsCells ? 4096 : nil }

  /// Whether single cells are read directly; for a remote file, whole tiles are read instead.
  private var readsCells: Bool { layout.isUncompressed && !handle.isRemote }

  func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool {
    guard readsCells else { return false }
    let number = UInt32(plane * layout.grid.tileCount + tile)
    handle.forgetFaults()
    guard try isStored(number) else { return false }
    let start = TIFFGetStrileOffset(handle.tiff, number)
    let length = TIFFGetStrileByteCount(handle.tiff, number)
    let size = profile.cellStride(plane: plane)
    guard length < UInt64(Int64.max), start < UInt64(Int64.max) - length else { return false }
    for (position, entry) in entries.enumerated() {
      let offset = Int(entry.offset) * size
      guard UInt64(offset + size) <= length else { return false }
      let target = UnsafeMutableRawBufferPointer(
        start: buffer.baseAddress! + position * size, count: size)
      guard handle.read(target, at: Int(start) + offset) else { throw failure(tile: tile) }
    }
    swapBytes(buffer)
    return true
  }

  var readsWholeBlocks: Bool { !readsCells }

  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    let stored = readStored(
      plane: plane, window, into: memory, cellStride: cellStride, rowStride: rowStride)
    switch stored {
    case .read: break
    case .unknown:
      try readOther(
        plane: plane, window, into: memory, cellStride: cellStride, rowStride: rowStride)
    case .missing: throw failure(tile: tile(of: window))
    }
  }

  /// The tile that contains a window.
  private func tile(of window: CellWindow) -> Int {
    Int(TileSplitter(layout.grid).split(column: Int32(window.column), row: Int32(window.row)).tile)
  }

  /// The outcome of reading a window of uncompressed cells.
  private enum Stored {
    case read
    /// The bytes were not found, but the other library may find them.
    case unknown
    /// The bytes cannot be read from the file by any library.
    case missing
  }

  /// Reads a window of uncompressed cells directly from the file.
  private func readStored(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) -> Stored {
    let size = profile.cellStride(plane: plane)
    guard readsCells, size == cellStride else { return .unknown }
    let splitter = TileSplitter(layout.grid)
    for row in 0..<window.height {
      let (tile, offset) = splitter.split(
        column: Int32(window.column), row: Int32(window.row + row))
      let number = UInt32(plane * layout.grid.tileCount) + tile
      guard (try? isStored(number)) == true else { return .unknown }
      let start = TIFFGetStrileOffset(handle.tiff, number)
      let length = TIFFGetStrileByteCount(handle.tiff, number)
      let (first, count) = (Int(offset) * size, window.width * size)
      guard length < UInt64(Int64.max), start < UInt64(Int64.max) - length,
        UInt64(first + count) <= length
      else { return .unknown }
      let target = UnsafeMutableRawBufferPointer(start: memory + row * rowStride, count: count)
      guard handle.read(target, at: Int(start) + first) else { return .missing }
      swapBytes(target)
    }
    return .read
  }

  /// Reads a window with the other library, band by band.
  private func readOther(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    if otherReader == nil {
      otherReader = Result { () throws(RasterError) in try other.makeReader() }
    }
    guard let reader = try otherReader?.get() else { return }
    let tile = tile(of: window)
    let number = UInt32(plane * layout.grid.tileCount + tile)
    guard number != brokenNumber else { throw failure(tile: tile) }
    var memory = memory
    do throws(RasterError) {
      for band in layout.isInterleaved ? 0..<profile.bands.count : plane..<plane + 1 {
        try reader.readWindow(
          plane: band, window, into: memory, cellStride: cellStride, rowStride: rowStride)
        memory += profile.bands[band].pixelType.byteCount
      }
    } catch {
      // In a long strip, the other library may still read other blocks of rows.
      if layout.isTiled { brokenNumber = number }
      throw error
    }
  }

  /// Whether the file has bytes for a tile; a sparse file omits tiles whose cells are all nodata.
  private func isStored(_ number: UInt32) throws(RasterError) -> Bool {
    if lost.contains(number) { throw failure(tile: Int(number)) }
    var error: Int32 = 0
    let length = TIFFGetStrileByteCountWithErr(handle.tiff, number, &error)
    if error == 0, length != 0 { _ = TIFFGetStrileOffsetWithErr(handle.tiff, number, &error) }
    if error != 0 {
      lost.insert(number)
      throw failure(tile: Int(number))
    }
    return length != 0
  }

  /// Fills a tile that is not stored with nodata, or 0 if there is no nodata value.
  private func fillSparse(plane: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    let bands = layout.isInterleaved ? profile.bands : [profile.bands[plane]]
    guard let base = buffer.baseAddress else { return }
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    guard bands.contains(where: { if case .noData = $0.validity { true } else { false } }) else {
      return
    }
    var filled = 0
    for band in bands {
      band.storeNoData(at: base + filled)
      filled += band.pixelType.byteCount
    }
    // Copy the first cell, then twice as many cells each time.
    while filled < buffer.count {
      let count = min(filled, buffer.count - filled)
      (base + filled).copyMemory(from: base, byteCount: count)
      filled += count
    }
  }

  private func failure(tile: Int) -> RasterError {
    let window = layout.grid.window(tile: tile % max(1, layout.grid.tileCount))
    return RasterError(
      "cells from column \(window.column), row \(window.row) cannot be read: "
        + (handle.lastMessage ?? "the file is truncated"))
  }

  /// Converts uncompressed numbers to this machine's byte order.
  private func swapBytes(_ buffer: UnsafeMutableRawBufferPointer) {
    guard layout.format.isByteSwapped, let base = buffer.baseAddress else { return }
    plumb_swap_bytes(base, buffer.count, layout.format.size)
  }
}
