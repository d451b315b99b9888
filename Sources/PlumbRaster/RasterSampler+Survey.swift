import PlumbCore

extension RasterSampler {
  /// Tiles that points touch, gathered batch by batch before anything is decoded.
  public struct Survey {
    /// For each request the tiles, by member and number; those of the first file asked in a
    /// mosaic.
    fileprivate var tiles: [Set<UInt64>]

    /// Tiles touched in one request, and the bytes they decode to in the asked bands.
    public func cost(of request: Request, at index: Int) -> (tiles: Int, bytes: Int) {
      var total = (tiles: 0, bytes: 0)
      for key in tiles[index] {
        let profile = request.raster.members[Int(key >> 32)].profile
        var planes = Set(request.bands.map { profile.plane(band: $0) })
        for band in request.bands {
          switch profile.bands[band].validity {
          case .all, .noData: break
          case .alpha(let alpha): planes.insert(profile.plane(band: alpha))
          case .mask: planes.insert(profile.maskPlane(band: band))
          }
        }
        total.tiles += planes.count
        total.bytes += planes.reduce(0) { $0 + profile.tileByteCount(plane: $1) }
      }
      return total
    }
  }

  /// A survey without points so far.
  public func makeSurvey() -> Survey { Survey(tiles: requests.map { _ in [] }) }

  /// Adds the tiles of a batch to a survey.
  public func survey(_ coordinates: [PointCoordinates], into survey: inout Survey) {
    batchLock.withLock { _ in add(coordinates, to: &survey) }
  }

  private func add(_ coordinates: [PointCoordinates], to survey: inout Survey) {
    let count = coordinates.first?.count ?? 0
    let block = CellBlock()
    for (index, request) in requests.enumerated() {
      let raster = request.raster
      let points = referenceIndices[index].map { coordinates[$0] }
      if let mosaic = mosaicIndices[index] {
        for point in 0..<count {
          if case .cell(let member, let tile, _) = nextCell(
            of: raster, mosaic, points, point: point, after: -1, worker: 0, block)
          {
            survey.tiles[index].insert(UInt64(member) << 32 | UInt64(tile))
          }
        }
        continue
      }
      let source = raster.members[0]
      let splitter = TileSplitter(source.profile.grid)
      forEachBlock(source, raster.firstSourceID, points[0], 0..<count, of: 0) {
        first, count, block in
        for i in 0..<count where block.columns[i] >= 0 && isOK(points[0], first + i) {
          let tile = splitter.split(column: block.columns[i], row: block.rows[i]).tile
          survey.tiles[index].insert(UInt64(tile))
        }
      }
    }
  }
}
