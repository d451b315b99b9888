import PlumbCore
import PlumbLayers
import PlumbRaster

/// Samples stores whose tiles contain all dates of their cells, if the results of all dates do not fit into memory.
///
/// The points of a part are read in the order of their tiles, in groups whose results fit into memory. Each tile is
/// therefore decoded once for a part, and no tile has to be kept. The results are then restored to the order of rows.
struct StoreSeries {
  let identifier: RasterIdentifier
  let points: PointSpool
  let workers: Workers
  /// The maximum size in bytes of the results in memory.
  let limit: Int

  /// Samples the requests of a group, which are dates of stores with the same grid.
  ///
  /// - Parameter store: receives the results.
  func sample(_ group: [Int], into store: AnswerStore) throws {
    let rowBytes = group.reduce(0) { $0 + store.rowBytes(of: $1) }
    let size = max(64, limit / 2 / rowBytes)
    for number in 0..<points.partCount {
      let part = try points.part(number)
      let projected = identifier.sampler.referenceIndices[group[0]].map {
        identifier.columns(of: part, inReference: $0)
      }
      let order = order(of: projected[0]?.coordinates ?? part, on: group[0])
      let groups = stride(from: 0, to: part.count, by: size).map {
        $0..<min(part.count, $0 + size)
      }
      let sorted = AnswerStore(
        identifier.sampler, rows: groups, keepsProvenance: store.keepsProvenance, limit: limit / 4)
      for (index, range) in groups.enumerated() {
        try WorkCancellation.checkCurrent()
        let chosen = projected.map { ($0?.coordinates ?? part).columns(at: order[range]) }
        let answers = group.map { sorted.makeAnswer(of: $0, count: range.count) }
        identifier.sampler.sample(
          group, PointsInMemory(points: chosen, answers: answers), keepsTiles: false)
        for (request, answer) in zip(group, answers) {
          try sorted.keep(answer, of: request, part: index)
        }
      }
      try WorkCancellation.checkCurrent()
      let requestBytes = max(1, rowBytes / group.count * part.count)
      try store.keep(
        group, of: number, from: sorted, order, atOnce: max(1, limit / 4 / requestBytes),
        workers: workers)
    }
  }

  /// The indices of points in the order of their tiles.
  private func order(of points: PointCoordinates, on request: Int) -> [UInt32] {
    let raster = identifier.sampler.requests[request].raster
    var order = (0..<points.count).map { UInt32($0) }
    guard let tiles = raster.nearestTiles(of: points) else { return order }
    let tileCount = raster.members[0].profile.grid.tileCount
    guard tileCount <= max(1 << 16, 4 * points.count) else {
      order.sort { (tiles[Int($0)], $0) < (tiles[Int($1)], $1) }
      return order
    }
    // A counting sort.
    var starts = [Int](repeating: 0, count: tileCount + 1)
    for tile in tiles { starts[tile + 1] += 1 }
    for tile in 0..<tileCount { starts[tile + 1] += starts[tile] }
    for (point, tile) in tiles.enumerated() {
      order[starts[tile]] = UInt32(point)
      starts[tile] += 1
    }
    return order
  }
}

/// Points in memory, and the results of all requests of a group.
private struct PointsInMemory: SampleParts {
  typealias Failure = Never

  /// The points in each CRS that the requests need.
  let points: [PointProjector.Columns]
  let answers: [RasterAnswer]

  var partCount: Int { 1 }

  func shares(of requests: [Int]) -> [[Int]] { [requests] }

  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool, _ body: (SamplePart) -> Void
  ) throws(Never) {
    body(
      SamplePart(
        points: points.map(\.coordinates), range: 0..<(points.first?.x.count ?? 0),
        answers: requests.isEmpty ? [] : answers))
  }
}

extension PointCoordinates {
  /// The points with the given indices.
  func columns(at rows: some Collection<UInt32>) -> PointProjector.Columns {
    let columns = PointProjector.Columns(count: rows.count)
    for (index, row) in rows.enumerated() {
      columns.x.base[index] = x[Int(row)]
      columns.y.base[index] = y[Int(row)]
      columns.status.base[index] = status?[Int(row)] ?? SampleStatus.ok.rawValue
    }
    return columns
  }
}

extension Raster {
  /// The number of the tile of each point, or of the tile nearest to a point outside the raster.
  ///
  /// - Parameter points: the points in the CRS of the raster.
  /// - Returns: nil for a mosaic, and for a raster whose cells are not in columns and rows.
  func nearestTiles(of points: PointCoordinates) -> [Int]? {
    guard members.count == 1, let placement = members[0].profile.mapping.placement else {
      return nil
    }
    let grid = members[0].profile.grid
    func tile(_ position: Double, _ length: Int, _ count: Int) -> Int {
      position > 0 ? Int(min(position / Double(length), Double(count - 1))) : 0
    }
    return (0..<points.count).map { index in
      let (column, row) = placement.gridPosition(x: points.x[index], y: points.y[index])
      return tile(row, grid.tileHeight, grid.tilesDown) * grid.tilesAcross
        + tile(column, grid.tileWidth, grid.tilesAcross)
    }
  }
}
