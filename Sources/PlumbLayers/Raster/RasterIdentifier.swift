import PlumbCore
import PlumbGeometry
import PlumbRaster
import Synchronization

/// Reads the values of rasters at points in any CRS.
///
/// Several threads may use an identifier; their batches are read sequentially, each on all workers.
public final class RasterIdentifier: Sendable {
  /// The CRS of the points; nil if the points are in the rasters' own coordinates.
  public var reference: SpatialReference? {
    usesRasterReference ? rasterReferences.first ?? nil : namedReference
  }
  /// The sampler of the rasters.
  public let sampler: RasterSampler
  /// The rasters' distinct CRSs, in the order of `RasterSampler.references`. An element is nil if
  /// the CRS is unknown, or if PROJ does not support the CRS and no point has to be transformed.
  public var rasterReferences: [SpatialReference?] {
    knownReferences.withLock { known in
      let references =
        known
        ?? sampler.references.map { text in text.flatMap { text in try? SpatialReference(text) } }
      known = references
      return references
    }
  }
  private let namedReference: SpatialReference?
  /// The value of `rasterReferences`; nil until first use.
  private let knownReferences: Mutex<[SpatialReference?]?>
  /// Whether points are in the rasters' only CRS because no other CRS was given.
  package let usesRasterReference: Bool
  private let projector: PointProjector

  /// - Parameters:
  ///   - requests: the rasters, and the bands to read of each.
  ///   - reference: the CRS of the points; nil for the rasters' common CRS.
  ///   - resampling: the method of computing values from cells.
  ///   - cache: the cache of decoded tiles.
  ///   - workers: the threads that share the work.
  /// - Throws: if PROJ does not support a CRS, or no CRS is given and the rasters' CRSs differ.
  public init(
    _ requests: [RasterSampler.Request], reference: SpatialReference? = nil,
    resampling: Resampling = .nearest, cache: TileCache = TileCache(),
    workers: Workers = Workers()
  ) throws {
    sampler = try RasterSampler(
      requests, resampling: resampling, cache: cache, workers: workers)
    if reference == nil, sampler.referenceCount == 1 {
      // The CRS is looked up only on demand, because no point has to be transformed.
      usesRasterReference = true
      namedReference = nil
      knownReferences = Mutex(nil)
      projector = try PointProjector(from: nil, to: [nil], workers: workers)
      return
    }
    usesRasterReference = false
    let targets = try sampler.references.map { text in
      try text.map { try SpatialReference($0) }
    }
    let source = try reference ?? Self.common(targets)
    projector = try PointProjector(
      from: source, to: targets,
      grids: targets.indices.map { [sampler] in sampler.grids(ofReference: $0) }, workers: workers)
    namedReference = source
    knownReferences = Mutex(targets)
  }

  /// Creates an identifier of all bands of some rasters.
  public convenience init(_ rasters: [Raster], reference: SpatialReference? = nil) throws {
    try self.init(rasters.map { RasterSampler.Request($0) }, reference: reference)
  }

  private static func common(
    _ references: [SpatialReference?]
  ) throws(LayerError) -> SpatialReference? {
    let known = references.compactMap { $0 }
    guard let first = known.first else { return nil }
    if let other = known.first(where: { !$0.isEquivalent(to: first) }) {
      throw LayerError(
        code: .badPoint,
        messageTemplate: "the rasters have different CRSs (\(first.label), \(other.label)): "
          + "set the CRS of the points with \(.crs)")
    }
    return first
  }

  /// Calls `body` with the points in each of the rasters' CRSs.
  package func project<Result>(
    _ points: PointCoordinates, _ body: ([PointCoordinates]) throws -> Result
  ) rethrows -> Result {
    try projector.project(points, body)
  }

  /// Returns the points in the raster CRS with the given index; nil if the rasters use the
  /// coordinates of the points.
  package func columns(
    of points: PointCoordinates, inReference reference: Int
  ) -> PointProjector.Columns? {
    projector.columns(of: points, in: reference)
  }

  /// Reads all rasters at a batch of points.
  ///
  /// - Parameters:
  ///   - points: the points in `reference`; x is the easting or longitude.
  ///   - keepsProvenance: whether to record the file and cell of each answer.
  ///   - keepsTiles: false if no following batch uses the same tiles, to save memory.
  /// - Returns: an answer for each raster, with rows in the order of the points.
  public func sample(
    _ points: PointCoordinates, keepsProvenance: Bool = false, keepsTiles: Bool = true
  ) -> [RasterAnswer] {
    sample(
      points, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles, shouldContinue: { true })
  }

  private func sample(
    _ points: PointCoordinates, keepsProvenance: Bool, keepsTiles: Bool, shouldContinue: () -> Bool
  ) -> [RasterAnswer] {
    projector.project(points) { coordinates in
      sampler.sample(
        coordinates, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles,
        shouldContinue: shouldContinue)
    }
  }

  /// Reads all rasters at a batch of points into answers created by `RasterSampler.makeAnswer`, one for each
  /// raster. The content of the answers is undefined if the calling thread's work was cancelled.
  ///
  /// - Parameters:
  ///   - keepsTiles: false if no following batch uses the same tiles, to save memory.
  ///   - shouldContinue: called before each part of about two million points; false ends the work.
  package func sample(
    _ points: PointCoordinates, into answers: [RasterAnswer], keepsTiles: Bool,
    shouldContinue: () -> Bool
  ) {
    projector.project(points) { coordinates in
      if shouldContinue() {
        sampler.sample(
          coordinates, into: answers, keepsTiles: keepsTiles, shouldContinue: shouldContinue)
      }
    }
  }

  /// Reads all rasters at points given as two columns of equal length. The status of points that are not
  /// finite numbers is `badPoint`.
  public func sample(x: [Double], y: [Double], keepsProvenance: Bool = false) -> [RasterAnswer] {
    sample(x, y, keepsProvenance: keepsProvenance, shouldContinue: { true })
  }

  /// Like `sample(x:y:keepsProvenance:)`, but for tasks: the work runs on separate threads, and several tasks
  /// may call the method at the same time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled. The method checks for cancellation
  ///   before each part of about two million points.
  public func identify(
    x: [Double], y: [Double], keepsProvenance: Bool = false
  ) async throws -> [RasterAnswer] {
    try await Workers.inBackground { [self] cancellation in
      let answers = sample(
        x, y, keepsProvenance: keepsProvenance, shouldContinue: { !cancellation.isCancelled })
      try cancellation.check()
      return answers
    }
  }

  private func sample(
    _ x: [Double], _ y: [Double], keepsProvenance: Bool, shouldContinue: () -> Bool
  ) -> [RasterAnswer] {
    precondition(x.count == y.count, "x and y have one number for each point")
    let status = TrivialBuffer<UInt8>(count: x.count)
    for i in x.indices {
      let isFinite = x[i].isFinite && y[i].isFinite
      unsafe status.base[i] = (isFinite ? SampleStatus.ok : .badPoint).rawValue
    }
    return unsafe x.withUnsafeBufferPointer { xs in
      unsafe y.withUnsafeBufferPointer { ys in
        guard let xs = xs.baseAddress, let ys = ys.baseAddress else {
          return unsafe sample(
            PointCoordinates(x: Self.nothing.base, y: Self.nothing.base, count: 0),
            keepsProvenance: keepsProvenance, keepsTiles: true, shouldContinue: shouldContinue)
        }
        return unsafe sample(
          PointCoordinates(x: xs, y: ys, status: status.base, count: x.count),
          keepsProvenance: keepsProvenance, keepsTiles: true, shouldContinue: shouldContinue)
      }
    }
  }

  /// Creates a probe that reads single points in the raster's CRS and shares this identifier's
  /// cache.
  public func makeProbe(raster: Int, band: Int) throws -> CellProbe {
    try CellProbe(sampler.requests[raster].raster, band: band, cache: sampler.cache)
  }

  private static let nothing = TrivialBuffer<Double>(count: 1, zeroed: true)
}
