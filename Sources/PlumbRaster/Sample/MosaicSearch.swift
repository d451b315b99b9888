import PlumbCore

/// A mosaic and the points of a batch in each of its CRSs, used to find the files that contain a
/// point.
struct MosaicSearch: Sendable {
  /// The result of the search for the next file of a point.
  enum NextCell {
    case cell(member: Int32, tile: UInt32, offset: UInt32)
    /// A member may contain the point, but its ground control points or rational polynomials cannot
    /// be evaluated.
    case unmapped
    case nowhere
  }

  let request: SampleRequest
  let index: MosaicIndex
  /// The points in each of the raster's CRSs.
  let points: [PointCoordinates]
  var members: MosaicMembers { index.members }

  init(
    _ request: SampleRequest, _ index: MosaicIndex, _ points: [PointCoordinates]
  ) {
    self.request = request
    self.index = index
    self.points = points
  }

  func visit(_ member: Int32, column: Int32, row: Int32) -> NextCell {
    let (tile, offset) = members.split(member, column: column, row: row)
    return .cell(member: member, tile: tile, offset: offset)
  }

  func tile(of visit: MosaicVisit) -> MosaicTile {
    MosaicTile(level: Int(index.levels.levels[Int(visit.member)]), key: Int(visit.key))
  }
}
