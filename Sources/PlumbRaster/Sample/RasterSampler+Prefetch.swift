import PlumbCore

extension RasterSampler {
  /// Starts to fetch the tiles that a request needs at some points, for a later call of `sample`.
  ///
  /// - Parameters:
  ///   - request: the index of a request.
  ///   - points: the points in each of `referenceIndices[request]`.
  /// - Returns: the fetches, which end when they are released; none for local rasters.
  package func prefetch(_ request: Int, _ points: [PointCoordinates]) -> [TileFetch] {
    let (raster, bands) = (requests[request].raster, requests[request].bands)
    guard let count = points.first?.count, raster.members.contains(where: \.isRemote) else {
      return []
    }
    let store = TileStore(cache: cache, keepsTiles: true)
    // In a mosaic, the first file at a point usually has the value.
    var isFound = [Bool](repeating: false, count: count)
    return raster.members.indices.compactMap { index in
      let member = raster.members[index]
      guard member.isRemote, let placement = member.profile.mapping.placement else { return nil }
      let coordinates = points[raster.isMosaic ? raster.memberReferences[index] : 0]
      let grid = member.profile.grid
      var tiles: Set<Int> = []
      for point in 0..<count where !isFound[point] && isOK(coordinates, point) {
        let (column, row) = placement.gridPosition(x: coordinates.x[point], y: coordinates.y[point])
        guard column >= 0, row >= 0, column < Double(grid.width), row < Double(grid.height) else {
          continue
        }
        isFound[point] = true
        tiles.insert(
          Int(row) / grid.tileHeight * grid.tilesAcross + Int(column) / grid.tileWidth)
      }
      guard !tiles.isEmpty else { return nil }
      return fetch(
        member, id: raster.firstSourceID + UInt32(index), bands: bands, tiles: tiles.sorted(),
        store)
    }
  }
}
