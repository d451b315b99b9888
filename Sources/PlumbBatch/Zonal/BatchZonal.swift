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
  /// The input, the statistics and the output.
  package struct Options: Sendable {
    /// The path of the areas; `-` is standard input.
    package var areas: String
    /// The layer of a source with several; nil if there is only one.
    package var layer: String?
    /// The CRS of the areas, which overrides the input's own.
    package var reference: SpatialReference?
    /// The condition of the features; nil for all.
    package var condition: String?
    /// The column with equal values in features that are evaluated as one area.
    package var groupColumn: String?
    /// The radius in metres of the discs around the features, which are points; nil if they are areas.
    package var radius: Double?
    /// The columns of x and y of points in delimited text.
    package var x: String?
    package var y: String?
    /// The bands, counted from 0; nil for all.
    package var bands: [Int]?
    /// The cells that count.
    package var rule = InclusionRule()
    /// Whether values are multiplied by the band's scale, and its offset is added.
    package var isScaled = false
    /// The weights of the cells.
    package var weights: Weights?
    package var form = ZonalForm.wide
    /// The file of the coverage of the areas: read if it exists, else written.
    package var coverage: String?
    /// The maximum number of distinct values of an area, and of listed values of a batch of areas; more are an
    /// error.
    package var entryLimit = Int.max
    package var statistics: [ZonalStatistic] = [.count, .mean, .min, .max]
    /// The output file; nil for standard output.
    package var output: String?
    /// The name of the format; nil derives it from the extension of the output.
    package var format: String?
    /// Whether an existing file is replaced.
    package var overwrites = false
    /// Whether areas that need repair, and areas without statistics, end the run.
    package var isStrict = false
    /// The maximum number of cells that the edges of an area cross; more are an error.
    package var edgeCellLimit = Int.max
    /// The maximum number of vertices of the output's shapes, which rows of classes repeat; more are an error.
    package var writtenVertexLimit = Int.max
    /// Whether quantiles may be approximate instead of computed with a temporary file.
    package var isApproximate = false
    /// The number of distinct values of an area in memory above which they are moved to a temporary file; nil for
    /// a number that depends on that of the threads.
    package var spillCount: Int?
    /// Throws if shapes are too complex to be repaired or joined; nil for no limit.
    package var checkShapes: (@Sendable ([Geometry]) throws -> Void)?
    /// Names of the rasters in the output, which replace their own; empty for their own.
    package var names: [String] = []
    package var access = DocumentAccess.folder
    package var services: FeatureServices?
    package var workers = Workers()
    package var cache = TileCache()

    package init(areas: String) { self.areas = areas }
  }

  /// The weights of cells.
  package enum Weights: Sendable {
    /// Their sizes on the ground.
    case area
    /// The values of a raster.
    case raster(Raster)
  }

  /// A raster with the grid of its areas.
  private struct Source {
    var raster: Raster
    /// The name of the raster in the output.
    var name: String
    var bands: [Int]
    var sampler: ZonalSampler
    /// The index of the grid in `grids`.
    var grid: Int
  }

  private enum CoverageFile {
    case written(CoverageWriter)
    case read(CoverageReader)
  }

  /// A grid that several rasters may share.
  private struct Grid {
    var placement: AreaPlacement
    var cells: ZonalGrid
    /// The sizes of the cells on the ground; nil if they are not needed.
    var sizes: CellAreas?
    var weights: (any CellWeights)?
    var rasterWeights: RasterWeights?
    var discs: ZonalDiscs?
  }

  /// Called with each batch of features and the value of a statistic of each: the first that is a number, in the
  /// first band; not for classes.
  package var observer: ((_ features: [Feature], _ values: [Double?]) -> Void)? {
    didSet { input.joinsGroups = input.joinsGroups || observer != nil }
  }
  /// Warnings for the user, in order.
  package private(set) var warnings: [MessageTemplate] = []
  private let options: Options
  private let input: AreaInput
  private var sources: [Source] = []
  private var grids: [Grid] = []
  private let output: any ZonalTarget
  private var coverageFile: CoverageFile?
  private var repairCount = 0
  private var faultCount = 0
  private var transformCount = 0
  /// The numbers of groups with areas that had to be repaired, and of areas that could not be joined.
  private var groupCounts = (repairs: 0, faults: 0)
  /// The number of coverages that were computed, how often one was used for another band or raster, and the
  /// largest size of those in memory at once.
  private var coverageCounts = (computed: 0, reused: 0, bytes: 0)

  /// The number of areas that are read at once; smaller if they have many vertices.
  private var batchSize = 1 << 10
  private static let largestBatch = 1 << 14
  private static let verticesPerBatch = 1 << 21
  /// The number of areas whose coverage is computed at once.
  private var sliceSize = 64
  private var sliceCount = 0
  /// The size of the coverage of a slice in bytes, approximately.
  private static let coverageBytes = 32 << 20
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
    _ rasters: [Raster], _ options: Options, input: FeatureInput? = nil
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
    _ rasters: [Raster], _ options: Options, _ input: FeatureInput, _ output: any ZonalTarget
  ) throws {
    (self.options, self.output) = (options, output)
    self.input = AreaInput(
      input, condition: options.condition, groupColumn: options.groupColumn,
      checkShapes: options.checkShapes, workers: options.workers)
    for raster in rasters { try add(raster, self.input.reference) }
    if let path = options.coverage { try open(coverage: path) }
  }

  /// The paths of the areas, the rasters and the weights.
  package var inputFiles: [String] {
    var rasters = sources.map(\.raster)
    if case .raster(let weights) = options.weights { rasters.append(weights) }
    return [options.areas] + rasters.flatMap { $0.members.flatMap(\.files) }
  }

  private func open(coverage path: String) throws {
    guard let grid = grids.first, grids.count == 1 else {
      throw PlumbError(
        messageTemplate: "\(.coverage): the rasters have different grids; run each grid on its own",
        code: .badOption)
    }
    guard path != "-" else { throw CoverageFormat.other(path, "is not the name of a file") }
    try InputGuard.check(output: path, inputs: inputFiles)
    if let output = options.output { try InputGuard.check(path, isNot: output) }
    let key = CoverageKey(
      grid.cells, options.rule, input.reference, radius: options.radius)
    if FileKind(path: path) == nil {
      coverageFile = .written(try CoverageWriter(path: path, key))
      input.coverage = .written
    } else {
      coverageFile = .read(
        try CoverageReader(
          path: path, key, grid.cells.grid, isExact: options.rule.isExact))
      input.coverage = .read
      input.joinsGroups = output.hasShapes
    }
  }

  private func add(_ raster: Raster, _ reference: SpatialReference?) throws {
    let sampler = try ZonalSampler(raster, cache: options.cache, workers: options.workers)
    let cells = sampler.cells
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
    let target = try cells.reference.map { try SpatialReference($0) }
    guard (target == nil) == (reference == nil) else {
      throw PlumbError(
        "\(target == nil ? raster.name.printable : "the input of areas") has no CRS, so the areas "
          + "cannot be placed on the raster", code: .noReference,
        remedies: target == nil ? [] : ["set the CRS of the areas with \(.crs)"])
    }
    let known = grids.firstIndex { $0.cells == cells }
    if known == nil { grids.append(try grid(raster, cells, reference, target)) }
    sources.append(
      Source(
        raster: raster,
        name: sources.count < options.names.count ? options.names[sources.count] : raster.name,
        bands: bands, sampler: sampler, grid: known ?? grids.count - 1))
  }

  private func grid(
    _ raster: Raster, _ cells: ZonalGrid, _ reference: SpatialReference?,
    _ target: SpatialReference?
  ) throws -> Grid {
    // Discs are drawn in the CRS of the raster.
    let source = options.radius == nil ? reference : target
    var grid = Grid(
      placement: try AreaPlacement(cells, from: source, to: target, workers: options.workers),
      cells: cells)
    if needsSizes {
      if let target, target.isGeoreferenced {
        grid.sizes = try CellAreas(
          cells.transform, cells.grid, target, workers: options.workers.count)
      } else if options.form == .wide || options.form == .long {
        throw PlumbError(
          "\(raster.name.printable) has no CRS, so the sizes of its cells are unknown",
          code: .noReference)
      }
    }
    switch options.weights {
    case .area: grid.weights = grid.sizes
    case .raster(let weights):
      grid.rasterWeights = try RasterWeights(
        weights, for: cells, target, cache: options.cache, workers: options.workers)
      grid.weights = grid.rasterWeights
    case nil: break
    }
    if let radius = options.radius {
      guard let reference, let target else {
        throw PlumbError(
          messageTemplate:
            "\(.radius): \(raster.name.printable) has no CRS, so lengths on the ground are unknown",
          code: .noReference)
      }
      grid.discs = try ZonalDiscs(
        radius, from: reference, to: target, cells.transform, cells.grid, options.workers)
    }
    return grid
  }

  /// Whether the sizes of cells on the ground are needed.
  private var needsSizes: Bool {
    if case .area = options.weights { return true }
    return options.statistics.contains(.area) || options.form == .classes
      || options.form == .wideClasses
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
    // The classes of all areas are needed before the first row.
    var kept: [(batch: FeatureInput.Batch, values: [[ZonalColumns.Values]])] = []
    while let batch = try next.value() {
      try WorkCancellation.checkCurrent()
      countGroups(batch)
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
    try finishCoverage()
    warnings += input.warnings
    if let line = input.faults.warning { warnings.append(MessageTemplate(line)) }
    addWarnings()
    try addFailures()
    warnings += try output.finish().map { MessageTemplate($0) }
    return count
  }

  private func countGroups(_ batch: AreaInput.Batch) {
    var counts = (repairs: batch.repairCount, faults: batch.faultCount)
    if case .read(let reader) = coverageFile {
      // All groups are in one batch.
      counts = options.groupColumn == nil ? (0, 0) : reader.groups
    }
    groupCounts.repairs += counts.repairs
    groupCounts.faults += counts.faults
    repairCount += counts.repairs
    faultCount += counts.faults
  }

  private func finishCoverage() throws {
    switch coverageFile {
    case .written(let writer):
      try writer.finish(repairs: groupCounts.repairs, faults: groupCounts.faults)
    case .read(let reader): try reader.finish()
    case nil: break
    }
  }

  private func setBatchSize(after features: [Feature]) {
    let vertices = features.reduce(0) { $0 + $1.vertexCount }
    let mean = max(1, vertices / max(1, features.count))
    batchSize = min(Self.largestBatch, max(64, Self.verticesPerBatch / mean))
  }

  private var bands: [ZonalBand] {
    sources.flatMap { source in
      source.bands.map { index in
        let band = source.raster.bands[index]
        let grid = grids[source.grid]
        let isScaled = options.isScaled && band.isScaled
        return ZonalBand(
          raster: source.name, number: index + 1,
          isOneOfSeveral: source.raster.bands.count > 1,
          type: isScaled ? nil : band.pixelType, scale: isScaled ? band.scale : 1,
          offset: isScaled ? band.offset : 0, classes: band.classes,
          transform: grid.cells.transform, hasSizes: grid.sizes != nil)
      }
    }
  }

  /// Creates the columns and begins the output, when the input's columns are known.
  private func begin(classes: [[Double]]? = nil) throws -> ZonalColumns {
    let columns = try ZonalColumns(
      options.form, bands, options.statistics, classes: classes ?? bands.map { _ in [] },
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
    let bands = bands
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
    guard let (statistic, _) = observedStatistic, let band = bands.first else { return nil }
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
      let end = min(features.count, start + sliceSize)
      let placed = try placed(
        Array(features[start..<end]), coverageFile == nil ? [] : Array(batch.hashes[start..<end]))
      values += try self.values(of: placed, count: end - start, columns)
      start = end
    }
    return values
  }

  /// The coverage of features on each grid.
  private func placed(_ features: [Feature], _ hashes: [UInt64]) throws -> [ZonalAreas] {
    if case .read(let reader) = coverageFile { return [try reader.next(hashes, options.workers)] }
    let placed = try grids.map { grid in
      let areas = try grid.discs?.areas(around: features) ?? features.map(\.area)
      return ZonalAreas(
        areas, on: grid.placement, grid.cells, options.rule, limit: options.edgeCellLimit,
        options.workers)
    }
    // Cancelled work is not complete.
    try WorkCancellation.checkCurrent()
    if case .written(let writer) = coverageFile {
      try writer.write(placed[0], hashes: hashes, options.workers)
    }
    return placed
  }

  /// The values of features whose coverage is in memory at once.
  private func values(
    of placed: [ZonalAreas], count featureCount: Int, _ columns: ZonalColumns
  ) throws -> [[ZonalColumns.Values]] {
    try WorkCancellation.checkCurrent()
    guard !placed.contains(where: \.isOverLimit) else {
      throw PlumbError(
        "the edges of an area cross more than \(options.edgeCellLimit) cells; request a smaller area",
        code: .limit)
    }
    try count(placed)
    countCoverages(placed, featureCount: featureCount)
    var detail = ZonalStatistic.detail(of: options.statistics)
    let hasClasses = options.form == .classes || options.form == .wideClasses
    if hasClasses { detail = ZonalSampler.Detail(needsDistribution: true) }
    (detail.isScaled, detail.entryLimit) = (options.isScaled, options.entryLimit)
    if options.entryLimit == .max {
      let spillCount =
        options.spillCount ?? max(1 << 20, Self.spillCountOfAll / options.workers.count)
      detail.spill = ZonalDistribution.Spill(entryCount: spillCount) { try SpillFile() }
      if options.isApproximate, options.statistics.allSatisfy(\.canBeApproximate) {
        detail.sketchCount = spillCount
      }
    }
    let listsEntries = hasClasses || options.statistics.contains(.shares)
    let listed = Atomic(listedCount)
    let isOverLimit = Atomic(false)
    let failure = Mutex<(any Error)?>(nil)
    let bands = bands
    var values = [[ZonalColumns.Values]](
      repeating: [ZonalColumns.Values](repeating: ZonalColumns.Values(), count: bands.count),
      count: featureCount)
    var ends: [Int] = []
    for source in sources { ends.append((ends.last ?? 0) + source.bands.count) }
    // Every second slice starts with the raster whose tiles were read last, because they are still in the cache.
    sliceCount += 1
    let order = sliceCount % 2 == 1 ? Array(sources.indices) : sources.indices.reversed()
    for number in order {
      let source = sources[number]
      let own = placed[source.grid]
      detail.sizes = grids[source.grid].sizes
      detail.weights = grids[source.grid].weights
      for (offset, index) in source.bands.enumerated() {
        let position = ends[number] - source.bands.count + offset
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

  private func countCoverages(_ placed: [ZonalAreas], featureCount: Int) {
    let computed = placed.reduce(0) { $0 + $1.coverage.areas.count }
    let used = sources.reduce(0) { $0 + $1.bands.count } * featureCount
    let bytes = placed.reduce(0) { $0 + $1.coverage.byteCount }
    coverageCounts.computed += computed
    coverageCounts.reused += used - computed
    coverageCounts.bytes = max(coverageCounts.bytes, bytes)
    let fitting = Self.coverageBytes * featureCount / max(1, bytes)
    sliceSize = max(8, min(Self.largestBatch, fitting, sliceSize * 16))
  }

  /// The reads and the computations of the run, one line each.
  package var explanation: [String] {
    let (computed, reused, bytes) = coverageCounts
    return [
      "areas are read in the order of the tiles that contain their centres, a batch at a time",
      "\(computed) coverages \(coverageSource), \(reused) reused, at most \(ByteText.describe(bytes)) retained",
    ]
      + sources.map { source in
        let (touched, decoded) = source.sampler.tileCounts
        return
          "\(source.raster.name.printable): \(touched) tiles touched, \(decoded) decoded"
      }
  }

  private var coverageSource: String {
    switch coverageFile {
    case .written: "computed and written"
    case .read: "read"
    case nil: "computed"
    }
  }

  private func count(_ placed: [ZonalAreas]) throws {
    guard let first = placed.first else { return }
    repairCount += first.repairCount
    faultCount += first.faults.count { $0 == .badArea }
    transformCount += first.faults.indices.count { index in
      placed.contains { $0.faults[index] == .transformFailed }
    }
    try checkFaults()
  }

  private func checkFaults() throws {
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
    let failures =
      sources.map { $0.sampler.removeFailures() }
      + grids.flatMap { $0.rasterWeights?.removeFailures() ?? [] }
    for lines in failures.map(\.messages) {
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
