import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster
import PlumbSources

/// Computes statistics of the cells of rasters under the areas of a file, and writes them as columns of the
/// areas.
package final class BatchZonal {
  /// The input, the statistics and the output.
  package struct Options: Sendable {
    /// The path of the areas; `-` is standard input.
    package var areas: String
    /// The layer of a source with several; nil if there is only one.
    package var layer: String?
    /// The CRS of the areas, which overrides the input's own.
    package var reference: SpatialReference?
    /// The bands, counted from 0; nil for all.
    package var bands: [Int]?
    package var statistics: [ZonalStatistic] = [.count, .mean, .min, .max]
    /// The output file; nil for standard output.
    package var output: String?
    /// The name of the format; nil derives it from the extension of the output.
    package var format: String?
    /// Whether an existing file is replaced.
    package var overwrites = false
    /// Whether areas that need repair, and areas without statistics, end the run.
    package var isStrict = false
    package var access = DocumentAccess.folder
    package var services: FeatureServices?
    package var workers = Workers()
    package var cache = TileCache()

    package init(areas: String) { self.areas = areas }
  }

  /// A raster with the grid of its areas.
  private struct Source {
    var raster: Raster
    var bands: [Int]
    var sampler: ZonalSampler
    /// The index of the grid in `grids`.
    var grid: Int
  }

  /// A grid that several rasters may share.
  private struct Grid {
    var placement: AreaPlacement
    var grid: TileGrid
    var transform: GridTransform
    var reference: String?
  }

  /// Warnings for the user, in order.
  package private(set) var warnings: [MessageTemplate] = []
  private let options: Options
  private let input: FeatureInput
  private var sources: [Source] = []
  private var grids: [Grid] = []
  private let output: ZonalOutput
  private var repairCount = 0
  private var faultCount = 0
  private var transformCount = 0

  /// The number of areas that are read at once; smaller if they have many vertices.
  private var batchSize = 1 << 10
  private static let largestBatch = 1 << 14
  private static let verticesPerBatch = 1 << 21

  /// Opens the areas and the output.
  ///
  /// - Throws: the first error found, before an output file exists.
  package init(_ rasters: [Raster], _ options: Options) throws {
    self.options = options
    output = try ZonalOutput(
      options, inputs: [options.areas] + rasters.flatMap { $0.members.flatMap(\.files) })
    var source = FeatureInput.Options(path: options.areas)
    (source.layer, source.reference) = (options.layer, options.reference)
    (source.needsFields, source.needsTypes) = (true, true)
    (source.workers, source.access) = (options.workers, options.access)
    source.services = options.services
    source.isJSON = output.format.isJSON
    input = try FeatureInput.open(source)
    let reference = input.source.spatialReference
    for raster in rasters { try add(raster, reference) }
  }

  private func add(_ raster: Raster, _ reference: SpatialReference?) throws {
    let sampler = try ZonalSampler(raster, cache: options.cache, workers: options.workers)
    let profile = raster.members[0].profile
    let bands = options.bands ?? Array(raster.bands.indices)
    for band in bands where !raster.bands.indices.contains(band) {
      throw PlumbError(
        "\(raster.name.printable) has no band \(band + 1); it has 1 to \(raster.bands.count)",
        code: .badOption)
    }
    guard !bands.contains(where: { raster.bands[$0].pixelType.isComplex }) else {
      throw PlumbError(
        "\(raster.name.printable) has complex values, which have no statistics",
        code: .unsupported)
    }
    let target = try profile.reference.map { try SpatialReference($0) }
    guard (target == nil) == (reference == nil) else {
      throw PlumbError(
        "\(target == nil ? raster.name.printable : "the input of areas") has no CRS, so the areas "
          + "cannot be placed on the raster", code: .noReference,
        remedies: target == nil ? [] : ["set the CRS of the areas with \(.crs)"])
    }
    guard case .affine(let transform) = profile.mapping else { return }
    let known = grids.firstIndex {
      $0.grid == profile.grid && $0.transform == transform && $0.reference == profile.reference
    }
    if known == nil {
      grids.append(
        Grid(
          placement: try AreaPlacement(
            profile, from: reference, to: target, workers: options.workers),
          grid: profile.grid, transform: transform, reference: profile.reference))
    }
    sources.append(
      Source(
        raster: raster, bands: bands, sampler: sampler, grid: known ?? grids.count - 1))
  }

  /// Reads all areas and writes their statistics.
  ///
  /// - Parameter progress: called after each batch with the fraction done, if known, and the number of areas
  ///   so far.
  /// - Returns: the number of areas.
  /// - Throws: the first error. After an error, no output file is left.
  package func run(progress: ((Double?, Int) -> Void)? = nil) throws -> Int {
    do {
      return try runAll(progress)
    } catch {
      throw output.named(error)
    }
  }

  private func runAll(_ progress: ((Double?, Int) -> Void)?) throws -> Int {
    var count = 0
    var columns: ZonalColumns?
    // While one batch is processed, the previous one is written and the next one read. The input and the
    // output are each used only by a background thread until its value is available.
    let (reader, writer) = (WorkerStates([input]), WorkerStates([output]))
    var next = BackgroundValue { [size = batchSize] in try reader[0].next(limit: size) }
    var written: BackgroundValue<Void>?
    while let batch = try next.value() {
      try WorkCancellation.checkCurrent()
      let known = try columns ?? begin()
      columns = known
      setBatchSize(after: batch.features)
      next = BackgroundValue { [size = batchSize] in try reader[0].next(limit: size) }
      let rows = try values(of: batch.features, known)
      try WorkCancellation.checkCurrent()
      try written?.value()
      written = BackgroundValue { try writer[0].write(batch, rows) }
      count += batch.features.count
      progress?(batch.share, count)
    }
    if columns == nil { _ = try begin() }
    try written?.value()
    // A cancelled read may look like the end of the input.
    try WorkCancellation.checkCurrent()
    warnings += input.warnings
    if let line = input.faults.warning { warnings.append(MessageTemplate(line)) }
    addWarnings()
    warnings += try output.finish().map { MessageTemplate($0) }
    return count
  }

  private func setBatchSize(after features: [Feature]) {
    let vertices = features.reduce(0) { $0 + ($1.geometry?.vertices.count ?? 0) }
    let mean = max(1, vertices / max(1, features.count))
    batchSize = min(Self.largestBatch, max(64, Self.verticesPerBatch / mean))
  }

  /// Creates the columns and begins the output, when the input's columns are known.
  private func begin() throws -> ZonalColumns {
    let columns = try ZonalColumns(
      sources.map { ($0.raster, $0.bands) }, options.statistics, input: input.source.fields,
      ignoresCase: output.format.ignoresCase)
    try output.start(input, columns.fields, options.workers)
    return columns
  }

  /// The values of all columns for each feature of a batch.
  private func values(of features: [Feature], _ columns: ZonalColumns) throws -> [[FieldValue]] {
    let areas = features.map(\.polygon)
    let placed = grids.map {
      ZonalAreas(areas, on: $0.placement, $0.grid, $0.transform, options.workers)
    }
    try count(placed)
    let detail = ZonalStatistic.detail(of: options.statistics)
    var rows = [[FieldValue]](repeating: [], count: features.count)
    for source in sources {
      let own = placed[source.grid]
      for band in source.bands {
        let type = source.raster.bands[band].pixelType
        rows.withUnsafeMutableBufferPointer { rows in
          // Each area is read by one worker.
          let target = SharedPointer(rows)
          source.sampler.read(
            own.coverage, band: band, detail: detail
          ) { area, result, distribution in
            target.pointer[area] += columns.values(
              result, distribution, of: type, own, area)
          }
        }
        try WorkCancellation.checkCurrent()
      }
    }
    try addFailures()
    return rows
  }

  private func count(_ placed: [ZonalAreas]) throws {
    guard let first = placed.first else { return }
    repairCount += first.repairCount
    faultCount += first.faults.count { $0 == .badArea }
    transformCount += first.faults.indices.count { index in
      placed.contains { $0.faults[index] == .transformFailed }
    }
    guard options.isStrict else { return }
    if let line = repairWarning ?? faultWarning ?? transformWarning {
      throw PlumbError.strict(line)
    }
  }

  private var repairWarning: MessageTemplate? {
    repairCount == 0
      ? nil
      : MessageTemplate(
        "\(repairCount) area\(repairCount == 1 ? " was" : "s were") repaired, because edges cross")
  }

  private var faultWarning: MessageTemplate? {
    faultCount == 0
      ? nil
      : MessageTemplate(
        "\(faultCount) feature\(faultCount == 1 ? " has" : "s have") no area that can be used")
  }

  private var transformWarning: MessageTemplate? {
    transformCount == 0
      ? nil
      : MessageTemplate(
        "\(transformCount) area\(transformCount == 1 ? "" : "s") cannot be transformed to a raster's CRS"
      )
  }

  private func addWarnings() {
    warnings += [repairWarning, faultWarning, transformWarning].compactMap { $0 }
  }

  /// Adds the warnings about tiles that could not be read.
  ///
  /// - Throws: the first of them in a strict run.
  private func addFailures() throws {
    for source in sources {
      let lines = source.sampler.removeFailures().messages
      if options.isStrict, let line = lines.first { throw PlumbError.strict(line) }
      warnings += lines
    }
  }
}

extension Feature {
  /// The feature's area: its polygon, its rectangle, or the polygons of its collection; nil if there is none.
  var polygon: Polygon? {
    let polygons = (geometry.map { [$0] } ?? collection).compactMap { shape -> Polygon? in
      switch shape {
      case .polygon(let polygon): polygon.isEmpty ? nil : polygon
      case .envelope(let envelope): envelope.polygon
      case .point, .multipoint, .polyline: nil
      }
    }
    return polygons.first
  }
}
