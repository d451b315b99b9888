import PlumbCore

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

extension LocatedPoints {
  /// In every column, sets the status of the part's points that are not in a cell.
  func mark(_ range: Range<Int>, _ answers: [RasterAnswer], _ workers: Workers) {
    guard let reasons else { return }
    let ok = SampleStatus.ok.rawValue
    workers.runRanges(range.count, grain: PointLocator.grain) { _, part in
      for answer in answers {
        for column in answer.columns {
          let (status, reasons) = (column.status.base + range.lowerBound, reasons.base)
          for i in part where reasons[i] != ok { status[i] = reasons[i] }
        }
      }
    }
  }
}
