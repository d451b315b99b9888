import Plumb
import PlumbCore
import PlumbIO
import PlumbVerbs
import Synchronization

/// A raster layer of a map as a separate service.
final class ImageService: Sendable {
  let name: String
  let layer: ServiceLayer
  let settings: ServiceSettings
  let cache: TileCache
  private let map: Map
  /// The CRS, cached because reading it is slow.
  private let known = Mutex<SpatialReference?>(nil)
  private let identifiers = RecentValues<Lookup, Prepared>(limit: 8)
  /// Rasters of subsets of the files.
  private let parts = RecentValues<Part, Raster>(limit: 8)

  /// The CRS of points, and the cells to read.
  private struct Lookup: Equatable {
    var reference: SpatialReference
    var choice: ImageChoice
  }

  private struct Prepared {
    let identifier: RasterIdentifier
    /// Warnings about the CRSs, which are kept because their computation takes longer than identifying at a
    /// point.
    let warnings: [String]

    init(_ identifier: RasterIdentifier) {
      self.identifier = identifier
      warnings = identifier.referenceWarnings + identifier.transformationWarnings
    }
  }

  /// The indices of some files of a date.
  private struct Part: Equatable {
    var date: Int?
    var members: [Int]
  }

  init(
    name: String, layer: ServiceLayer, map: Map, _ settings: ServiceSettings, _ cache: TileCache
  ) {
    (self.name, self.layer, self.map) = (name, layer, map)
    (self.settings, self.cache) = (settings, cache)
  }

  /// Returns the raster; for a layer with dates, the raster of the last date.
  ///
  /// - Throws: if the layer does not open.
  func raster() throws -> Raster { try opened().raster }

  /// The dates of the layer; nil for a layer without dates.
  ///
  /// - Throws: if the layer does not open.
  func dates() throws -> RasterDates? { try opened().dates }

  private func opened() throws -> (raster: Raster, dates: RasterDates?) {
    try map.withLock {
      try layer.layer.load()
      guard case .raster(let rasterLayer) = layer.layer.typed, let raster = rasterLayer.raster
      else {
        throw ServiceError("the layer has no raster", status: 500)
      }
      return (raster, rasterLayer.dates)
    }
  }

  /// The number of grids of the files of all dates.
  func gridCount() throws -> Int {
    guard case .raster(let rasterLayer) = layer.layer.typed else { return 1 }
    return map.withLock { rasterLayer.stack?.gridCount ?? 1 }
  }

  /// Returns the raster of the chosen date with the chosen files, or an overview of this raster.
  func raster(_ choice: ImageChoice) throws -> Raster {
    var chosen = try raster(at: choice.date)
    if let members = choice.members { chosen = try part(of: chosen, members, choice.date) }
    return choice.power > 0 ? chosen.overview(atMost: Double(1 << choice.power)) : chosen
  }

  /// Returns the raster of a date.
  ///
  /// - Parameter date: an index of `dates`; nil for the last one, or for a layer without dates.
  func raster(at date: Int?) throws -> Raster {
    let (last, dates) = try opened()
    return try date.flatMap { try dates?.raster(at: $0) } ?? last
  }

  /// - Parameters:
  ///   - members: the indices of existing files.
  ///   - date: the index of the raster's date.
  private func part(of raster: Raster, _ members: [Int], _ date: Int?) throws -> Raster {
    try parts.value(of: Part(date: date, members: members)) {
      try Raster(name: raster.name, members: members.map { raster.members[$0] })
    }
  }

  /// The CRS of the raster's coordinates.
  func reference() throws -> SpatialReference {
    if let known = known.withLock({ $0 }) { return known }
    let made = try raster().references.first?.map { try SpatialReference($0) } ?? .wgs84
    known.withLock { $0 = made }
    return made
  }

  /// The extent of all files; nil if it cannot be determined in the raster's CRS.
  func extent() throws -> Envelope? {
    let (raster, dates) = try opened()
    let layer = RasterLayer(LayerProperties(id: "raster"), raster: dates?.whole ?? raster)
    return DrawnView.extent(of: Map(layers: [layer]), in: try reference())
  }

  /// Returns an identifier for points in a CRS.
  private func prepared(_ reference: SpatialReference, _ choice: ImageChoice) throws -> Prepared {
    try identifiers.value(of: Lookup(reference: reference, choice: choice)) {
      Prepared(
        try RasterIdentifier(
          [RasterSampler.Request(try raster(choice), bands: choice.bands)], reference: reference,
          resampling: choice.resampling, cache: cache, workers: settings.workers))
    }
  }

  /// Returns the values at points in a CRS.
  ///
  /// - Parameter warnings: receives warnings about the CRSs that it does not contain yet.
  /// - Throws: if cells cannot be read. Cells without a value are not an error.
  func values(
    at points: [SIMD2<Double>], _ reference: SpatialReference, keepsCells: Bool = false,
    _ choice: ImageChoice = ImageChoice(), _ warnings: inout [String]
  ) throws -> RasterAnswer {
    let prepared = try prepared(reference, choice)
    let sampler = prepared.identifier
    for line in prepared.warnings where !warnings.contains(line) { warnings.append(line) }
    let samples = sampler.sample(
      x: points.map(\.x), y: points.map(\.y), keepsProvenance: keepsCells)[0]
    try WorkCancellation.checkCurrent()
    // Another request may already have drained the messages of this request's failures.
    let reason = sampler.sampler.drainFailures().messages.first
    try check([samples], of: points.count, reason)
    if choice.isEmpty {
      for column in samples.columns {
        column.status.base.update(
          repeating: SampleStatus.nodata.rawValue, count: column.status.count)
      }
    }
    return samples
  }

  /// Returns the values of several dates at points in a CRS, with an answer for each date.
  ///
  /// - Parameter indices: indices of `dates`.
  /// - Throws: if cells cannot be read.
  func values(
    at points: [SIMD2<Double>], _ reference: SpatialReference, dates indices: [Int]
  ) throws -> [RasterAnswer] {
    let sampler = try RasterIdentifier(
      try indices.map { RasterSampler.Request(try raster(at: $0)) }, reference: reference,
      cache: cache, workers: settings.workers)
    let samples = sampler.sample(x: points.map(\.x), y: points.map(\.y))
    try WorkCancellation.checkCurrent()
    try check(samples, of: points.count, sampler.sampler.drainFailures().messages.first)
    return samples
  }

  /// - Throws: if cells could not be read.
  private func check(
    _ samples: [RasterAnswer], of points: Int, _ reason: MessageTemplate?
  ) throws(ServiceError) {
    let count = samples.reduce(0) { $0 + $1.unreadRows(of: points) }
    guard count > 0 else { return }
    throw ServiceError(
      reason?.text(FrontEnd.service.spellings)
        ?? "\(count) of \(points * samples.count) points could not be read", status: 500,
      kind: .readError)
  }

  /// Returns the width and height of a cell of the first file, in the units of the file's CRS.
  func cellSize(_ choice: ImageChoice = ImageChoice()) throws -> (x: Double, y: Double) {
    guard let profile = try raster(choice).members.first?.profile,
      let grid = profile.mapping.placement
    else { return (0, 0) }
    let (a, b, c) = (
      grid.coordinates(column: 0, row: 0), grid.coordinates(column: 1, row: 0),
      grid.coordinates(column: 0, row: 1)
    )
    func length(_ p: (x: Double, y: Double), _ q: (x: Double, y: Double)) -> Double {
      let (dx, dy) = (p.x - q.x, p.y - q.y)
      return (dx * dx + dy * dy).squareRoot()
    }
    return (length(b, a), length(c, a))
  }
}

extension RasterDates {
  /// The first and the last time in milliseconds since 1970. A date without a time of day lasts for the whole day.
  var period: ClosedRange<Int64>? {
    guard let first = dates.first, let last = dates.last else { return nil }
    let start = first.span.lowerBound.floorDivided(by: 1000)
    return start...max(start, last.span.upperBound.floorDivided(by: 1000))
  }

  /// The indices of the dates that overlap a period in milliseconds, inclusive.
  func indices(fromMilliseconds first: Int64, to last: Int64) -> [Int] {
    let period = Self.period(fromMilliseconds: first, to: last)
    return indices(from: period.first, to: period.last)
  }

  /// A period in microseconds, which includes the whole last millisecond.
  static func period(fromMilliseconds first: Int64, to last: Int64) -> (first: Int64, last: Int64) {
    let start = first.multipliedReportingOverflow(by: 1000)
    let end = last.multipliedReportingOverflow(by: 1000)
    return (
      start.overflow ? (first < 0 ? .min : .max) : start.partialValue,
      end.overflow || end.partialValue > .max - 999
        ? (last < 0 ? .min : .max) : end.partialValue + 999
    )
  }
}
