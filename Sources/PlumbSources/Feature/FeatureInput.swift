import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// Reads the features of a file, of standard input or of a list of points in batches.
package final class FeatureInput {
  package struct Options {
    /// The path of a file, or `-` for standard input.
    package var path: String
    package var x: String?
    package var y: String?
    package var layer: String?
    /// The CRS of the coordinates, which overrides the input's CRS; nil for the input's CRS.
    package var reference: SpatialReference?
    /// The types of columns of delimited text.
    package var types = ColumnTypes.automatic
    /// Whether the types of columns are needed.
    package var needsTypes = false
    /// Whether a column of well-known text in delimited text may have shapes other than points.
    package var readsShapes = false
    /// Whether the output is JSON, in which numbers keep all of their digits.
    package var isJSON = false
    package var workers = Workers()
    /// The files and hosts that a file opened by OGR may access.
    package var access = DocumentAccess.folder
    /// Whether the columns are needed. GeoJSON does not declare columns, so all features have to be
    /// read to determine the columns.
    package var needsFields = false
    /// Opens the addresses of services; nil if GDAL opens addresses.
    package var services: FeatureServices?

    package init(
      path: String,
      x: String? = nil,
      y: String? = nil,
      layer: String? = nil,
      reference: SpatialReference? = nil,
      types: ColumnTypes = ColumnTypes.automatic,
      needsTypes: Bool = false,
      isJSON: Bool = false,
      workers: Workers = Workers(),
      access: DocumentAccess = DocumentAccess.folder,
      needsFields: Bool = false
    ) {
      self.path = path
      self.x = x
      self.y = y
      self.layer = layer
      self.reference = reference
      self.types = types
      self.needsTypes = needsTypes
      self.isJSON = isJSON
      self.workers = workers
      self.access = access
      self.needsFields = needsFields
    }
  }

  /// Consecutive features.
  package struct Batch: Sendable {
    package var features: [Feature]
    /// The features' text, if the input is GeoJSON.
    package var texts: [GeoJSONFeatureSource.Text]?
    /// The features' rows in a Parquet or Arrow table, if the input keeps them.
    package var rows: [TableRow]?
    /// The fraction of the input that has been read, 0 to 1; nil if its size is unknown.
    package var share: Double?
    /// The message about the first feature so far that was read without its shape; nil if there is none.
    package var fault: String?

    package init(
      features: [Feature],
      texts: [GeoJSONFeatureSource.Text]? = nil,
      rows: [TableRow]? = nil,
      share: Double? = nil
    ) {
      self.features = features
      self.texts = texts
      self.rows = rows
      self.share = share
    }

    /// Appends the features of the next batch.
    package mutating func append(_ next: Batch) {
      features += next.features
      if let more = next.texts { texts = (texts ?? []) + more }
      if let more = next.rows { rows = (rows ?? []) + more }
      (share, fault) = (next.share, fault ?? next.fault)
    }
  }

  package let source: any InputSource
  /// The name of a feature in messages.
  package let itemName: String
  /// The number of the first feature in messages: 0 if the caller counts rows from 0.
  package let firstNumber: Int
  /// The columns as OGR field declarations.
  package let vectorFields: [VectorField]
  /// The files that are read.
  package let files: [String]
  private let bytes: ByteInput?
  private var count = 0

  package init(
    _ source: any InputSource, itemName: String, firstNumber: Int = 1,
    vectorFields: [VectorField]? = nil, files: [String] = [], bytes: ByteInput? = nil
  ) {
    self.source = source
    self.itemName = itemName
    self.firstNumber = firstNumber
    self.vectorFields = vectorFields ?? source.fields.map { VectorField($0) }
    self.files = files
    self.bytes = bytes
  }

  /// Creates an input of the given points.
  package static func points(_ points: [SIMD2<Double>], reference: SpatialReference) -> FeatureInput
  {
    FeatureInput(PointListSource(points, reference: reference), itemName: "point")
  }

  /// Opens a file as GeoJSON or delimited text according to its extension, as Parquet or Arrow
  /// according to its first bytes, otherwise with OGR. A stream is opened as Arrow or GeoJSON if it
  /// starts like them, otherwise as delimited text.
  package static func open(_ options: Options) throws -> FeatureInput {
    let path = options.path
    if let features = try options.services?.features(
      at: path, layer: options.layer, reference: options.reference)
    {
      return try vector(features, [], options)
    }
    let ending = InputEnding(path: path)
    let (isGeoJSON, isDelimited) = (ending.isGeoJSON, ending.isDelimited)
    let isStream = path == "-" || !path.hasPrefix("/vsi") && FileKind(path: path) == .stream
    if !isStream, ColumnarTable.isParquet(path) { return try columnar(options) }
    if path.hasPrefix("/vsi") { return try vector(path, options) }
    guard isStream || FileKind(path: path) != nil || path.contains(":") else {
      throw noSuchFile(path)
    }
    let isArrow = !isStream && ColumnarTable.isArrow(path)
    guard isStream || isArrow || (isDelimited || isGeoJSON) && FileKind(path: path) == .file else {
      return try vector(path, options)
    }
    let input = try PeekedInput(path: path)
    if isStream, input.starts(with: "PAR1") { throw ColumnarTable.notInStream }
    if isArrow || isStream && ArrowStreamReader.isArrow(input.firstBytes) {
      return try columnar(options, input)
    }
    if isGeoJSON || isStream && !isDelimited && input.startsLikeJSON {
      // Other formats also use the extension of plain JSON.
      if ending.isPlainJSON, !isStream,
        try FeatureFile.isEsri(path) || !startsAsGeoJSON(path)
      {
        return try vector(path, options)
      }
      return try geoJSON(input, options)
    }
    // MapInfo tables have the same extension as tab-separated text.
    if !isStream, input.starts(with: "!table") { return try vector(path, options) }
    try OnlyLayer.check(options.layer, of: options.path, options.access)
    let source = try DelimitedFeatureSource(
      input, isTab: ending.isTab, options, workers: options.workers)
    return FeatureInput(source, itemName: "row", files: [path], bytes: input.input)
  }

  /// Opens a file as delimited text, regardless of its name.
  package static func delimited(_ options: Options) throws -> FeatureInput {
    let source = try DelimitedFeatureSource(
      try PeekedInput(path: options.path), isTab: InputEnding(path: options.path).isTab, options,
      workers: options.workers)
    return FeatureInput(source, itemName: "row", files: [options.path])
  }

  /// - Parameter arrow: the bytes of an Arrow stream or file; nil for a Parquet file.
  private static func columnar(
    _ options: Options, _ arrow: PeekedInput? = nil
  ) throws -> FeatureInput {
    try OnlyLayer.check(options.layer, of: options.path, options.access)
    let source = try ColumnarFeatureSource(
      path: options.path, x: options.x, y: options.y, reference: options.reference,
      access: options.access, workers: options.workers, arrow: arrow)
    return FeatureInput(
      source, itemName: "row", vectorFields: source.vectorFields, files: [options.path],
      bytes: arrow?.input)
  }

  private static func startsAsGeoJSON(_ path: String) throws -> Bool {
    let input = try PeekedInput(path: path)
    do {
      _ = try GeoJSONReader { try input.read($0) }
      return true
    } catch is FormatError {
      return false
    }
  }

  private static func geoJSON(_ input: PeekedInput, _ options: Options) throws -> FeatureInput {
    try OnlyLayer.check(options.layer, of: options.path, options.access)
    if options.x != nil || options.y != nil {
      throw PointColumns.notOfGeoJSON
    }
    let source = try GeoJSONFeatureSource(
      input, isSequence: InputEnding(path: options.path).isSequence,
      needsFields: options.needsFields, reference: options.reference)
    return FeatureInput(source, itemName: "feature", files: [options.path], bytes: source.bytes)
  }

  private static func vector(_ path: String, _ options: Options) throws -> FeatureInput {
    let reader = try FeatureFile(
      path: path, layer: options.layer, reference: options.reference,
      access: options.access.named)
    return try vector(reader, [path] + reader.files, options)
  }

  private static func vector(
    _ reader: FeatureFile, _ files: [String], _ options: Options
  ) throws -> FeatureInput {
    var source: any InputSource = reader
    if options.x != nil || options.y != nil || !reader.hasGeometry {
      source = try ColumnPointSource(reader, options)
    }
    return FeatureInput(
      source, itemName: "feature", vectorFields: reader.vectorFields, files: files)
  }

  /// Whether batches contain the rows of Parquet or Arrow, so that their columns can be copied.
  package var keepsRows: Bool {
    get { (source as? ColumnarFeatureSource)?.keepsRows ?? false }
    set { (source as? ColumnarFeatureSource)?.keepsRows = newValue }
  }

  /// The input's columns as columns of a Parquet or Arrow table. If the input is such a table and
  /// `keepsRows` is set, its columns are unchanged.
  package var columnFields: [ColumnField] {
    guard let table = source as? ColumnarFeatureSource, table.keepsRows else {
      return vectorFields.map { ColumnField($0) }
    }
    return table.columnFields
  }

  /// Whether the features are from Parquet or Arrow.
  package var isColumnar: Bool { source is ColumnarFeatureSource }

  /// Warnings about differences from the input, one line each; complete at the end.
  package var warnings: [MessageTemplate] { source.warnings }

  /// The features that have been read without their shapes so far.
  package var faults: FeatureFaults { source.faults }

  /// Returns the next features; nil at the end.
  package func next(limit: Int) throws -> Batch? {
    guard var batch = try source.nextBatch(limit: limit) else { return nil }
    batch.fault = faults.first
    count += batch.features.count
    if let total = source.featureCount {
      batch.share = total == 0 ? 1 : Double(count) / Double(total)
    } else if let bytes, let total = bytes.byteCount, total > 0 {
      batch.share = Double(bytes.position) / Double(total)
    }
    return batch
  }
}
