import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster
import PlumbSources
import Synchronization

/// Computes statistics of the cells of rasters under the areas of a file, and writes them as columns of the
/// areas.
package final class BatchZonal {
  /// Called with each batch of features and the value of a statistic of each: the first that is a number, in the
  /// first band; not for classes.
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

  /// The number of areas that are read at once; smaller if they have many vertices.
  private var batchSize = 1 << 10
  private static let largestBatch = 1 << 14
  private static let verticesPerBatch = 1 << 21
  private var sliceCount = 0
  /// The number of distinct values in memory, of 24 bytes each, of the areas of all workers.
  private static let spillCountOfAll = 1 << 23
  /// The number of vertices of the output's shapes so far.
  private var writtenVertexCount = 0
  /// The number of values of all classes of all areas so far, for `wideClasses`.
  private var listedCount = 0

  /// Opens the areas and the output.
  ///
  /// - Parameter input: the areas, if they are open already.
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
    // Delimited text keeps its values as they are, unless a condition compares them.
    source.needsTypes = output.format.isTyped || options.condition != nil
    (source.workers, source.access) = (options.workers, options.access)
    source.services = options.services
    source.isJSON = output.format.isJSON
    try self.init(rasters, options, try FeatureInput.open(source), output)
  }

  /// Evaluates the areas of an open input.
  package init(
    _ rasters: [Raster], _ options: ZonalOptions, _ input: FeatureInput, _ output: any ZonalTarget
  ) throws {
    (self.options, self.output) = (options, output)
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
    // The classes of all areas are needed before the first row.
    var kept: [(batch: FeatureInput.Batch, values: [[ZonalColumns.Values]])] = []
    while let batch = try next.value() {
      try WorkCancellation.checkCurrent()
      faults.add(coverage.groupCounts(of: batch))
      let features = batch.features
      let known = try columns ?? begin()
      columns = known
      setBatchSize(after: features.features)
      next = BackgroundValue { [size = batchSize] in try reader[0].next(limit: size) }
      let values = try values(of: batch, known)
      try WorkCancellation.checkCurrent()
      if options.form == .wideClasses {
        kept.append((features, values))
      } else {
        if options.form != .classes {
          observer?(features.features, values.map { observedValue($0) })
        }
        let rows = rows(values)
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

  private func setBatchSize(after features: [Feature]) {
    let vertices = features.reduce(0) { $0 + $1.vertexCount }
    let mean = max(1, vertices / max(1, features.count))
    batchSize = min(Self.largestBatch, max(64, Self.verticesPerBatch / mean))
  }

  /// Creates the columns and begins the output, when the input's columns are known.
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

  /// Writes the areas with the columns of all classes that occur.
  private func writeClasses(
    _ kept: [(batch: FeatureInput.Batch, values: [[ZonalColumns.Values]])]
  ) throws {
    let bands = rasters.outputBands
    let classes = bands.indices.map { index in
      var seen: Set<Double> = []
      for (_, values) in kept {
        for area in values { seen.formUnion(area[index].entries.lazy.map(\.value)) }
      }
      return seen.sorted()
    }
    let columnCount = classes.reduce(0) { $0 + $1.count }
    let areaCount = kept.reduce(0) { $0 + $1.values.count }
    guard columnCount == 0 || areaCount <= options.entryLimit / columnCount else {
      throw tooManyValues
    }
    let columns = try begin(classes: classes)
    for (batch, values) in kept {
      try WorkCancellation.checkCurrent()
      try output.write(
        batch,
        values.map { area in
          [
            bands.indices.flatMap {
              columns.wideRow(area[$0], band: bands[$0], at: $0)
            }
          ]
        })
    }
  }

  /// The name of the column that `observer` receives; nil without a number.
  package var observedColumn: String? {
    guard let (statistic, _) = observedStatistic, let band = rasters.outputBands.first
    else { return nil }
    return statistic.fields(band.prefix, of: band.type).first?.name
  }

  /// The first statistic that is a number, and the index of its column.
  private var observedStatistic: (ZonalStatistic, index: Int)? {
    var index = 0
    for statistic in options.statistics {
      if !statistic.isList, statistic != .minCenter, statistic != .maxCenter {
        return (statistic, index)
      }
      index += statistic.fields("", of: nil).count
    }
    return nil
  }

  private func observedValue(_ values: [ZonalColumns.Values]) -> Double? {
    guard let (_, index) = observedStatistic, let rows = values.first?.rows else { return nil }
    let value = options.form == .long ? rows[index][3] : rows[0][index]
    switch value {
    case .real(let number): return number
    case .integer(let number): return Double(number)
    default: return nil
    }
  }

  /// The CRS of the areas; nil if unknown.
  package var reference: SpatialReference? { input.reference }

  private func countVertices(_ features: [Feature], _ rows: [[[FieldValue]]]) throws {
    guard options.writtenVertexLimit < .max else { return }
    for (feature, rows) in zip(features, rows) {
      writtenVertexCount += rows.count * feature.vertexCount
    }
    guard writtenVertexCount <= options.writtenVertexLimit else {
      throw PlumbError(
        messageTemplate:
          "the areas of all rows have more than \(options.writtenVertexLimit) vertices",
        code: .limit, remedies: ["use \(.format, "csv"), which has no shapes"])
    }
  }

  /// The rows of each area.
  private func rows(_ values: [[ZonalColumns.Values]]) -> [[[FieldValue]]] {
    values.map { area in
      options.form == .wide ? [area.flatMap { $0.rows[0] }] : area.flatMap(\.rows)
    }
  }

  /// The values of each feature of a batch, one for each band.
  private func values(
    of batch: AreaInput.Batch, _ columns: ZonalColumns
  ) throws -> [[ZonalColumns.Values]] {
    let features = batch.features.features
    for feature in features {
      if let area = feature.area { try options.checkShapes?([area]) }
    }
    var values: [[ZonalColumns.Values]] = []
    var start = 0
    while start < features.count {
      let end = min(features.count, start + coverage.sliceSize)
      let placed = try coverage.areas(
        of: Array(features[start..<end]),
        hashes: batch.hashes.isEmpty ? [] : Array(batch.hashes[start..<end]))
      values += try self.values(of: placed, count: end - start, columns)
      start = end
    }
    return values
  }

  /// The values of cells that the statistics need.
  private var detail: ZonalSampler.Detail {
    var detail = ZonalStatistic.detail(of: options.statistics)
    if options.form == .classes || options.form == .wideClasses {
      detail = ZonalSampler.Detail(needsDistribution: true)
    }
    (detail.isScaled, detail.entryLimit) = (options.isScaled, options.entryLimit)
    if options.entryLimit == .max {
      let spillCount =
        options.spillCount ?? max(1 << 20, Self.spillCountOfAll / options.workers.count)
      detail.spill = ZonalDistribution.Spill(entryCount: spillCount) { try SpillFile() }
      if options.isApproximate, options.statistics.allSatisfy(\.canBeApproximate) {
        detail.sketchCount = spillCount
      }
    }
    return detail
  }

  /// The values of features whose coverage is in memory at once.
  private func values(
    of placed: [ZonalAreas], count featureCount: Int, _ columns: ZonalColumns
  ) throws -> [[ZonalColumns.Values]] {
    faults.add(placed)
    if options.isStrict, let line = faults.warnings.first { throw PlumbError.strict(line) }
    var detail = detail
    let hasClasses = options.form == .classes || options.form == .wideClasses
    let listsEntries = hasClasses || options.statistics.contains(.shares)
    let listed = Atomic(listedCount)
    let isOverLimit = Atomic(false)
    let failure = Mutex<(any Error)?>(nil)
    let bands = rasters.outputBands
    var values = [[ZonalColumns.Values]](
      repeating: [ZonalColumns.Values](repeating: ZonalColumns.Values(), count: bands.count),
      count: featureCount)
    let sources = rasters.sources
    // Every second slice starts with the raster whose tiles were read last, because they are still in the cache.
    sliceCount += 1
    let order = sliceCount % 2 == 1 ? Array(sources.indices) : sources.indices.reversed()
    for number in order {
      let source = sources[number]
      let own = placed[source.grid]
      detail.sizes = rasters.grids[source.grid].sizes
      detail.weights = rasters.grids[source.grid].weights
      for (offset, index) in source.bands.enumerated() {
        let position = source.firstBand + offset
        let band = bands[position]
        values.withUnsafeMutableBufferPointer { [detail, options] values in
          // Each area is read by one worker.
          let target = SharedPointer(values)
          source.sampler.read(own.coverage, band: index, detail: detail) {
            area, result, distribution in
            let items = distribution.cells.count + (listsEntries ? distribution.variety : 0)
            let count = listed.add(items, ordering: .relaxed).newValue
            if count > options.entryLimit || distribution.isOverLimit {
              isOverLimit.store(true, ordering: .relaxed)
              return
            }
            target.pointer[area][position] =
              columns.values(result, distribution, of: band, own, area)
            if let error = distribution.failure ?? distribution.readFailure {
              failure.withLock { $0 = $0 ?? error }
            }
          }
        }
        try WorkCancellation.checkCurrent()
        guard !isOverLimit.load(ordering: .relaxed) else {
          throw tooManyValues
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
      }
    }
    // All classes of all areas are kept, or else those of a batch.
    if options.form == .wideClasses { listedCount = listed.load(ordering: .relaxed) }
    // Other runs report the failures at the end.
    if options.isStrict { try addFailures() }
    return values
  }

  private var tooManyValues: PlumbError {
    PlumbError(
      "the areas have more than \(options.entryLimit) different values, or listed values; request fewer "
        + "areas, smaller ones, or other statistics", code: .limit)
  }

  /// The reads and the computations of the run, one line each.
  package var explanation: [String] {
    [
      "areas are read in the order of the tiles that contain their centres, a batch at a time",
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
  /// - Throws: the first of them in a strict run.
  private func addFailures() throws {
    for lines in rasters.removeFailures().map(\.messages) {
      if options.isStrict, let line = lines.first { throw PlumbError.strict(line) }
      warnings += lines
    }
  }
}

extension SpillFile: ZonalSpillFile {}

extension Feature {
  /// The number of vertices of the feature's shape, or of its area.
  var vertexCount: Int { (geometry ?? area)?.vertices.count ?? 0 }

  /// The feature's area: its polygon or rectangle, else its lines, else its points, or those of its collection;
  /// nil if there is none.
  package var area: Geometry? {
    let shapes = (geometry.map { [$0] } ?? collection).filter { !$0.isEmpty }
    guard let shape = shapes.max(by: { $0.dimension < $1.dimension }) else { return nil }
    if case .envelope(let envelope) = shape { return .polygon(envelope.polygon) }
    return shape
  }
}
