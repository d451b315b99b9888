import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry

/// A stream of rows of places: delimited text, GeoJSON, or whatever OGR opens.
final class PlaceInput {
  enum Kind {
    case delimited(DelimitedReader, PlaceColumns)
    case geoJSON(GeoJSONReader)
    case vector(VectorPlaceReader)
  }

  let kind: Kind
  /// The reference that the input itself names or implies.
  let reference: SpatialReference?
  /// Columns; for GeoJSON, which has none declared, those of all features, where known.
  let fields: [Field]
  private let bytes: ByteInput?
  private let workers: Workers
  private var lines = 0
  private var rowsBefore = 0
  /// The reference that GeoJSON named before its features were read; nil when none is asked.
  private var knownCRS: String??

  struct Options {
    var path: String
    var x: String?
    var y: String?
    var layer: String?
    /// Whether the names and kinds of all GeoJSON properties are needed before the first row.
    var needsFields = false
    /// Whether the caller says which reference the places are in, whatever the input says.
    var hasReference = false
    /// How many values each row is asked for.
    var columnCount = 1

    /// Whether the input can be read but once.
    var isStream: Bool { path == "-" || FileKind(path: path) == .stream }
  }

  /// Bytes of delimited text read at once: some million rows, fewer where each gets many columns.
  private let blockSize: Int
  private static let featureLimit = 1 << 16

  init(_ options: Options, workers: Workers) throws {
    self.workers = workers
    let lower = options.path.lowercased()
    let isGeoJSON = [
      ".geojson", ".json", ".geojsonl", ".geojsons", ".ndjson", ".jsonl", ".ndgeojson",
    ].contains { lower.hasSuffix($0) }
    let isDelimited = [".csv", ".tsv", ".tab", ".txt", ".ssv"].contains { lower.hasSuffix($0) }
    let isVirtual = options.path.hasPrefix("/vsi")
    blockSize = max(1 << 20, (24 << 20) / max(1, options.columnCount / 8))
    if isVirtual || !options.isStream && !isGeoJSON && !isDelimited {
      guard isVirtual || FileKind(path: options.path) != nil || options.path.contains(":") else {
        throw PlumbError("no such file: \(options.path.printable)")
      }
      let reader = try VectorPlaceReader(path: options.path, layer: options.layer)
      if options.x != nil || options.y != nil || !reader.hasGeometry {
        let names = reader.fields.map(\.name)
        let columns = try PlaceColumns(names: names, x: options.x, y: options.y)
        try reader.usePlaceColumns(x: names[columns.x], y: names[columns.y])
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
      throw PlumbError("--layer is for files with layers; \(options.path.printable) has none")
    }
    var input = try PeekedInput(path: options.path)
    if isGeoJSON || (options.isStream && !isDelimited && input.startsLikeJSON) {
      if options.x != nil || options.y != nil {
        throw PlumbError("--x and --y name columns; GeoJSON's places are its geometries")
      }
      let isSequence = !lower.hasSuffix(".geojson") && !lower.hasSuffix(".json")
      if options.needsFields {
        // The columns are known only when all features have been seen: read twice.
        input = try input.rewindable()
        fields = try Self.scanFields(input, isSequence: isSequence)
        try input.rewind()
      } else {
        fields = []
      }
      var trailing: String?
      if !options.hasReference, try input.input.tailContains("\"crs\"") {
        trailing = try GeoJSONReader.crsText(isSequence: isSequence) { try input.read($0) }
        try input.rewind()
      }
      let bytes = input
      let reader = try GeoJSONReader(isSequence: isSequence) { try bytes.read($0) }
      kind = .geoJSON(reader)
      let named = trailing ?? reader.crsText
      knownCRS = options.hasReference ? nil : .some(named)
      reference =
        reader.hasNullCRS ? nil : try named.map { try SpatialReference($0) } ?? .wgs84
      self.bytes = input.input
    } else {
      let bytes = input
      self.bytes = input.input
      let reader = try DelimitedReader(delimiter: lower.hasSuffix(".tsv") ? 0x09 : nil) {
        try bytes.read($0)
      }
      let columns = try PlaceColumns(names: reader.header.names, x: options.x, y: options.y)
      kind = .delimited(reader, columns)
      reference = columns.isGeographic ? .wgs84 : nil
      fields = reader.header.names.map { Field(name: $0, kind: .text) }
      lines = reader.header.lineCount
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
  var progress: Double? {
    switch kind {
    case .vector(let reader):
      return reader.featureCount.map { $0 == 0 ? 1 : Double(rowsBefore) / Double($0) }
    default:
      guard let bytes, let total = bytes.byteCount, total > 0 else { return nil }
      return Double(bytes.position) / Double(total)
    }
  }

  /// Whether `next` surely has no more rows.
  var isExhausted: Bool {
    if case .delimited(let reader, _) = kind { reader.isExhausted } else { false }
  }

  /// The next rows, or nil at the end.
  func next() throws -> PlaceBatch? {
    let batch: PlaceBatch?
    switch kind {
    case .delimited(let reader, let columns): batch = try nextDelimited(reader, columns)
    case .geoJSON(let reader):
      batch = try reader.next(limit: Self.featureLimit).map { rows in
        PlaceBatch(x: rows.x, y: rows.y, isBad: rows.isBad, rows: .geoJSON(rows)) {
          rows.lines[$0]
        }
      }
    case .vector(let reader):
      let before = rowsBefore
      batch = try reader.next(limit: Self.featureLimit).map { rows in
        PlaceBatch(x: rows.x, y: rows.y, isBad: rows.isBad, rows: .vector(rows)) {
          before + $0 + 1
        }
      }
    }
    rowsBefore += batch?.count ?? 0
    if batch == nil, case .geoJSON(let reader) = kind, let knownCRS, reader.crsText != knownCRS {
      throw PlumbError(
        "the reference (\(reader.crsText?.printable ?? "null")) stands behind the features; "
          + "say it with --crs")
    }
    return batch
  }

  private func nextDelimited(
    _ reader: DelimitedReader, _ columns: PlaceColumns
  ) throws -> PlaceBatch? {
    guard let block = try reader.next(size: blockSize) else { return nil }
    let header = reader.header
    let slots = Slots<DelimitedPart>(count: block.parts.count)
    workers.run(block.parts.count) { _, job in
      slots.values[job] = DelimitedPart(
        block, block.parts[job], columnCount: header.names.count, columns: columns,
        delimiter: header.delimiter)
    }
    let parts = slots.values.compactMap { $0 }
    var firstRows: [Int] = []
    var count = 0
    var badLines: [Int] = []
    for part in parts {
      firstRows.append(count)
      count += part.count
      if let comma = part.decimalComma {
        throw PlumbError(
          "line \(lines + comma.line + 1): \(comma.text.printable) has a decimal comma; "
            + "write it with a point")
      }
      for bad in part.badRows { badLines.append(lines + bad.line + 1) }
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
    return PlaceBatch(
      count: count, x: x, y: y, status: status,
      rows: .delimited(block, parts, firstRows: firstRows, delimiter: header.delimiter),
      badLines: badLines)
  }
}

/// A place for each job's result. Jobs write slots of their own, so no lock is needed.
final class Slots<Value>: @unchecked Sendable {
  let values: UnsafeMutableBufferPointer<Value?>

  init(count: Int) {
    values = .allocate(capacity: count)
    values.initialize(repeating: nil)
  }

  deinit {
    values.deinitialize()
    values.deallocate()
  }
}

/// An input whose first bytes have been looked at.
final class PeekedInput {
  let input: ByteInput
  private var head: [UInt8]
  private var used = 0

  convenience init(path: String) throws { try self.init(try ByteInput(path: path)) }

  private init(_ input: ByteInput) throws {
    self.input = input
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count = 0
    // A pipe may begin with a few blank bytes by themselves.
    while count < buffer.count {
      let got = try buffer.withUnsafeMutableBytes {
        try input.read(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      count += got
      if got == 0 || !buffer[..<count].allSatisfy(Self.isBlank) { break }
    }
    head = Array(buffer[..<count])
  }

  /// The input itself, or a copy of a pipe in a temporary file, which can be read again.
  func rewindable() throws -> PeekedInput {
    if input.byteCount != nil { return self }
    return try PeekedInput(try ByteInput(spooling: { try self.read($0) }))
  }

  /// Goes back to the first byte.
  func rewind() throws {
    try input.rewind()
    (head, used) = ([], 0)
  }

  var startsLikeJSON: Bool {
    let first = head.drop(while: Self.isBlank).first
    return first == UInt8(ascii: "{") || first == 0x1E
  }

  /// Whether the input starts with a word, whatever the case of its ASCII letters.
  func starts(with word: String) -> Bool {
    let start = head.prefix(word.utf8.count)
    return String(decoding: start, as: UTF8.self).lowercased() == word.lowercased()
  }

  /// Whether a byte is space, or of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte)
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard used < head.count else { return try input.read(buffer) }
    let count = min(buffer.count, head.count - used)
    head.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<used + count]))
    }
    used += count
    return count
  }
}
