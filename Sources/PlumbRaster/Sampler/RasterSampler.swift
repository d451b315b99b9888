import PlumbCore
import Synchronization

/// Reads the values of rasters at batches of points, on all workers. Each tile is read once per
/// batch.
///
/// Several threads may use a sampler. Their batches are read one after another, each on all
/// workers.
public final class RasterSampler: Sendable {
  /// A raster and the bands to read.
  public typealias Request = SampleRequest

  /// The requests, in the order of the answers.
  public let requests: [Request]
  /// The resampling method.
  public let resampling: Resampling
  /// The threads that locate points and read tiles.
  public var workers: Workers { reading.workers }
  /// The cache of decoded tiles.
  public var cache: TileCache { reading.cache }
  /// The distinct CRSs of all rasters; `sample` requires coordinates in each of them.
  public var references: [String?] { knownReferences ?? requests[0].raster.references }
  /// The number of `references`.
  public let referenceCount: Int
  /// The distinct CRSs; nil for one single-file raster, whose CRS is determined only if needed.
  private let knownReferences: [String?]?
  /// For each raster, the indices of its CRSs in `references`.
  package let referenceIndices: [[Int]]
  /// A lock that is held while a batch is read, because the readers can be used for only one batch
  /// at a time. The lock guards the groups of requests that can share one location plan. The groups
  /// are nil until they are needed.
  private let batchLock = Mutex<[[Int]]?>(nil)
  private let reading: TileReading
  /// The total size in bytes of all tiles of all rasters.
  package let tileBytes: Double
  let mosaicIndices: [MosaicIndex?]

  /// The default limit of points that are located and read together.
  static let partLimit = 1 << 21

  /// Prepares rasters to be sampled together.
  ///
  /// - Throws: if a raster lacks a requested band, if a complex band would be interpolated, if
  ///   points cannot be mapped to a raster's cells, or if its cells cannot be interpolated.
  public init(
    _ requests: [Request], resampling: Resampling = .nearest, cache: TileCache = TileCache(),
    workers: Workers = Workers()
  ) throws(RasterError) {
    var references: [String?] = []
    var known: [String?: Int] = [:]
    var referenceIndices: [[Int]] = []
    for request in requests {
      try Self.check(request.raster, resampling)
      for band in request.bands where !request.raster.bands.indices.contains(band) {
        throw RasterError(
          "\(request.raster.name) has no band \(band + 1); it has 1 to "
            + "\(request.raster.bands.count)")
      }
      if resampling != .nearest,
        let band = request.bands.first(where: { request.raster.bands[$0].pixelType.isComplex })
      {
        throw RasterError(
          "band \(band + 1) of \(request.raster.name) is complex and cannot be interpolated; "
            + "use nearest")
      }
      if requests.count == 1, !request.raster.isMosaic {
        referenceIndices = [[0]]
        continue
      }
      referenceIndices.append(
        request.raster.references.map { reference in
          if let index = known[reference] { return index }
          known[reference] = references.count
          references.append(reference)
          return references.count - 1
        })
    }
    self.requests = requests
    self.resampling = resampling
    reading = TileReading(cache: cache, workers: workers)
    let isSingle = requests.count == 1 && !requests[0].raster.isMosaic
    knownReferences = isSingle ? nil : references
    referenceCount = isSingle ? 1 : references.count
    self.referenceIndices = referenceIndices
    mosaicIndices = requests.map { $0.raster.isMosaic ? MosaicIndex($0.raster) : nil }
    tileBytes = requests.tileBytes
  }

  /// - Throws: if points cannot be mapped to a raster's cells, or if the cells cannot be
  ///   interpolated.
  private static func check(_ raster: Raster, _ resampling: Resampling) throws(RasterError) {
    try raster.checkGeoreference()
    guard resampling == .cubic else { return }
    for case .axes in raster.members.lazy.map(\.profile.mapping) {
      throw RasterError(
        "\(raster.name): its cells differ in size, which cubic interpolation does not "
          + "support; use nearest or bilinear")
    }
  }

  /// Whether all tiles of all rasters fit into the cache together.
  package var keepsAllTiles: Bool { tileBytes <= cache.available }

  /// Returns the failures since the last call, and clears them.
  public func drainFailures() -> ReadFailures { reading.drainFailures() }

  /// Reads all requests at a batch of points.
  ///
  /// - Parameters:
  ///   - coordinates: the same points in each of `references`, in the order of `references`.
  ///   - keepsProvenance: whether to record the file and the cell of each value.
  ///   - keepsTiles: false if no later batch uses the same tiles; this saves memory.
  /// - Returns: an answer for each request, in order, with rows in the order of the points.
  /// - Complexity: O(points + tiles touched). The memory contains the answers, about two million
  ///   located points and as many tiles as the cache may contain. Each tile with points is decoded
  ///   once. The exception is a mosaic whose tiles do not fit into the cache: its tiles are decoded
  ///   once per two million points.
  public func sample(
    _ coordinates: [PointCoordinates], keepsProvenance: Bool = false, keepsTiles: Bool = true
  ) -> [RasterAnswer] {
    sample(
      coordinates, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles,
      shouldContinue: { true })
  }

  /// Reads all requests at a batch of points, with a callback that can stop the work.
  ///
  /// - Parameters:
  ///   - partLimit: the maximum number of points that are located and read together.
  ///   - shouldContinue: called before each part. If it returns false, reading stops and the
  ///     remaining answers are undefined.
  package func sample(
    _ coordinates: [PointCoordinates], keepsProvenance: Bool, keepsTiles: Bool,
    partLimit: Int? = nil, shouldContinue: () -> Bool
  ) -> [RasterAnswer] {
    let count = coordinates.first?.count ?? 0
    let answers = requests.indices.map {
      makeAnswer(of: $0, count: count, keepsProvenance: keepsProvenance)
    }
    sample(
      coordinates, into: answers, keepsTiles: keepsTiles, partLimit: partLimit,
      shouldContinue: shouldContinue)
    return answers
  }

  /// Reads all requests at a batch of points into existing answers, which `makeAnswer` creates.
  package func sample(
    _ coordinates: [PointCoordinates], into answers: [RasterAnswer], keepsTiles: Bool,
    partLimit: Int? = nil, shouldContinue: () -> Bool
  ) {
    precondition(coordinates.count == referenceCount, "coordinates for each reference")
    let count = coordinates.first?.count ?? 0
    precondition(count < Int(UInt32.max), "at most 2^32 - 2 points at once")
    withoutActuallyEscaping(shouldContinue) { shouldContinue in
      let parts = MemoryParts(
        coordinates: coordinates, answers: answers, limit: partLimit ?? Self.partLimit,
        shouldContinue: shouldContinue)
      for group in groups { sample(group, parts, keepsTiles: keepsTiles) }
    }
  }

  /// Reads the requests of one of `groups` at points that are divided into parts. If the answers of
  /// one part fit into memory, each tile is decoded once, regardless of the capacity of the cache.
  ///
  /// - Parameter keepsTiles: false if no later batch uses the same tiles.
  package func sample<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    try batchLock.withLock { (_) throws(Parts.Failure) in
      defer {
        if WorkCancellation.isCurrentCancelled {
          reading.closeAll()
        }
      }
      if let values = requests[group[0]].pointValues {
        for number in 0..<parts.partCount {
          try parts.withPart(
            number, references: referenceIndices[group[0]], requests: group, isFirst: true
          ) { part in
            PointValueSampling(reading: reading, resampling: resampling).sample(
              values, requests[group[0]], part)
          }
        }
      } else if requests[group[0]].raster.isMosaic {
        try sampleMosaic(group[0], parts, keepsTiles: keepsTiles)
      } else {
        let sampling = SweepSampling(
          file: FileSampling(reading: reading, requests: requests, resampling: resampling),
          referenceIndices: referenceIndices)
        if parts.partCount == 1 {
          try sampling.sampleAtOnce(group, parts, keepsTiles: keepsTiles)
        } else if keepsAllTiles {
          try sampling.sampleCached(group, parts, cache)
        } else if group.map({ requests[$0] }).tileBytes <= cache.available {
          let temporaryCache = TileCache(capacity: TileCache.unbounded)
          try sampling.sampleCached(group, parts, temporaryCache)
          cache.count(temporaryCache.statistics)
        } else {
          try sampling.sampleInSweeps(group, parts)
        }
      }
    }
  }

  private func sampleMosaic<Parts: SampleParts>(
    _ index: Int, _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    guard let mosaic = mosaicIndices[index] else { return }
    let (request, references) = (requests[index], referenceIndices[index])
    let sampling = MosaicSampling(reading: reading, resampling: resampling)
    if parts.partCount > 1, !keepsAllTiles {
      return try MosaicShareSampling(
        sampling: sampling, request: request, index: index, mosaic: mosaic, references: references
      ).sample(parts)
    }
    let store = TileStore(
      cache: cache, keepsTiles: keepsTiles || parts.partCount > 1 || resampling != .nearest)
    for number in 0..<parts.partCount {
      try parts.withPart(number, references: references, requests: [index], isFirst: true) { part in
        sampling.sample(MosaicSearch(request, mosaic, part.points), part, store)
      }
    }
  }

  /// The number of times that `sample` calls `shouldContinue` for the given number of points.
  package func partCount(of count: Int) -> Int {
    groups.count * ((count + Self.partLimit - 1) / Self.partLimit)
  }

  /// Creates an answer for a request with capacity for the given number of points.
  package func makeAnswer(
    of index: Int, count: Int, keepsProvenance: Bool
  ) -> RasterAnswer {
    makeAnswer(of: index, count: count, keepsProvenance: keepsProvenance) { _, type in
      ValueColumn(pixelType: type, count: count)
    }
  }

  /// Creates an answer with columns that the caller provides.
  ///
  /// - Parameter column: a function that returns a column with capacity for `count` points. Its
  ///   arguments are the position of the band in the request and the type of the values.
  package func makeAnswer(
    of index: Int, count: Int, keepsProvenance: Bool,
    column: (_ position: Int, _ type: PixelType) -> ValueColumn
  ) -> RasterAnswer {
    let request = requests[index]
    return RasterAnswer(
      columns: request.bands.enumerated().map { position, band in
        column(
          position,
          resampling == .nearest ? request.raster.bands[band].pixelType : .float64)
      },
      provenance: keepsProvenance
        ? RasterAnswer.Provenance(
          member: TrivialBuffer(count: count), column: TrivialBuffer(count: count),
          row: TrivialBuffer(count: count)) : nil,
      bands: request.bands, alphaBands: request.raster.alphaBands)
  }

  /// The requests, in groups whose points are located together. Each group is sampled separately.
  /// All requests of a group need points in the same CRSs.
  package var groups: [[Int]] {
    batchLock.withLock { known in
      let groups = known ?? congruentGroups()
      known = groups
      return groups
    }
  }

  /// The distinct grids of the rasters in one of `references`, if values depend only on the cell
  /// that contains a point; nil if values depend on the point's exact coordinates, or if there are
  /// too many grids.
  public func grids(ofReference reference: Int) -> [GridTransform]? {
    guard resampling == .nearest else { return nil }
    var grids: [GridTransform] = []
    for (request, indices) in zip(requests, referenceIndices) {
      for (member, memberReference) in zip(request.raster.members, request.raster.memberReferences)
      where indices[memberReference] == reference {
        guard case .affine(let transform) = member.profile.mapping else { return nil }
        if !grids.contains(transform) { grids.append(transform) }
        if grids.count > 16 { return nil }
      }
    }
    return grids
  }

  /// The requests in groups that can share one location plan. A group contains single files with
  /// the same grid and CRS. Each mosaic is in a separate group.
  func congruentGroups() -> [[Int]] {
    struct GridKey: Hashable {
      var grid: TileGrid
      var mapping: GridMapping
      var reference: [Int]
    }
    var groups: [[Int]] = []
    var known: [GridKey: Int] = [:]
    for (index, request) in requests.enumerated() {
      let profile = request.raster.members[0].profile
      let key = GridKey(
        grid: profile.grid, mapping: profile.mapping, reference: referenceIndices[index])
      if request.raster.isMosaic || profile.mapping == .source || request.pointValues != nil {
        groups.append([index])
      } else if let group = known[key] {
        groups[group].append(index)
      } else {
        known[key] = groups.count
        groups.append([index])
      }
    }
    return groups
  }

  /// Creates an empty survey.
  public func makeSurvey() -> Survey { Survey(of: requests) }

  /// Adds the tiles of a batch to a survey.
  public func survey(_ coordinates: [PointCoordinates], into survey: inout Survey) {
    batchLock.withLock { _ in
      for (index, request) in requests.enumerated() {
        survey.add(
          request, at: index, mosaicIndices[index], referenceIndices[index].map { coordinates[$0] },
          reading)
      }
    }
  }

  /// Starts to fetch the tiles that a request needs at some points, for a later call of `sample`.
  ///
  /// - Parameters:
  ///   - request: the index of a request.
  ///   - points: the points in each of `referenceIndices[request]`.
  /// - Returns: the fetches, which end when they are released; none for local rasters.
  package func prefetch(_ request: Int, _ points: [PointCoordinates]) -> [TileFetch] {
    reading.prefetch(requests[request], points)
  }
}

extension [RasterSampler.Request] {
  /// The total size in bytes of all tiles of the requests.
  fileprivate var tileBytes: Double {
    var bytes = 0.0
    var last: Raster?
    for request in self {
      // Consecutive requests for bands that are stored together need the same tiles.
      let isSame = last === request.raster
      last = request.raster
      for member in request.raster.members {
        let profile = member.profile
        if isSame, profile.isInterleaved { continue }
        bytes += Double(profile.grid.tileCount) * profile.tileBytes(of: request.bands)
      }
    }
    return bytes
  }
}
