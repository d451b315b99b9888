import CGDAL
import PlumbCore
import PlumbIO
import PlumbRaster

extension GDALRasterSource {
  /// Whether the file is at a URL.
  public var isRemote: Bool { remote != nil }

  /// The remote file; nil if GDAL reads the file itself.
  package var remoteFile: RemoteFile? { remote?.file }

  /// Starts to download the bytes of the blocks of a TIFF.
  public func fetch(_ demand: TileDemand) -> TileFetch? {
    guard let remote, let ranges = ranges(of: demand) else { return nil }
    let fetch = RangeFetch(remote.file, ranges, jobSize: demand.planes.count)
    return TileFetch { fetch.release($0) }
  }

  /// The cost of downloading the bytes of the blocks of a TIFF.
  public func cost(of demand: TileDemand) -> FetchCost {
    guard let remote, let ranges = ranges(of: demand) else { return FetchCost() }
    let plan = remote.file.plan(ranges)
    return FetchCost(requests: plan.pieces.count, bytes: plan.byteCount)
  }

  /// The cost of all requests for this file so far, including its side files.
  public var fetched: FetchCost {
    guard let sum = remote?.statistics else { return FetchCost() }
    return FetchCost(requests: sum.requests, bytes: sum.bytes, retries: sum.retries)
  }

  /// Returns the byte ranges of tiles, which GDAL's TIFF driver provides.
  private func ranges(of demand: TileDemand) -> [Range<Int>]? {
    guard let handle = try? RasterHandle(path: path, access: access, level: level) else {
      return nil
    }
    let stay = access.enter()
    defer { stay.leave() }
    return handle.reading {
      handle.fault.whileInside {
        demand.tiles.flatMap { tile in
          demand.planes.map { plane in
            demand.isHeld(plane, tile) ? 0..<0 : range(plane: plane, tile: tile, handle)
          }
        }
      }
    }
  }

  /// Returns the byte range of a tile's blocks if there are no large gaps between them, otherwise
  /// an empty range.
  private func range(plane: Int, tile: Int, _ handle: RasterHandle) -> Range<Int> {
    let isMask = plane >= profile.pixelPlanes
    guard let dataBand = handle.band(isMask ? plane - profile.pixelPlanes : plane),
      let band = isMask ? GDALGetMaskBand(dataBand) : dataBand
    else { return 0..<0 }
    var (width, height): (Int32, Int32) = (0, 0)
    GDALGetBlockSize(band, &width, &height)
    guard width > 0, height > 0 else { return 0..<0 }
    let window = profile.grid.window(tile: tile)
    var (start, end, sum) = (Int.max, 0, 0)
    for row in window.row / Int(height)...(window.row + window.height - 1) / Int(height) {
      for column in window.column / Int(width)...(window.column + window.width - 1) / Int(width) {
        guard let offset = Self.number("BLOCK_OFFSET", column, row, band),
          let size = Self.number("BLOCK_SIZE", column, row, band), size > 0
        else { continue }
        (start, end, sum) = (min(start, offset), max(end, offset + size), sum + size)
      }
    }
    // Do not fetch a range with large gaps between blocks.
    guard start < end, end - start <= sum + sum / 4, sum <= 2 * Self.largestTile else {
      return 0..<0
    }
    return start..<end
  }

  private static func number(
    _ name: String, _ column: Int, _ row: Int, _ band: UnsafeMutableRawPointer
  ) -> Int? {
    guard let text = item("\(name)_\(column)_\(row)", "TIFF", of: band), let number = Int(text),
      number >= 0, number < Int.max / 4
    else { return nil }
    return number
  }
}
