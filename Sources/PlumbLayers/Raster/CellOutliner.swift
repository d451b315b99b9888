import PlumbCore
import PlumbGeometry
import PlumbRaster

/// The corners of a cell in the CRS of the requested point. On a north-up grid, the corners are
/// counter-clockwise from the lower left corner.
package struct CellOutline: Sendable {
  package var x: SIMD4<Double>
  package var y: SIMD4<Double>
}

/// Computes the outlines of rasters' cells. Must be used by one thread at a time.
package final class CellOutliner {
  /// The properties of a raster's file that determine its cells' outlines.
  private struct File {
    /// The placement of the file's grid; nil if the file's reader computes the positions of cells.
    var placement: GridPlacement?
    /// Whether the orientation of rows and columns is the opposite of a north-up grid's.
    var isMirrored = false
    /// Whether cells have no outlines because points are columns and rows.
    var isInCells = false
    /// The index of the file's CRS among the rasters' CRSs.
    var reference: Int?
  }

  private let identifier: RasterIdentifier
  /// The files of each raster.
  private let files: [[File]]
  /// The transformations from each of the rasters' CRSs to the points' CRS; nil for a CRS that needs no
  /// transformation.
  private let returns: [Transformation?]
  private let period: Double?
  /// The reader of the most recently used file.
  private var reader: (path: String, any TileReader)?

  package init(_ identifier: RasterIdentifier) throws {
    self.identifier = identifier
    returns = try identifier.rasterReferences.map { target in
      guard let source = identifier.reference, let target, target.isGeoreferenced,
        !source.isEquivalent(to: target)
      else { return nil }
      return try Transformation(from: target, to: source)
    }
    period = identifier.reference?.period
    let references = identifier.sampler.references
    files = identifier.sampler.requests.map { request in
      let indices = request.raster.references.map { references.firstIndex(of: $0) }
      return zip(request.raster.members, request.raster.memberReferences).map {
        source, memberReference in
        var file = File(
          placement: source.profile.mapping.placement, isInCells: request.raster.isInCells,
          reference: indices[memberReference])
        if let corners = file.placement?.corners(column: 0, row: 0) {
          let (x, y) = (corners.x, corners.y)
          file.isMirrored = (x[1] - x[0]) * (y[3] - y[0]) - (x[3] - x[0]) * (y[1] - y[0]) > 0
        }
        return file
      }
    }
  }

  /// Returns the outline of a cell; nil if the outline cannot be computed or transformed, or if
  /// points are columns and rows.
  ///
  /// - Parameters:
  ///   - request: the raster's index among the requests.
  ///   - member: the index of the file in the raster.
  ///   - point: the x of the point. An outline in degrees is shifted by whole periods to contain
  ///     the point.
  package func outline(
    _ request: Int, member: Int, column: Int, row: Int, x point: Double?
  ) -> CellOutline? {
    guard !files[request][member].isInCells else { return nil }
    let (left, top) = (Double(column), Double(row))
    var outline = CellOutline(
      x: SIMD4(left, left + 1, left + 1, left), y: SIMD4(top + 1, top + 1, top, top))
    if let placement = files[request][member].placement {
      let corners = placement.corners(column: column, row: row)
      let isMirrored = files[request][member].isMirrored
      for corner in 0..<4 {
        let number = isMirrored ? corner : 3 - corner
        (outline.x[corner], outline.y[corner]) = (corners.x[number], corners.y[number])
      }
    } else {
      guard readCorners(request, member, &outline) else { return nil }
    }
    if let reference = files[request][member].reference, let transformation = returns[reference] {
      unsafe outline.withPointers { unsafe transformation.apply(x: $0, y: $1, count: 4) }
    }
    let sum = outline.x.sum() + outline.y.sum()
    guard sum.isFinite || outline.isFinite else { return nil }
    let (low, high) = (outline.x.min(), outline.x.max())
    if let point, point < low || point > high, let period {
      outline.x += ((point - (low + high) / 2) / period).rounded() * period
    }
    return outline
  }

  private func readCorners(_ request: Int, _ member: Int, _ outline: inout CellOutline) -> Bool {
    let source = identifier.sampler.requests[request].raster.members[member]
    do throws(RasterError) {
      if reader?.path != source.path { reader = (source.path, try source.makeReader()) }
      guard let reader = reader?.1 else { return false }
      try unsafe outline.withPointers { (x, y) throws(RasterError) in
        try unsafe reader.mapFromGrid(x: x, y: y, count: 4)
      }
      return true
    } catch {
      return false
    }
  }
}

extension CellOutline {
  fileprivate var isFinite: Bool {
    (0..<4).allSatisfy { x[$0].isFinite && y[$0].isFinite }
  }

  @unsafe
  fileprivate mutating func withPointers<Failure: Error>(
    _ body: (UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>) throws(Failure) -> Void
  ) throws(Failure) {
    var (x, y) = (x, y)
    try unsafe withUnsafeMutablePointer(to: &x) { (x) throws(Failure) in
      try unsafe withUnsafeMutablePointer(to: &y) { (y) throws(Failure) in
        try unsafe body(
          UnsafeMutableRawPointer(x).assumingMemoryBound(to: Double.self),
          UnsafeMutableRawPointer(y).assumingMemoryBound(to: Double.self))
      }
    }
    (self.x, self.y) = (x, y)
  }
}
