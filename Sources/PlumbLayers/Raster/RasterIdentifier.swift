import PlumbCore
import PlumbGeometry
import PlumbRaster
import Synchronization

/// Asks rasters what they hold at points, whatever reference the points are in.
///
/// Several threads may use it; batches are then read one after the other, each on all workers.
public final class RasterIdentifier: Sendable {
  /// The reference of the points; nil when they are in the rasters' own coordinates.
  public var reference: SpatialReference? {
    usesOwnReference ? rasterReferences.first ?? nil : namedReference
  }
  /// The rasters that are asked, and how.
  public let sampler: RasterSampler
  /// The rasters' distinct references, as `RasterSampler.references` lists them; nil for none, and
  /// for one that PROJ does not know where no point has to be transformed.
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
  /// Nil until somebody asks.
  private let knownReferences: Mutex<[SpatialReference?]?>
  /// Whether points are in the one raster's own reference because nobody named another.
  package let usesOwnReference: Bool
  private let projector: PointProjector

  /// - Parameters:
  ///   - requests: the rasters, and the bands that are asked of each.
  ///   - reference: nil takes the rasters' common one.
  ///   - resampling: how values are made from cells.
  ///   - cache: where decoded tiles are kept.
  ///   - workers: the threads that share the work.
  /// - Throws: when a reference is unknown, or none is given and the rasters' differ.
  public init(
    _ requests: [RasterSampler.Request], reference: SpatialReference? = nil,
    resampling: Resampling = .nearest, cache: TileCache = TileCache(),
    workers: Workers = Workers()
  ) throws {
    sampler = try RasterSampler(
      requests, resampling: resampling, cache: cache, workers: workers)
    if reference == nil, sampler.referenceCount == 1 {
      // Nothing to transform: what the reference is gets looked up only when somebody asks.
      usesOwnReference = true
      namedReference = nil
      knownReferences = Mutex(nil)
      projector = try PointProjector(from: nil, to: [nil], workers: workers)
      return
    }
    usesOwnReference = false
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

  /// Asks all bands of some rasters.
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
        wording: "the rasters differ in reference (\(first.label), \(other.label)): "
          + "say with \(.crs) which one the points are in")
    }
    return first
  }

  /// Calls `body` with the points in each of the rasters' references.
  package func project<Result>(
    _ points: PointCoordinates, _ body: ([PointCoordinates]) throws -> Result
  ) rethrows -> Result {
    try projector.project(points, body)
  }

  /// The points in one of the rasters' references, by index; nil where their own coordinates are its.
  package func columns(
    of points: PointCoordinates, inReference reference: Int
  ) -> PointProjector.Columns? {
    projector.columns(of: points, in: reference)
  }

  /// Reads all rasters at a batch of points.
  ///
  /// - Parameters:
  ///   - points: x is easting or longitude, in `reference`.
  ///   - keepsProvenance: whether to say which file and cell answered.
  ///   - keepsTiles: false when no batch follows that would use the same tiles: saves the memory.
  /// - Returns: an answer for each raster, its rows in the order of the points.
  public func sample(
    _ points: PointCoordinates, keepsProvenance: Bool = false, keepsTiles: Bool = true
  ) -> [RasterAnswer] {
    sample(points, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles, goesOn: { true })
  }

  private func sample(
    _ points: PointCoordinates, keepsProvenance: Bool, keepsTiles: Bool, goesOn: () -> Bool
  ) -> [RasterAnswer] {
    projector.project(points) { coordinates in
      sampler.sample(
        coordinates, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles, goesOn: goesOn)
    }
  }

  /// Reads all rasters at a batch of points into answers that `RasterSampler.makeAnswer` made, one for
  /// each raster. What they hold is undefined once the calling thread's work was cancelled.
  ///
  /// - Parameters:
  ///   - keepsTiles: false when no batch follows that would use the same tiles: saves the memory.
  ///   - goesOn: asked before each part of some two million points; false ends the work.
  package func sample(
    _ points: PointCoordinates, into answers: [RasterAnswer], keepsTiles: Bool,
    goesOn: () -> Bool
  ) {
    projector.project(points) { coordinates in
      if goesOn() {
        sampler.sample(coordinates, into: answers, keepsTiles: keepsTiles, goesOn: goesOn)
      }
    }
  }

  /// Reads all rasters at points given as two columns of equal length. Points that are not finite
  /// numbers answer `badPoint`.
  public func sample(x: [Double], y: [Double], keepsProvenance: Bool = false) -> [RasterAnswer] {
    sample(x, y, keepsProvenance: keepsProvenance, goesOn: { true })
  }

  /// The same as `sample(x:y:keepsProvenance:)` from a task, on threads of its own; several tasks
  /// may ask at once.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, which is looked for before each part
  ///   of some two million points.
  public func identify(
    x: [Double], y: [Double], keepsProvenance: Bool = false
  ) async throws -> [RasterAnswer] {
    try await Workers.inBackground { [self] cancellation in
      let answers = sample(
        x, y, keepsProvenance: keepsProvenance, goesOn: { !cancellation.isCancelled })
      try cancellation.check()
      return answers
    }
  }

  private func sample(
    _ x: [Double], _ y: [Double], keepsProvenance: Bool, goesOn: () -> Bool
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
            keepsProvenance: keepsProvenance, keepsTiles: true, goesOn: goesOn)
        }
        return unsafe sample(
          PointCoordinates(x: xs, y: ys, status: status.base, count: x.count),
          keepsProvenance: keepsProvenance, keepsTiles: true, goesOn: goesOn)
      }
    }
  }

  /// A probe for one point after another, in the raster's own reference, over this identifier's
  /// cache.
  public func makeProbe(raster: Int, band: Int) throws -> CellProbe {
    try CellProbe(sampler.requests[raster].raster, band: band, cache: sampler.cache)
  }

  private static let nothing = TrivialBuffer<Double>(count: 1, zeroed: true)
}
