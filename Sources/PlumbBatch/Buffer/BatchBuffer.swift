import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbSources

/// Buffers the features of a file and writes the areas. Memory use is bounded by a batch of features,
/// regardless of the length of the input, unless all buffers are joined into one area.
public final class BatchBuffer {
  /// The input features.
  public enum Source: Sendable, Hashable {
    /// The features of a file or of a service's layer, given by path or URL; `-` is standard input.
    case file(String)
    /// Points as x and y.
    case points([SIMD2<Double>])
  }

  /// The input, the distances and the output.
  public struct Options: Sendable {
    /// The input features.
    public var source: Source
    /// The distances, as a list or from a column.
    public var distances: BufferDistances
    /// The unit of the distances. Nil means the unit of the CRS for planar buffers, and metres for
    /// geodesic buffers.
    public var unit: LengthUnit?
    /// The method that measures distances, planar or geodesic, with its options.
    public var method: BufferMethod = .planar()
    /// Whether all buffers are joined into one area.
    public var isUnion = false
    /// The column of x, easting or longitude, by name or number from 1; nil to use common names. It
    /// is used if the input has coordinate columns instead of geometries.
    public var x: String?
    /// The column of y, northing or latitude, by name or number from 1; nil to use common names.
    public var y: String?
    /// The layer of a source that has several layers; nil if the source has only one.
    public var layer: String?
    /// The types that columns of delimited text have in output formats with typed columns.
    public var types = ColumnTypes.automatic
    /// The CRS of the input, which overrides the CRS that the input specifies. Points without a CRS
    /// are in WGS84.
    public var reference: SpatialReference?
    /// The CRS of the output; nil means the CRS of the input, or WGS84 for GeoJSON.
    public var outputReference: SpatialReference?
    /// The output file; nil for standard output.
    public var output: String?
    /// The name of the output format. Nil selects the format by the extension of the output, or
    /// GeoJSON if the extension is missing or unknown.
    public var format: String?
    /// Whether an existing file is replaced; if false, an existing file is an error.
    public var overwrites = false
    /// The table of the database `output`; nil to write a file or standard output.
    package var table: DatabaseTable?
    /// The locations to which the file of features may refer.
    public var access = DocumentAccess.folder
    /// The client that opens the layers of services by URL; nil if GDAL opens URLs.
    public var services: FeatureServices?
    /// Throws if shapes are too complex to be buffered or joined; nil for no limit.
    package var checkShapes: (@Sendable ([Geometry]) throws -> Void)?
    /// Whether a feature with an unusable shape ends the run.
    public var isStrict = false
    /// The threads that compute buffers.
    public var workers = Workers()

    /// Creates options with defaults: planar, as GeoJSON on standard output.
    public init(_ source: Source, distances: BufferDistances) {
      self.source = source
      self.distances = distances
    }
  }

  /// Receives each batch of features and the areas that are written for them; nil for a feature
  /// without an area. For a union, the observer is called with each batch of features and no areas,
  /// and finally with no features and the joined area.
  public var observer: ((_ features: [Feature], _ areas: [Polygon?]) -> Void)?
  /// Warnings for the user, in order; the caller prints them.
  public private(set) var warnings: [MessageTemplate] = []
  private let options: Options
  private let input: FeatureInput
  /// The first fault in the input up to the current batch.
  private var readFault: String?
  /// The indices, counted from 0, of features with unusable shapes. The indices are not recorded
  /// for a union.
  package private(set) var faultyFeatures: [Int] = []
  private let output: BufferOutput
  private let projector: AreaProjector?
  private var distances: DistanceReader
  private var counter: BufferCounter
  /// The number of features that are read at once. It decreases if areas have many vertices.
  private var batchSize: Int
  private static let largestBatch = 4096
  private static let verticesPerBatch = 1 << 20

  /// Opens the input and the output, and checks that the input, the output and the unit of the distances are
  /// compatible.
  ///
  /// - Throws: the first error found, before anything is written.
  public convenience init(_ options: Options) throws {
    let input = try Self.input(options)
    try self.init(options, input) { [files = input.files] reference in
      try BufferOutput(options, files: files, input: reference)
    }
  }

  private static func input(_ options: Options) throws -> FeatureInput {
    switch options.source {
    case .file(let path):
      var source = FeatureInput.Options(path: path)
      (source.x, source.y, source.layer) = (options.x, options.y, options.layer)
      source.reference = options.reference
      source.needsFields = try needsFields(options)
      let format = try BufferOutput.format(options)
      source.types = options.types
      source.needsTypes = format.isTyped && !options.isUnion
      source.isJSON = format == .geoJSON || format == .geoJSONSequence
      (source.workers, source.access) = (options.workers, options.access)
      source.services = options.services
      return try FeatureInput.open(source)
    case .points(let points):
      return .points(points, reference: options.reference ?? .wgs84)
    }
  }

  /// Buffers the features of an open input.
  ///
  /// - Parameter output: creates the output for the CRS of the input.
  package init(
    _ options: Options, _ input: FeatureInput,
    output: (SpatialReference?) throws -> BufferOutput
  ) throws {
    self.input = input
    let reference = input.source.spatialReference
    warnings += try BufferUnits(options.unit, options.method).check(reference)
    distances = try DistanceReader(options.distances, input)
    self.output = try output(reference)
    input.keepsRows = self.output.format.isColumnar && !options.isUnion
    if let reference, let target = self.output.reference {
      projector = try AreaProjector(from: reference, to: target, workers: options.workers)
    } else {
      projector = nil
    }
    // Geodesic buffers are computed in the output's CRS, so that their edges are straight in this
    // CRS.
    var options = options
    if case .geodesic(var geodesic) = options.method {
      geodesic.outputReference = self.output.reference
      options.method = .geodesic(geodesic)
    }
    self.options = options
    counter = BufferCounter(
      itemName: input.itemName, firstNumber: input.firstNumber, input: reference,
      output: self.output.reference)
    batchSize = Self.largestBatch
    // Geodesic buffers may have a hundred thousand vertices.
    if isGeodesic { batchSize = options.workers.count }
  }

  /// The CRS of the input; nil if unknown.
  public var inputReference: SpatialReference? { input.source.spatialReference }

  /// The CRS of the areas; nil if unknown.
  public var outputReference: SpatialReference? { output.reference }

  private var isGeodesic: Bool {
    if case .geodesic = options.method { true } else { false }
  }

  /// Whether the columns must be known before the first feature.
  private static func needsFields(_ options: Options) throws -> Bool {
    if case .field = options.distances { return true }
    return try !options.isUnion && BufferOutput.format(options).needsFields
  }

  /// Reads, buffers and writes all features.
  ///
  /// - Parameter progress: called after each batch with the fraction done, if known, and the number of
  ///   features so far.
  /// - Returns: the number of features read.
  /// - Throws: the first error. After an error, no output file remains.
  public func run(progress: ((Double?, Int) -> Void)? = nil) throws -> Int {
    do {
      if options.isUnion { try joinAll(progress) } else { try writeAll(progress) }
      // A cancelled read may look like the end of the input.
      try WorkCancellation.checkCurrent()
      // If no feature could be buffered, the first fault is an error.
      if counter.isEmpty, let fault = input.faults.first ?? counter.faults.first {
        throw PlumbError(fault)
      }
      warnings += input.warnings
      warnings += [input.faults.warning].compactMap { $0 }
      warnings += counter.warnings
      warnings += try output.finish()
      return counter.count
    } catch {
      throw output.named(error)
    }
  }

  private func read() throws -> FeatureInput.Batch? {
    let batch = try input.next(limit: batchSize)
    if let batch { readFault = batch.fault }
    return batch
  }

  /// Sets the size of the next batches. A batch has about as many vertices as the memory limit
  /// allows, but at least one feature for each worker.
  private func setBatchSize(after areas: [Polygon?]) {
    let vertices = areas.reduce(0) { $0 + ($1?.vertices.count ?? 0) }
    let mean = max(1, vertices / max(1, areas.count))
    batchSize = min(
      Self.largestBatch, max(options.workers.count, Self.verticesPerBatch / mean))
  }

  /// Reads batches until there are as many features as distances.
  private func firstBatches() throws -> [FeatureInput.Batch] {
    var batches: [FeatureInput.Batch] = []
    var count = 0
    while count < distances.neededCount {
      guard let batch = try read() else { break }
      batches.append(batch)
      count += batch.features.count
    }
    let needed = distances.neededCount
    // A single distance applies to any number of features, including none.
    guard count >= needed || needed == 1 else {
      throw PlumbError(
        "\(needed) distances for \(count) \(input.itemName)\(count == 1 ? "" : "s"); "
          + "give at most one each")
    }
    return batches
  }

  // MARK: One area per feature

  private func writeAll(_ progress: ((Double?, Int) -> Void)?) throws {
    var batches = try firstBatches()[...]
    // While one batch is processed, the previous batch is written and the next batch is read. A
    // background thread has exclusive use of the input or the output until its value is available.
    let (reader, writer) = (WorkerStates([input]), WorkerStates([output]))
    var next = BackgroundValue { [size = batchSize, known = batches.popFirst()] in
      try known ?? reader[0].next(limit: size)
    }
    var fields: [Field]?
    var written: BackgroundValue<Void>?
    while let batch = try next.value() {
      try WorkCancellation.checkCurrent()
      readFault = batch.fault
      fields = fields ?? input.source.fields
      next = BackgroundValue { [size = batchSize, known = batches.popFirst()] in
        try known ?? reader[0].next(limit: size)
      }
      let before = counter.count
      let areas = try self.areas(of: batch.features, before: before)
      setBatchSize(after: areas)
      observer?(batch.features, areas)
      if written == nil { try start(fields ?? []) }
      try written?.value()
      written = BackgroundValue { try writer[0].write(batch, areas) }
      progress?(batch.share, counter.count)
    }
    if written == nil { try start(input.source.fields) }
    try written?.value()
  }

  /// Starts the output. It is called after the first batch has been processed, so that a fault in
  /// this batch does not leave a file.
  private func start(_ fields: [Field]) throws {
    try output.start(
      fields: fields, vectorFields: input.vectorFields, columnFields: input.columnFields,
      workers: options.workers)
  }

  /// Returns the buffers of a batch in the output's CRS; nil for a feature without a buffer.
  private func areas(of features: [Feature], before: Int) throws -> [Polygon?] {
    let distances = try self.distances.next(features)
    try refuseFaults()
    var members: [BufferMember] = []
    for (index, feature) in features.enumerated() {
      let shapes = feature.shapes
      guard counter.add(shapes.first) else { continue }
      try options.checkShapes?(shapes)
      members.append(BufferMember(index: index, shapes: shapes, distance: distances[index]))
    }
    let buffers = try self.buffers(of: members, before: before)
    try checkTransformation(of: buffers.map(\.area))
    do throws(GeometryError) {
      var areas = [Polygon?](repeating: nil, count: features.count)
      for (index, area) in zip(buffers.map(\.index), try finished(buffers.map(\.area)))
      where !area.isEmpty {
        areas[index] = area
      }
      return areas
    } catch {
      throw named(error, error.member.map { before + buffers[$0].index })
    }
  }

  /// Throws the first fault so far in a strict run, or if points were given individually.
  private func refuseFaults() throws {
    guard let fault = readFault ?? counter.faults.first else { return }
    try PlumbError.check([MessageTemplate(fault)], isStrict: options.isStrict)
    // If points are given individually, a fault in any of them is an error.
    if case .points = options.source { throw PlumbError(fault) }
  }

  /// Returns the buffers of the members. A member whose buffer cannot be computed is counted as a
  /// fault.
  private func buffers(
    of members: [BufferMember], before: Int
  ) throws -> [(index: Int, area: Polygon)] {
    let plain = members.filter { $0.shapes.count == 1 }
    if plain.count == members.count {
      do throws(GeometryError) {
        let areas = try draw(plain.map { $0.shapes[0] }, plain.map(\.distance))
        return zip(plain, areas).map { ($0.index, $1) }
      } catch {
        guard error.member != nil else { throw named(error, nil) }
      }
    }
    // Computes the buffers one by one, because at least one member has a fault or consists of
    // several shapes.
    var result: [(index: Int, area: Polygon)] = []
    for member in members {
      do throws(GeometryError) {
        let areas = try draw(
          member.shapes, [member.distance], isUnion: member.shapes.count > 1)
        if let area = areas.first { result.append((member.index, area)) }
      } catch {
        guard error.member != nil || member.shapes.count > 1 else { throw named(error, nil) }
        try WorkCancellation.checkCurrent()
        counter.addFault(named(error, before + member.index).message)
        faultyFeatures.append(before + member.index)
        try refuseFaults()
      }
    }
    return result
  }

  private func draw(
    _ shapes: [Geometry], _ distances: [Double], isUnion: Bool = false
  ) throws(GeometryError) -> [Polygon] {
    let areas = try GeometryEngine.buffer(
      around: shapes, distances: distances, unit: options.unit, union: isUnion,
      method: options.method, workers: options.workers)
    guard shapes.isEmpty || areas.count == (isUnion ? 1 : shapes.count) else {
      throw GeometryError("\(shapes.count) shapes gave \(areas.count) buffers")
    }
    return areas
  }

  /// Adds a warning if the transformation to the output's CRS may be less accurate than the CRSs allow.
  ///
  /// - Throws: in a strict run, the warning as an error.
  private func checkTransformation(of buffers: [Polygon]) throws {
    guard let projector, !counter.hasWarned, buffers.contains(where: { !$0.isEmpty })
    else { return }
    counter.hasWarned = true
    guard let line = projector.warning(of: buffers, isProjected: isGeodesic) else { return }
    warnings.append(MessageTemplate(line))
    try PlumbError.check([MessageTemplate(line)], isStrict: options.isStrict, "it")
  }

  /// Transforms the buffers to the output's CRS, and counts them.
  private func finished(_ buffers: [Polygon]) throws(GeometryError) -> [Polygon] {
    for (index, buffer) in buffers.enumerated() {
      guard buffer.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
        throw GeometryError("the coordinates of its buffer are too large", member: index)
      }
    }
    var areas = buffers
    if let projector, !isGeodesic { areas = try projector.project(buffers) }
    for area in areas { counter.add(area) }
    return areas
  }

  /// Returns an error that contains the feature's number, if known.
  private func named(_ error: GeometryError, _ index: Int?) -> PlumbError {
    index.map {
      PlumbError(
        "\(input.itemName) \($0 + input.firstNumber)", error, context: FailureContext(row: $0 + 1))
    } ?? PlumbError(error)
  }

  // MARK: One area for all

  private func joinAll(_ progress: ((Double?, Int) -> Void)?) throws {
    var batches = try firstBatches()[...]
    var geometries: [Geometry] = []
    var joinedDistances: [Double] = []
    var indices: [Int] = []
    while let batch = try batches.popFirst() ?? read() {
      try WorkCancellation.checkCurrent()
      let distances = try self.distances.next(batch.features)
      for (feature, distance) in zip(batch.features, distances) {
        let index = counter.count
        guard counter.add(feature.shapes.first) else { continue }
        for shape in feature.shapes {
          geometries.append(shape)
          joinedDistances.append(distance)
          indices.append(index)
        }
      }
      try refuseFaults()
      observer?(batch.features, [])
      progress?(batch.share, counter.count)
    }
    try options.checkShapes?(geometries)
    let joined = try joined(geometries, joinedDistances, indices)
    try checkTransformation(of: joined)
    let areas: [Polygon]
    do throws(GeometryError) {
      areas = try finished(joined)
    } catch {
      throw PlumbError("the joined area", error)
    }
    observer?([], areas)
    try output.start(fields: [], vectorFields: [], columnFields: [], workers: options.workers)
    let rows = FeatureInput.Batch(features: areas.map { _ in Feature() })
    try output.write(rows, areas.map { $0.isEmpty ? nil : $0 })
  }

  /// Returns the union of all buffers that can be computed.
  private func joined(
    _ geometries: [Geometry], _ distances: [Double], _ indices: [Int]
  ) throws -> [Polygon] {
    do throws(GeometryError) {
      return try draw(geometries, distances, isUnion: true)
    } catch {
      guard error.member != nil else { throw named(error, nil) }
    }
    // Computes the buffers one by one to find the shapes with faults, which are omitted.
    let members = geometries.indices.map {
      BufferMember(index: $0, shapes: [geometries[$0]], distance: distances[$0])
    }
    var kept: [Int] = []
    for member in members {
      try WorkCancellation.checkCurrent()
      do throws(GeometryError) {
        _ = try draw(member.shapes, [member.distance])
        kept.append(member.index)
      } catch {
        counter.addFault(named(error, indices[member.index]).message)
        try refuseFaults()
      }
    }
    do throws(GeometryError) {
      return try draw(
        kept.map { geometries[$0] }, kept.map { distances[$0] }, isUnion: true)
    } catch {
      throw named(error, error.member.map { indices[kept[$0]] })
    }
  }
}

/// A feature to buffer.
private struct BufferMember {
  /// The index of the feature in its batch.
  var index: Int
  /// The shape of the feature, or the shapes of a collection.
  var shapes: [Geometry]
  var distance: Double
}

extension Feature {
  /// The shapes around which the feature's buffer is computed.
  fileprivate var shapes: [Geometry] { geometry.map { [$0] } ?? collection }
}
