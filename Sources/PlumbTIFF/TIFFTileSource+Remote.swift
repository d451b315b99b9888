import CTIFF
import PlumbCore
import PlumbIO
import PlumbRaster

extension TIFFTileSource {
  /// Whether the file is at a URL.
  public var isRemote: Bool { remote != nil }

  /// Starts to fetch the bytes of tiles, with one request for adjacent tiles.
  public func fetch(_ demand: TileDemand) -> TileFetch? {
    guard let remote, let ranges = ranges(of: demand, in: remote) else { return nil }
    let fetch = RangeFetch(remote, ranges, jobSize: demand.planes.count)
    return TileFetch { fetch.release($0) }
  }

  /// The cost of the requests for the bytes of tiles and for the parts of the tile index (offsets and byte
  /// counts) that are not yet in memory.
  public func cost(of demand: TileDemand) -> FetchCost {
    guard let remote, let ranges = ranges(of: demand, in: remote) else { return FetchCost() }
    let plan = remote.plan(ranges)
    return FetchCost(requests: plan.pieces.count, bytes: plan.byteCount)
  }

  /// The cost of the requests for this file so far, including its side files.
  public var fetched: FetchCost { other.fetched }

  /// The whole tile index is read and kept if it has at most this number of bytes for each
  /// requested tile; otherwise only the needed windows of the index are read.
  private static let listForEachTile = 128 << 10
  /// The maximum size in bytes of a tile index that is kept; a larger index is read in windows.
  private static let maximumOfLists = 64 << 20

  /// The byte ranges of tiles in the file, plane by plane for each tile; nil if they cannot be determined.
  private func ranges(of demand: TileDemand, in remote: RemoteFile) -> [Range<Int>]? {
    if let index = try? TIFFIndex(remote), index.byteCount <= Self.maximumOfLists,
      index.byteCount / Self.listForEachTile <= demand.tiles.count * demand.planes.count
    {
      // A failure is ignored here; reading the tiles fails again and reports it.
      try? remote.keep(index.lists)
    }
    guard let handle = openHandle() else { return nil }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(demand.tiles.count * demand.planes.count)
    for tile in demand.tiles {
      for plane in demand.planes {
        let isResident = demand.isHeld(plane, tile)
        ranges.append(isResident ? 0..<0 : range(plane: plane, tile: tile, handle))
      }
    }
    return ranges
  }

  private func range(plane: Int, tile: Int, _ handle: TIFFHandle) -> Range<Int> {
    guard plane < profile.pixelPlanes else { return 0..<0 }
    let number = UInt32(plane * layout.grid.tileCount + tile)
    var error: Int32 = 0
    let length = TIFFGetStrileByteCountWithErr(handle.tiff, number, &error)
    let start = TIFFGetStrileOffsetWithErr(handle.tiff, number, &error)
    // A tile that is much longer than its cells is not prefetched, because its length must be wrong.
    guard error == 0, length <= UInt64(profile.tileByteCount(plane: plane)) * 2 + 1 << 16,
      let first = Int(exactly: start), let end = Int(exactly: start &+ length), first <= end
    else { return 0..<0 }
    return first..<end
  }
}
