import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster
import PlumbSources
import Synchronization

/// Computes statistics of the raster cells under the areas of a file, and writes the statistics as
/// columns of the areas.
package final class BatchZonal {
  /// Receives each batch of features and one number for each feature, which is the first numeric
  /// statistic of the first band. It is not called if the output contains classes.
  package var observer: ((_ features: [Feature], _ values: [Double?]) -> Void)? {
    didSet { input.joinsGroups = input.joinsGroups || observer != nil }
  }
  /// Warnings for the user, in order.
  package private(set) var warnings: [MessageTemplate] = []
  private let options: ZonalOptions
  private let input: AreaInput
  private let rasters: ZonalRasters
  private let coverage: AreaCoverage
  private let output: any ZonalTarget
  private var faults = AreaFaults()

  /// The number of areas that are evaluated at once. It is smaller if areas have many vertices.
  private var batchSize = 1 << 12
  private static let mediumBatch = 1 << 14
  private static let largestBatch = 1 << 16
  /// The maximum size in bytes of the values of a batch.
  private static let batchBytes = 64 << 20
  /// The minimum number of rasters per worker at which each raster is read by a single worker.
  private static let rastersPerWorker = 4
  private var sliceCount = 0
  /// The maximum number of distinct values, of 24 bytes each, that all workers together keep in
  /// memory.
  private static let spillCountOfAll = 1 << 23
  /// The number of vertices of the shapes that have been written.
  private var writtenVertexCount = 0
  /// The number of list elements and class values of the current batch, or of all batches for
  /// `wideClasses`.
  private var listedCount = 0

  /// Opens the areas and the output.
  ///
  /// - Parameter input: the areas, if they are already open.
  /// - Throws: the first error found, before an output file exists.
  package convenience init(
    _ rasters: [Raster], _ options: ZonalOptions, input: FeatureInput? = nil
  ) throws {
    var read = rasters
    if case .raster(let weights) = options.weights { read.append(weights) }
    let output = try ZonalOutput(
      options, inputs: [options.areas] + read.flatMap { $0.members.flatMap(\.files) })
    if let input {
      try self.init(rasters, options, input, output)
      return
    }
    var source = FeatureInput.Options(path: options.areas)
    (source.layer, source.reference) = (options.layer, options.reference)
    (source.x, source.y) = (options.x, options.y)
    (source.needsFields, source.readsShapes) = (true, true)
    // The values of delimited text are copied unchanged, unless a condition compares them.
    source.needsTypes = output.format.isTyped || options.condition != nil
    (source.workers, source.access) = (options.workers, options.access)
    source.services = options.services
    source.isJSON = output.format.isJSON
    try self.init(rasters, options, try FeatureInput.open(source), output)
  }

  /// Creates a run that evaluates the areas of an open input.
  package init(
    _ rasters: [Raster], _ options: ZonalOptions, _ input: FeatureInput, _ output: any ZonalTarget
  ) throws {
    (self.options, self.output) = (options, output)
    input.keepsRows = output.isColumnar
    self.input = AreaInput(
      input, condition: options.condition, groupColumn: options.groupColumn,
      checkShapes: options.checkShapes, workers: options.workers)
    self.rasters = try ZonalRasters(rasters, options, self.input.reference)
    coverage = try AreaCoverage(self.rasters, options, self.input, output)
  }

  /// The paths of the areas, the rasters and the weights.
  package var inputFiles: [String] { [options.areas] + rasters.files }

  /// Reads all areas and writes their statistics.
  ///
  /// - Parameter progress: called after each batch with the fraction done, if known, and the number of areas
  ///   so far.
  /// - Returns: the number of areas.
  /// - Throws: the first error. After an error, no output file remains.
  package func run(progress: ((Double?, Int) -> Void)? = nil) throws -> Int {
    do {
      return try runAll(progress)
    } catch {
      throw output.named(error)
    }
  }

  private func runAll(_ progress: ((Double?, Int) -> Void)?) throws -> Int {
    warnings += rasters.transformationWarnings(from: input.reference).map { MessageTemplate($0) }
    try PlumbError.check(warnings, isStrict: options.isStrict, "it")
    var count = 0
    var columns: ZonalColumns?
    // While one batch is processed, the previous batch is written and the next batch is read. A
    // background thread has exclusive use of the input or the output until its value is available.
    let (reader, writer) = (WorkerStates([input]), WorkerStates([output]))
    let largest = max(64, Self.batchBytes / rasters.valueBytes)
    let isSmall =
      rasters.fit(in: options.cache) || listsEntries || options.statistics.contains(where: \.isList)
    batchSize = min(largest, isSmall ? batchSize : Self.largestBatch)
    var next = BackgroundValue { [size = batchSize] in try reader[0].batch(size: size) }
    var written: BackgroundValue<Void>?
    // For `wideClasses`, the classes of all areas are needed before the first row is written.
    var kept: [(batch: FeatureInput.Batch, values: ZonalValues)] = []
    while let batch = try next.value() {
      try WorkCancellation.checkCurrent()
      faults.add(coverage.groupCounts(of: batch))
      let features = batch.features
      let known = try columns ?? begin()
      columns = known
      batchSize = min(largest, max(Self.mediumBatch, batchSize))
      next = BackgroundValue { [size = batchSize] in try reader[0].batch(size: size) }
      let values = try values(of: batch, known)
      try WorkCancellation.checkCurrent()
      if options.form == .wideClasses {
        kept.append((features, values))
      } else {
        if options.form != .classes {
          observer?(features.features, observedValues(values))
        }
        let rows = ZonalRows(known, values)
        try countVertices(features.features, rows)
        try written?.value()
        written = BackgroundValue { try writer[0].write(features, rows) }
      }
      count += features.features.count
      progress?(features.share, count)
    }
    if columns == nil { columns = try begin() }
    try written?.value()
    if options.form == .wideClasses { try writeClasses(kept) }
    // A cancelled read may look like the end of the input.
    try WorkCancellation.checkCurrent()
    try coverage.finish()
    warnings += input.warnings
    if let line = input.faults.warning { warnings.append(MessageTemplate(line)) }
    warnings += faults.warnings
    try addFailures()
    warnings += try output.finish().map { MessageTemplate($0) }
    return count
  }

  /// Creates the columns and starts the output. The input's columns must be known.
  private func begin(classes: [[Double]]? = nil) throws -> ZonalColumns {
    let columns = try ZonalColumns(
      options.form, rasters.outputBands, options.statistics,
      classes: classes ?? rasters.outputBands.map { _ in [] },
      input: input.fields, hasRankErrors: options.isApproximate,
      ignoresCase: output.ignoresCase)
    if options.form != .wideClasses || classes != nil {
      try output.start(input, columns.fields, options)
    }
    return columns
  }

  /// Writes the areas with the columns of all classes that occur in them.
  private func writeClasses(
    _ kept: [(batch: FeatureInput.Batch, values: ZonalValues)]
  ) throws {
    let classes = rasters.outputBands.indices.map { band in
      var seen: Set<Double> = []
      for (_, values) in kept {
        for area in 0..<values.areaCount {
          seen.formUnion(values.classes[values.index(area: area, band: band)].lazy.map(\.value))
        }
      }
      return seen.sorted()
    }
    let columnCount = classes.reduce(0) { $0 + $1.count }
    let areaCount = kept.reduce(0) { $0 + $1.values.areaCount }
    guard columnCount == 0 || areaCount <= options.entryLimit / columnCount else {
      throw tooManyValues
    }
    let columns = try begin(classes: classes)
    for (batch, values) in kept {
      try WorkCancellation.checkCurrent()
      try output.write(batch, ZonalRows(columns, values))
    }
  }

  /// The name of the column whose numbers `observer` receives; nil if no statistic is numeric.
  package var observedColumn: String? {
    guard let (statistic, _) = observedStatistic, let band = rasters.outputBands.first
    else { return nil }
    return statistic.fields(band.prefix, of: band.type).first?.name
  }

  /// The first statistic that is a single number, and the index of this number.
  private var observedStatistic: (ZonalStatistic, index: Int)? {
    var index = 0
    for statistic in options.statistics {
      if !statistic.isList, statistic.columnCount == 1 { return (statistic, index) }
      index += statistic.columnCount
    }
    return nil
  }

  private func observedValues(_ values: ZonalValues) -> [Double?] {
    guard let (_, offset) = observedStatistic, !rasters.outputBands.isEmpty else {
      return Array(repeating: nil, count: values.areaCount)
    }
    return (0..<values.areaCount).map { area in
      let number = values.numbers[values.index(area: area, band: 0) * values.width + offset]
      return number.isNaN ? nil : number
    }
  }

  /// The CRS of the areas; nil if unknown.
  package var reference: SpatialReference? { input.reference }

  private func countVertices(_ features: [Feature], _ rows: ZonalRows) throws {
    guard options.writtenVertexLimit < .max else { return }
    for (index, feature) in features.enumerated() {
      writtenVertexCount += rows.count(of: index) * feature.vertexCount
    }
    guard writtenVertexCount <= options.writtenVertexLimit else {
      throw PlumbError(
        messageTemplate:
          "the areas of all rows have more than \(options.writtenVertexLimit) vertices",
        code: .limit, remedies: ["use \(.format, "csv"), which has no shapes"])
    }
  }

  /// Returns the values of each feature of a batch.
  private func values(
    of batch: AreaInput.Batch, _ columns: ZonalColumns
  ) throws -> ZonalValues {
    let features = batch.features.features
    for feature in features {
      if let area = feature.area { try options.checkShapes?([area]) }
    }
    var values = columns.values(areaCount: features.count)
    // The form `wideClasses` keeps the classes of all areas. Other forms keep only the classes of a
    // batch.
    if options.form != .wideClasses { listedCount = 0 }
    var start = 0
    while start < features.count {
      let slice = try coverage.slice(of: features[start...], hashes: batch.hashes.dropFirst(start))
      faults.add(slice.areas)
      try PlumbError.check(faults.warnings, isStrict: options.isStrict)
      let isLast = batch.isLast && start + slice.count == features.count && options.ownsCache
      try read(slice.areas, from: start, isLast: isLast, columns, into: &values)
      start += slice.count
    }
    return values
  }

  /// The details of cells that the statistics need.
  private var detail: ZonalSampler.Detail {
    var detail = ZonalStatistic.detail(of: options.statistics)
    if options.form.hasClasses {
      detail = ZonalSampler.Detail(needsDistribution: true)
    }
    (detail.isScaled, detail.entryLimit) = (options.isScaled, options.entryLimit)
    if options.entryLimit == .max {
      let spillCount =
        options.spillCount ?? max(1 << 16, Self.spillCountOfAll / options.workers.count)
      detail.spill = ZonalDistribution.Spill(entryCount: spillCount) { try SpillFile() }
      if options.isApproximate, options.statistics.allSatisfy(\.canBeApproximate) {
        detail.sketchCount = spillCount
      }
    }
    return detail
  }

  /// Reads the cells of areas whose coverage is in memory.
  ///
  /// - Parameters:
  ///   - start: the index in `values` of the first area.
  ///   - isLast: whether no areas follow.
  private func read(
    _ areas: [ZonalAreas], from start: Int, isLast: Bool, _ columns: ZonalColumns,
    into values: inout ZonalValues
  ) throws {
    let listsEntries = listsEntries
    let listed = Atomic(listedCount)
    let isOverLimit = Atomic(false)
    let failure = Mutex<(any Error)?>(nil)
    let detail = detail
    // Every second slice starts with the raster that was read last, because its tiles are still in
    // the cache.
    sliceCount += 1
    let sources = sliceCount % 2 == 1 ? rasters.sources : rasters.sources.reversed()
    let areaCount = values.areaCount
    values.withMemory { memory in
      // Each area is read by one worker.
      let target = SharedPointer(memory)
      let read = { @Sendable [options, rasters] (source: ZonalRasters.Source, worker: Int?) in
        let own = areas[source.grid]
        guard let ordered = own.ordered, !isOverLimit.load(ordering: .relaxed) else { return }
        var detail = detail
        detail.sizes = rasters.grids[source.grid].sizes
        detail.weights = rasters.grids[source.grid].weights
        source.sampler.read(
          ordered, bands: source.bands, detail: detail, isLast: isLast, worker: worker
        ) { area, band, result, distribution in
          let items = distribution.cells.count + (listsEntries ? distribution.variety : 0)
          let count = listed.add(items, ordering: .relaxed).newValue
          if count > options.entryLimit || distribution.isOverLimit {
            isOverLimit.store(true, ordering: .relaxed)
            return
          }
          let band = source.firstBand + band
          columns.set(
            band * areaCount + start + area, in: target.pointer, result, distribution, band: band,
            own, area)
          if let error = distribution.failure ?? distribution.readFailure {
            failure.withLock { $0 = $0 ?? error }
          }
        }
      }
      if readsRastersInParallel {
        options.workers.run(sources.count) { worker, job in read(sources[job], worker) }
      } else {
        for source in sources { read(source, nil) }
      }
    }
    try WorkCancellation.checkCurrent()
    guard !isOverLimit.load(ordering: .relaxed) else { throw tooManyValues }
    if let failure = failure.withLock({ $0 }) { throw failure }
    listedCount = listed.load(ordering: .relaxed)
    // Other runs report the failures at the end.
    if options.isStrict { try addFailures() }
  }

  /// Whether an area has a result for each distinct value of its cells.
  private var listsEntries: Bool {
    options.form.hasClasses || options.statistics.contains(.shares)
  }

  /// Whether workers read different rasters, not different areas.
  private var readsRastersInParallel: Bool {
    rasters.sources.count >= Self.rastersPerWorker * options.workers.count
  }

  private var tooManyValues: PlumbError {
    PlumbError(
      "the areas have more than \(options.entryLimit) distinct or listed values; request fewer or smaller "
        + "areas, or other statistics", code: .limit)
  }

  /// Descriptions of the reads and the computations of the run, one line each.
  package var explanation: [String] {
    [
      "areas are read in the order of the tiles that contain their centres, a batch at a time, "
        + (readsRastersInParallel ? "each raster by one thread" : "one raster by all threads"),
      coverage.explanation,
    ]
      + rasters.sources.map { source in
        let (touched, decoded) = source.sampler.tileCounts
        return
          "\(source.raster.name.printable): \(touched) tiles touched, \(decoded) decoded"
      }
  }

  /// Adds the warnings about tiles that could not be read.
  ///
  /// - Throws: in a strict run, the first warning as an error.
  private func addFailures() throws {
    for lines in rasters.removeFailures().map(\.messages) {
      try PlumbError.check(lines, isStrict: options.isStrict)
      warnings += lines
    }
  }
}

extension SpillFile: ZonalSpillFile {}

extension Feature {
  /// The number of vertices of the feature's shape, or of its area.
  var vertexCount: Int { (geometry ?? area)?.vertices.count ?? 0 }

  /// The feature's geometry, with a rectangle converted to a polygon; nil if the feature has no geometry or
  /// has a collection of geometries of several kinds.
  package var area: Geometry? {
    guard let geometry, !geometry.isEmpty else { return nil }
    if case .envelope(let envelope) = geometry { return .polygon(envelope.polygon) }
    return geometry
  }
}
