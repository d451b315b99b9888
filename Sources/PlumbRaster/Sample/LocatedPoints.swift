import PlumbCore
import Synchronization

/// The points of a part on one grid. Each point has either its tile or the reason why it is not in
/// a tile.
struct LocatedPoints {
  /// The points by tile. The indices of the entries are the indices of the part's points in the
  /// batch.
  let plan: LocationPlan
  /// The number of the tile that has key 0 in the plan.
  let firstTile: Int
  /// For each point of the part, `ok` or the reason why it is not in a cell; nil if all points are
  /// in cells.
  let reasons: TrivialBuffer<UInt8>?
  /// The points' positions relative to the cells' centres; nil unless the points are interpolated.
  var taps: TapPoints?
}

extension RasterSampler {
  /// Finds the tiles of a part's points on the grid of a request's single file.
  ///
  /// - Parameter tiles: the tiles to include; points in other tiles are omitted from the plan.
  func locate(
    _ index: Int, _ points: PointCoordinates, _ range: Range<Int>, tiles: Range<Int>? = nil
  ) -> LocatedPoints {
    let raster = requests[index].raster
    let source = raster.members[0]
    guard resampling == .nearest else {
      return locateTaps(source, id: raster.firstSourceID, points, range, tiles: tiles)
    }
    let grid = source.profile.grid
    let tiles = tiles ?? 0..<grid.tileCount
    let keys = TrivialBuffer<UInt64>(count: range.count)
    let offsets = TrivialBuffer<UInt32>(count: range.count)
    let reasons = TrivialBuffer<UInt8>(count: range.count)
    let isSomeOff = Atomic<Bool>(false)
    let splitter = TileSplitter(grid)
    forEachBlock(source, raster.firstSourceID, points, range) { _, first, count, block in
      var isOff = false
      for i in 0..<count {
        let slot = first + i - range.lowerBound
        if block.columns[i] >= 0, isOK(points, first + i) {
          let (tile, offset) = splitter.split(column: block.columns[i], row: block.rows[i])
          let number = Int(tile)
          let isRequested = number >= tiles.lowerBound && number < tiles.upperBound
          keys.base[slot] =
            isRequested
            ? UInt64(truncatingIfNeeded: number - tiles.lowerBound) : LocationPlan.noKey
          offsets.base[slot] = offset
          reasons.base[slot] = SampleStatus.ok.rawValue
        } else {
          keys.base[slot] = LocationPlan.noKey
          reasons.base[slot] = reason(first + i, points, column: block.columns[i])
          isOff = true
        }
      }
      if isOff { isSomeOff.store(true, ordering: .relaxed) }
    }
    return LocatedPoints(
      plan: LocationPlan(
        keys: keys, offsets: offsets, count: range.count, keyLimit: tiles.count,
        firstIndex: range.lowerBound, workers: workers),
      firstTile: tiles.lowerBound,
      reasons: isSomeOff.load(ordering: .relaxed) ? reasons : nil)
  }

  /// In every column, sets the status of the part's points that are not in a cell.
  func mark(_ located: LocatedPoints, _ range: Range<Int>, _ answers: [RasterAnswer]) {
    guard let reasons = located.reasons else { return }
    let ok = SampleStatus.ok.rawValue
    workers.runRanges(range.count, grain: Self.grain) { _, part in
      for answer in answers {
        for column in answer.columns {
          let (status, reasons) = (column.status.base + range.lowerBound, reasons.base)
          for i in part where reasons[i] != ok { status[i] = reasons[i] }
        }
      }
    }
  }
}
