import PlumbCore
import PlumbRaster

/// Some bands of another raster.
package final class BandSelection: TileSource {
  package let source: any TileSource
  private let bands: [Int]
  package let path: String
  package let profile: RasterProfile

  /// - Parameters:
  ///   - bands: the bands of the source. If the source is interleaved, the bands must not have masks.
  ///   - dates: the dates of these bands; nil if they have no dates.
  package init(_ source: any TileSource, bands: [Int], dates: [ImageDate]?, path: String) {
    (self.source, self.bands, self.path) = (source, bands, path)
    var profile = source.profile
    // If all bands are requested in order, they are read as they are stored.
    profile.isInterleaved = profile.isInterleaved && bands.elementsEqual(profile.bands.indices)
    profile.bands = bands.enumerated().map { position, band in
      var band = source.profile.bands[band]
      band.date = dates?[position]
      return band
    }
    self.profile = profile
  }

  package var route: String { source.route }
  package var files: [String] { source.files }
  package var isRemote: Bool { source.isRemote }
  package var fetched: FetchCost { source.fetched }
  package func fetch(_ demand: TileDemand) -> TileFetch? { source.fetch(ofSource(demand)) }
  package func cost(of demand: TileDemand) -> FetchCost { source.cost(of: ofSource(demand)) }

  /// Converts a demand for planes of the selection to a demand for planes of the source.
  private func ofSource(_ demand: TileDemand) -> TileDemand {
    if profile.isInterleaved { return demand }
    let planes =
      source.profile.isInterleaved
      ? [0]
      : demand.planes.map {
        $0 < bands.count ? bands[$0] : source.profile.pixelPlanes + bands[$0 - bands.count]
      }
    return TileDemand(tiles: demand.tiles, planes: planes) { _, tile in
      demand.planes.allSatisfy { demand.isHeld($0, tile) }
    }
  }

  package func makeReader() throws(RasterError) -> any TileReader {
    if profile.isInterleaved { return try source.makeReader() }
    return source.profile.isInterleaved
      ? TogetherReader(try source.makeReader(), bands, source.profile)
      : Reader(try source.makeReader(), bands, planes: source.profile.pixelPlanes)
  }

  /// A reader of single bands of a source that stores bands together.
  private final class TogetherReader: TileReader {
    private let reader: any TileReader
    private let bands: [Int]
    private let profile: RasterProfile
    /// The last tile that was read, with all bands.
    private var last: (tile: Int, bytes: TrivialBuffer<UInt8>)?

    init(_ reader: any TileReader, _ bands: [Int], _ profile: RasterProfile) {
      (self.reader, self.bands, self.profile) = (reader, bands, profile)
    }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      guard bands.indices.contains(plane) else { throw RasterError("the raster has no masks") }
      let bytes = last?.bytes ?? TrivialBuffer(count: profile.tileByteCount(plane: 0))
      if last?.tile != tile {
        last = nil
        try reader.readTile(
          plane: 0, tile: tile, into: UnsafeMutableRawBufferPointer(bytes.pointer))
        last = (tile, bytes)
      }
      guard let target = buffer.baseAddress else { return }
      let size = profile.bands[bands[plane]].pixelType.byteCount
      let (source, stride) = (bytes.base + bands[plane] * size, profile.cellStride(plane: 0))
      for cell in 0..<profile.grid.cellsPerTile {
        (target + cell &* size).copyMemory(from: source + cell &* stride, byteCount: size)
      }
    }
  }

  /// A reader of the source's planes.
  private final class Reader: TileReader {
    private let reader: any TileReader
    private let bands: [Int]
    /// The number of planes with values in the source. The planes of masks follow these planes.
    private let planes: Int

    init(_ reader: any TileReader, _ bands: [Int], planes: Int) {
      (self.reader, self.bands, self.planes) = (reader, bands, planes)
    }

    private func plane(_ plane: Int) -> Int {
      plane < bands.count ? bands[plane] : planes + bands[plane - bands.count]
    }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      try reader.readTile(plane: self.plane(plane), tile: tile, into: buffer)
    }

    func readTile(
      plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      try reader.readTile(plane: self.plane(plane), tile: tile, for: entries, into: buffer)
    }

    var cellReadCost: Int? { reader.cellReadCost }
    var blockRows: Int? { reader.blockRows }
    var readsWholeBlocks: Bool { reader.readsWholeBlocks }

    func readCells(
      plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) -> Bool {
      try reader.readCells(plane: self.plane(plane), tile: tile, entries: entries, into: buffer)
    }

    func readWindow(
      plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
      rowStride: Int
    ) throws(RasterError) {
      try reader.readWindow(
        plane: self.plane(plane), window, into: memory, cellStride: cellStride,
        rowStride: rowStride)
    }

    func mapToGrid(
      x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
    ) throws(RasterError) {
      try reader.mapToGrid(x: x, y: y, count: count)
    }

    func mapFromGrid(
      x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
    ) throws(RasterError) {
      try reader.mapFromGrid(x: x, y: y, count: count)
    }
  }
}
