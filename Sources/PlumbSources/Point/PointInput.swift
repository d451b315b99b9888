import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// A stream of rows of points: delimited text, GeoJSON, an Esri feature set, Parquet, Arrow, or a
/// source opened by OGR.
package final class PointInput {
  package enum Kind {
    case delimited(DelimitedReader, PointColumns)
    case geoJSON(GeoJSONReader)
    case esri(FeaturePointReader)
    case vector(VectorPointReader)
    case columnar(ColumnarPointReader)
  }

  package let kind: Kind
  /// The CRS that the input itself names or implies; nil if there is none.
  package let reference: SpatialReference?
  /// The columns. GeoJSON does not declare columns; its columns are the properties of all features,
  /// if known.
  package let fields: [Field]
  /// Notes for the user about the interpretation of the input.
  package private(set) var notes: [MessageTemplate] = []
  private let bytes: PeekedInput?
  private let options: Options
  private let workers: Workers
  private var lines = 0
  private var rowsBefore = 0
  /// Whether the columns of Parquet and Arrow keep their types; set before the first row is read.
  package var keepsColumns = false
  /// The CRS of GeoJSON as determined before its features are read: `.some(nil)` if GeoJSON names no CRS,
  /// and nil if the CRS is not needed.
  private var knownCRS: String??

  package struct Options {
    package var path: String
    package var x: String?
    package var y: String?
    package var layer: String?
    /// Whether the names and kinds of all GeoJSON properties are needed before the first row.
    package var needsFields = false
    /// Whether the caller specifies the points' CRS, which overrides the input's CRS.
    package var hasReference = false
    /// The number of values that are requested for each row.
    package var columnCount = 1
    /// The types of columns of delimited text.
    package var types = ColumnTypes.automatic
    /// Whether the types of columns are needed.
    package var needsTypes = false
    /// The files and hosts that a file opened by OGR may access.
    package var access = DocumentAccess.folder
    /// The number of bytes of delimited text that are read at once; nil for a few million rows, or fewer if
    /// many values are requested for each row.
    package var blockBytes: Int?
    /// Whether the coordinates of points are columns and rows of cells.
    package var takesCells = false

    package init(path: String) { self.path = path }

    /// The number of bytes of text that are read at once, so that the text of the rows with all requested values
    /// has about the same size for any number of values.
    fileprivate var blockSize: Int {
      blockBytes ?? max(1 << 15, (8 << 20) / max(1, columnCount / 24))
    }

    /// Whether the input can be read only once.
    package var isStream: Bool { path == "-" || FileKind(path: path) == .stream }
  }

  /// The number of bytes of delimited text that are read at once, which also limits the number of features
  /// that are read at once.
  private let blockSize: Int
  private var featureLimit: Int { min(Self.maximumFeatures, max(1, blockSize / 32)) }
  private static let maximumFeatures = 1 << 16

  package convenience init(_ options: Options, workers: Workers) throws {
    try self.init(options, workers: workers, from: nil)
  }

  /// - Parameter known: the open input of the path, at its first byte; nil to open the path.
  private init(_ options: Options, workers: Workers, from known: PeekedInput?) throws {
    self.workers = workers
    self.options = options
    let ending = InputEnding(path: options.path)
    let (isGeoJSON, isDelimited) = (ending.isGeoJSON, ending.isDelimited)
    let isVirtual = options.path.hasPrefix("/vsi") || BucketName(options.path) != nil
    let isOther = isVirtual || !options.isStream && !isGeoJSON && !isDelimited
    blockSize = options.blockSize
    // Esri feature sets have the same extension as GeoJSON.
    if isOther || ending.isPlainJSON && !options.isStream, FeatureFile.isEsri(options.path) {
      let reader = try FeaturePointReader(
        path: options.path, layer: options.layer, x: options.x, y: options.y,
        access: options.access.named)
      (kind, reference) = (.esri(reader), reader.spatialReference)
      (fields, bytes) = (reader.fields, nil)
      return
    }
    if let (reader, input) = try Self.columnar(options, workers) {
      (kind, reference) = (.columnar(reader), reader.spatialReference)
      (fields, bytes, notes) = (reader.fields, input, reader.notes)
      return
    }
    if isOther {
      let (reader, named) = try Self.vector(options)
      (kind, reference) = (.vector(reader), named)
      (fields, bytes) = (reader.fields, nil)
      return
    }
    try OnlyLayer.check(options.layer, of: options.path, options.access)
    var input = try known ?? PeekedInput(path: options.path)
    if options.isStream, input.starts(with: "PAR1") { throw ColumnarTable.notInStream }
    if options.isStream, ArrowStreamReader.isArrow(input.firstBytes) {
      let reader = try Self.columnar(options, workers, input)
      (kind, reference) = (.columnar(reader), reader.spatialReference)
      (fields, bytes, notes) = (reader.fields, input, reader.notes)
      return
    }
    if isGeoJSON || (options.isStream && !isDelimited && input.startsLikeJSON) {
      if options.x != nil || options.y != nil {
        throw PointColumns.notOfGeoJSON
      }
      if options.needsFields {
        // The columns are known only after all features have been read, so the input is read twice.
        input = try input.rewindable()
        fields = try Self.scanFields(input, isSequence: ending.isSequence)
        try input.rewind()
      } else {
        fields = []
      }
      var trailing: String?
      if !options.hasReference, try input.tailContains("\"crs\"") {
        trailing = try GeoJSONReader.crsText(isSequence: ending.isSequence) { try input.read($0) }
        try input.rewind()
      }
      let bytes = input
      let reader = try GeoJSONReader(
        isSequence: ending.isSequence,
        isPaused: bytes.isRewindable ? nil : { bytes.isPaused(milliseconds: $0) }
      ) { try bytes.read($0) }
      kind = .geoJSON(reader)
      let named = trailing ?? reader.crsText
      knownCRS = options.hasReference ? nil : .some(named)
      reference =
        reader.hasNullCRS ? nil : try named.map { try SpatialReference($0) } ?? .wgs84
      self.bytes = input
    } else {
      self.bytes = input
      let opened = try DelimitedInput(input, options, isTab: ending.isTab, workers: workers)
      kind = .delimited(opened.reader, opened.columns)
      reference = opened.reference
      fields = opened.fields
      notes = opened.notes
      lines = opened.reader.header.lineCount
    }
  }

  /// The reader and the bytes of an Arrow file, or the reader of a Parquet file; nil for other files, and for streams.
  private static func columnar(
    _ options: Options, _ workers: Workers
  ) throws -> (ColumnarPointReader, PeekedInput?)? {
    guard !options.isStream else { return nil }
    let isArrow = ColumnarTable.isArrow(options.path)
    guard isArrow || ColumnarTable.isParquet(options.path) else { return nil }
    try OnlyLayer.check(options.layer, of: options.path, options.access)
    let input = isArrow ? try PeekedInput(path: options.path) : nil
    return (try columnar(options, workers, input), input)
  }

  private static func columnar(
    _ options: Options, _ workers: Workers, _ arrow: PeekedInput?
  ) throws -> ColumnarPointReader {
    try ColumnarPointReader(
      path: options.path, x: options.x, y: options.y, access: options.access, workers: workers,
      arrow: arrow.map { input in { try input.read($0) } })
  }

  /// Opens a layer with OGR. Returns the reader and the CRS of the points.
  private static func vector(
    _ options: Options
  ) throws -> (reader: VectorPointReader, reference: SpatialReference?) {
    let path = options.path
    guard path.hasPrefix("/vsi") || FileKind(path: path) != nil || path.contains(":") else {
      throw noSuchFile(path)
    }
    let reader = try VectorPointReader(
      path: path, layer: options.layer, access: options.access.named)
    var implied: SpatialReference?
    if options.x != nil || options.y != nil || !reader.hasGeometry {
      let names = reader.fields.map(\.name)
      let columns = try PointColumns(names: names, x: options.x, y: options.y)
      try reader.usePointColumns(x: names[columns.x], y: names[columns.y])
      if columns.isGeographic { implied = .wgs84 }
    }
    return (reader, try reader.referenceText.map { try SpatialReference($0) } ?? implied)
  }

  /// Returns the properties of all features, in the order in which they first appear.
  private static func scanFields(_ input: PeekedInput, isSequence: Bool) throws -> [Field] {
    let reader = try GeoJSONReader(isSequence: isSequence) { try input.read($0) }
    var merge = GeoJSONFieldMerge()
    while let batch = try reader.next(limit: maximumFeatures) { merge.add(batch) }
    return merge.fields
  }

  /// The columns as OGR field declarations.
  package var vectorFields: [VectorField] {
    switch kind {
    case .delimited, .geoJSON: fields.map { VectorField($0) }
    case .esri(let reader): reader.vectorFields
    case .vector(let reader): reader.vectorFields
    case .columnar(let reader): reader.vectorFields
    }
  }

  /// The input's columns as columns of a Parquet or Arrow table.
  package var columnFields: [ColumnField] {
    guard keepsColumns, case .columnar(let reader) = kind else {
      return vectorFields.map { ColumnField($0) }
    }
    return reader.columnFields
  }

  /// The name of a row, counted from 1, in messages.
  package var itemName: String {
    switch kind {
    case .delimited, .geoJSON: "line"
    case .esri, .vector: "feature"
    case .columnar: "row"
    }
  }

  /// The fraction of the input that has been read, 0 to 1; nil if its size is unknown.
  package var progress: Double? {
    let count: Int?
    switch kind {
    case .esri(let reader): count = reader.featureCount
    case .vector(let reader): count = reader.featureCount
    case .columnar(let reader): count = reader.featureCount
    case .delimited, .geoJSON:
      guard let bytes = bytes?.input, let total = bytes.byteCount, total > 0 else { return nil }
      var position = bytes.position
      if case .delimited(let reader, _) = kind { position = reader.position }
      return Double(position) / Double(total)
    }
    return count.map { $0 == 0 ? 1 : Double(rowsBefore) / Double($0) }
  }

  /// Whether it is certain that all rows have been returned.
  package var isExhausted: Bool {
    if case .delimited(let reader, _) = kind { reader.isExhausted } else { false }
  }

  /// Whether the input has paused since the last call, so that the results of earlier rows should be written
  /// without waiting for later rows.
  package func consumePause() -> Bool { bytes?.consumePause() ?? false }

  /// Whether all rows can be read again.
  package var canRestart: Bool { bytes?.isRewindable ?? true }

  /// Returns a new input that reads the same rows from the first row, but does not determine the names and
  /// types of the fields. The old input must not be used afterwards.
  package func restarted() throws -> PointInput {
    var options = options
    (options.needsFields, options.needsTypes) = (false, false)
    let input = try PointInput(options, workers: workers, from: try bytes?.restarted())
    input.keepsColumns = keepsColumns
    return input
  }

  /// Returns the next rows, or nil at the end.
  package func next() throws -> PointBatch? {
    let batch: PointBatch?
    switch kind {
    case .delimited(let reader, let columns): batch = try nextDelimited(reader, columns)
    case .geoJSON(let reader):
      batch = try reader.next(limit: featureLimit).map { rows in
        PointBatch(
          x: rows.x, y: rows.y, isBad: rows.isBad, faults: rows.faults, rows: .geoJSON(rows),
          firstRow: rowsBefore
        ) {
          rows.lines[$0]
        }
      }
    case .esri(let reader): batch = try reader.next(limit: featureLimit).map(features)
    case .vector(let reader): batch = try reader.next(limit: featureLimit).map(features)
    case .columnar(let reader):
      batch = try reader.next(limit: featureLimit, keepsColumns: keepsColumns).map {
        switch $0 {
        case .values(let rows): features(rows)
        case .columns(let rows): features(rows)
        }
      }
    }
    rowsBefore += batch?.count ?? 0
    if batch == nil, case .geoJSON(let reader) = kind, let knownCRS, reader.crsText != knownCRS {
      throw PlumbError(
        "the CRS (\(reader.crsText?.printable ?? "null")) follows the features",
        remedies: ["give it with \(.crs)"])
    }
    return batch
  }

  private func features(_ rows: VectorBatch) -> PointBatch {
    let before = rowsBefore
    return PointBatch(
      x: rows.x, y: rows.y, isBad: rows.isBad, faults: rows.faults, rows: .vector(rows),
      firstRow: before
    ) {
      before + $0 + 1
    }
  }

  private func features(_ rows: ColumnarBatch) -> PointBatch {
    let before = rowsBefore
    return PointBatch(
      x: rows.x, y: rows.y, isBad: rows.isBad, faults: rows.faults, rows: .columnar(rows),
      firstRow: before
    ) {
      before + $0 + 1
    }
  }

  private func nextDelimited(
    _ reader: DelimitedReader, _ columns: PointColumns
  ) throws -> PointBatch? {
    guard let block = try reader.next(size: blockSize) else { return nil }
    let header = reader.header
    let rows = DelimitedRows(
      block, columnCount: header.names.count, columns: columns, delimiter: header.delimiter,
      workers: workers)
    var badLines: [(line: Int, fault: PointFault)] = []
    for part in rows.parts {
      try DelimitedInput.check(part, columns, after: lines)
      for bad in part.badRows { badLines.append((lines + bad.line + 1, bad.fault)) }
      lines += part.lineCount
    }
    return PointBatch(
      count: rows.count, x: rows.x, y: rows.y, status: rows.status, rows: .delimited(rows),
      badLines: badLines, firstRow: rowsBefore)
  }
}
