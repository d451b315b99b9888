import PlumbCore

extension RasterSampler {
  /// The tiles that contain points, collected batch by batch without decoding.
  public struct Survey {
    /// The tiles of each request, by member and number. For a mosaic, only the tile of the first
    /// file that contains each point is included.
    private var tiles: [Set<UInt64>]

    /// The number of tiles that contain points of one request, and the size of these tiles in bytes
    /// when the requested bands are decoded.
    public func cost(of request: Request, at index: Int) -> (tiles: Int, bytes: Int) {
      var total = (tiles: 0, bytes: 0)
      for key in tiles[index] {
        let profile = request.raster.members[Int(key >> 32)].profile
        let planes = profile.planes(of: request.bands)
        total.tiles += planes.count
        total.bytes += planes.reduce(0) { $0 + profile.tileByteCount(plane: $1) }
      }
      return total
    }

    /// The cost of fetching the surveyed tiles; nil for a raster of local files.
    public func fetchCost(of request: Request, at index: Int) -> FetchCost? {
      guard request.raster.members.contains(where: \.isRemote) else { return nil }
      var lists: [Int: [Int]] = [:]
      for key in tiles[index] {
        lists[Int(key >> 32), default: []].append(Int(key & 0xFFFF_FFFF))
      }
      return lists.reduce(FetchCost()) { sum, list in
        let member = request.raster.members[list.key]
        return sum
          + member.cost(
            of: TileDemand(
              tiles: list.value.sorted(), planes: member.profile.planes(of: request.bands).sorted())
          )
      }
    }

    init(of requests: [Request]) { tiles = requests.map { _ in [] } }

    /// Adds the tiles of a request.
    ///
    /// - Parameter points: the points in each of the request's CRSs.
    mutating func add(
      _ request: Request, at index: Int, _ mosaic: MosaicIndex?, _ points: [PointCoordinates],
      _ reading: TileReading
    ) {
      let raster = request.raster
      let count = points.first?.count ?? 0
      if let mosaic {
        let search = MosaicSearch(request, mosaic, points)
        let sampling = MosaicSampling(reading: reading, resampling: .nearest)
        let block = CellBlock()
        for point in 0..<count {
          if case .cell(let member, let tile, _) = sampling.nextCell(
            search, point, after: -1, worker: 0, block)
          {
            tiles[index].insert(UInt64(member) << 32 | UInt64(tile))
          }
        }
        return
      }
      let source = raster.members[0]
      let splitter = TileSplitter(source.profile.grid)
      PointLocator(reading: reading).forEachBlock(
        source, raster.firstSourceID, points[0], 0..<count, of: 0
      ) { first, count, block in
        for i in 0..<count where block.columns[i] >= 0 && points[0].isOK(first + i) {
          let tile = splitter.split(column: block.columns[i], row: block.rows[i]).tile
          tiles[index].insert(UInt64(tile))
        }
      }
    }
  }
}
