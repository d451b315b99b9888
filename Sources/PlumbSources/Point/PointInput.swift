import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// A stream of rows of points: delimited text, GeoJSON, or whatever OGR opens.
package final class PointInput {
  package enum Kind {
    case delimited(DelimitedReader, PointColumns)
    case geoJSON(GeoJSONReader)
    case vector(VectorPointReader)
  }

  package let kind: Kind
  /// The reference that the input itself names or implies.
  package let reference: SpatialReference?
  /// Columns; for GeoJSON, which has none declared, those of all features, where known.
  package let fields: [Field]
  /// Lines for the user about how the input was taken.
  package private(set) var notes: [Wording] = []
  private let bytes: ByteInput?
  private let workers: Workers
  private var lines = 0
  private var rowsBefore = 0
  /// The reference that GeoJSON named before its features were read; nil when none is asked.
  private var knownCRS: String??

  package struct Options {
    package var path: String
    package var x: String?
    package var y: String?
    package var layer: String?
    /// Whether the names and kinds of all GeoJSON properties are needed before the first row.
    package var needsFields = false
    /// Whether the caller says which reference the points are in, whatever the input says.
    package var hasReference = false
    /// How many values each row is asked for.
    package var columnCount = 1
    /// What columns of delimited text become.
    package var types = ColumnTypes.automatic
    /// Whether the kinds of columns matter.
    package var needsTypes = false
    /// What a file that OGR opens may lead to.
    package var access = DocumentAccess.folder

    package init(
      path: String,
      x: String? = nil,
      y: String? = nil,
      layer: String? = nil,
      needsFields: Bool = false,
      hasReference: Bool = false,
      columnCount: Int = 1,
      types: ColumnTypes = ColumnTypes.automatic,
      needsTypes: Bool = false,
      access: DocumentAccess = DocumentAccess.folder
    ) {
      self.path = path
      self.x = x
      self.y = y
      self.layer = layer
      self.needsFields = needsFields
      self.hasReference = hasReference
      self.columnCount = columnCount
      self.types = types
      self.needsTypes = needsTypes
      self.access = access
    }

    /// Whether the input can be read but once.
    package var isStream: Bool { path == "-" || FileKind(path: path) == .stream }
  }

  /// Bytes of delimited text read at once: some million rows, fewer where each gets many columns.
  private let blockSize: Int
  private static let featureLimit = 1 << 16

  package init(_ options: Options, workers: Workers) throws {
    self.workers = workers
    let ending = InputEnding(path: options.path)
    let (isGeoJSON, isDelimited) = (ending.isGeoJSON, ending.isDelimited)
    let isVirtual = options.path.hasPrefix("/vsi")
    // GeoJSON's ending is that of Esri's feature sets too, which GDAL reads.
    let isEsri = ending.isPlainJSON && !options.isStream && FeatureFile.isEsri(options.path)
    blockSize = max(1 << 20, (24 << 20) / max(1, options.columnCount / 8))
    if isVirtual || isEsri || !options.isStream && !isGeoJSON && !isDelimited {
      guard isVirtual || FileKind(path: options.path) != nil || options.path.contains(":") else {
        throw noSuchFile(options.path)
      }
      let reader = try VectorPointReader(
        path: options.path, layer: options.layer, access: options.access.named)
      if options.x != nil || options.y != nil || !reader.hasGeometry {
        let names = reader.fields.map(\.name)
        let columns = try PointColumns(names: names, x: options.x, y: options.y)
        try reader.usePointColumns(x: names[columns.x], y: names[columns.y])
        reference =
          try reader.referenceText.map { try SpatialReference($0) }
          ?? (columns.isGeographic ? .wgs84 : nil)
      } else {
        reference = try reader.referenceText.map { try SpatialReference($0) }
      }
      kind = .vector(reader)
      fields = reader.fields
      bytes = nil
      return
    }
    if options.layer != nil {
      throw PlumbError(
        wording: "\(.layer) is for files with layers; \(options.path.printable) has none",
        code: .badOption, context: FailureContext(file: options.path))
    }
    var input = try PeekedInput(path: options.path)
    if isGeoJSON || (options.isStream && !isDelimited && input.startsLikeJSON) {
      if options.x != nil || options.y != nil {
        throw PointColumns.notOfGeoJSON
      }
      let isSequence = ending.isSequence
      if options.needsFields {
        // The columns are known only when all features have been seen: read twice.
        input = try input.rewindable()
        fields = try Self.scanFields(input, isSequence: isSequence)
        try input.rewind()
      } else {
        fields = []
      }
      var trailing: String?
      if !options.hasReference, try input.tailContains("\"crs\"") {
        trailing = try GeoJSONReader.crsText(isSequence: isSequence) { try input.read($0) }
        try input.rewind()
      }
      let bytes = input
      let reader = try GeoJSONReader(
        isSequence: isSequence,
        isPaused: bytes.isRewindable ? nil : { bytes.isPaused(milliseconds: $0) }
      ) { try bytes.read($0) }
      kind = .geoJSON(reader)
      let named = trailing ?? reader.crsText
      knownCRS = options.hasReference ? nil : .some(named)
      reference =
        reader.hasNullCRS ? nil : try named.map { try SpatialReference($0) } ?? .wgs84
      self.bytes = input.input
    } else {
      self.bytes = input.input
      let opened = try DelimitedInput(
        input,
        DelimitedInput.Options(
          x: options.x, y: options.y, types: options.types, needsTypes: options.needsTypes,
          hasReference: options.hasReference, isTab: ending.isTab), workers: workers)
      kind = .delimited(opened.reader, opened.columns)
      reference = opened.reference
      fields = opened.fields
      notes = opened.notes
      lines = opened.reader.header.lineCount
    }
  }

  /// The properties of all features, in the order in which they first appear.
  private static func scanFields(_ input: PeekedInput, isSequence: Bool) throws -> [Field] {
    let reader = try GeoJSONReader(isSequence: isSequence) { try input.read($0) }
    var merge = GeoJSONFieldMerge()
    while let batch = try reader.next(limit: featureLimit) { merge.add(batch) }
    return merge.fields
  }

  /// How much of the input has been read, 0 to 1; nil when nobody knows how long it is.
  package var progress: Double? {
    switch kind {
    case .vector(let reader):
      return reader.featureCount.map { $0 == 0 ? 1 : Double(rowsBefore) / Double($0) }
    default:
      guard let bytes, let total = bytes.byteCount, total > 0 else { return nil }
      return Double(bytes.position) / Double(total)
    }
  }

  /// Whether `next` surely has no more rows.
  package var isExhausted: Bool {
    if case .delimited(let reader, _) = kind { reader.isExhausted } else { false }
  }

  /// The next rows, or nil at the end.
  package func next() throws -> PointBatch? {
    let batch: PointBatch?
    switch kind {
    case .delimited(let reader, let columns): batch = try nextDelimited(reader, columns)
    case .geoJSON(let reader):
      batch = try reader.next(limit: Self.featureLimit).map { rows in
        PointBatch(
          x: rows.x, y: rows.y, isBad: rows.isBad, faults: rows.faults, rows: .geoJSON(rows)
        ) {
          rows.lines[$0]
        }
      }
    case .vector(let reader):
      let before = rowsBefore
      batch = try reader.next(limit: Self.featureLimit).map { rows in
        PointBatch(
          x: rows.x, y: rows.y, isBad: rows.isBad, faults: rows.faults, rows: .vector(rows)
        ) {
          before + $0 + 1
        }
      }
    }
    batch?.firstRow = rowsBefore
    rowsBefore += batch?.count ?? 0
    if batch == nil, case .geoJSON(let reader) = kind, let knownCRS, reader.crsText != knownCRS {
      throw PlumbError(
        "the reference (\(reader.crsText?.printable ?? "null")) stands behind the features",
        remedies: ["say it with \(.crs)"])
    }
    return batch
  }

  private func nextDelimited(
    _ reader: DelimitedReader, _ columns: PointColumns
  ) throws -> PointBatch? {
    guard let block = try reader.next(size: blockSize) else { return nil }
    let header = reader.header
    let parts = workers.map(block.parts.count) { _, job in
      DelimitedPart(
        block, block.parts[job], columnCount: header.names.count, columns: columns,
        delimiter: header.delimiter)
    }
    var firstRows: [Int] = []
    var count = 0
    var badLines: [(line: Int, fault: PointFault)] = []
    for part in parts {
      firstRows.append(count)
      count += part.count
      try DelimitedInput.check(part, columns, after: lines)
      for bad in part.badRows { badLines.append((lines + bad.line + 1, bad.fault)) }
      lines += part.lineCount
    }
    let (x, y) = (TrivialBuffer<Double>(count: count), TrivialBuffer<Double>(count: count))
    let status = TrivialBuffer<UInt8>(count: count)
    for (part, first) in zip(parts, firstRows) {
      part.x.withUnsafeBufferPointer {
        if let base = $0.baseAddress { (x.base + first).update(from: base, count: $0.count) }
      }
      part.y.withUnsafeBufferPointer {
        if let base = $0.baseAddress { (y.base + first).update(from: base, count: $0.count) }
      }
      part.status.withUnsafeBufferPointer {
        if let base = $0.baseAddress { (status.base + first).update(from: base, count: $0.count) }
      }
    }
    return PointBatch(
      count: count, x: x, y: y, status: status,
      rows: .delimited(block, parts, firstRows: firstRows, delimiter: header.delimiter),
      badLines: badLines)
  }
}
