import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// The features of GeoJSON with geometries of any kind, and their own text beside.
package final class GeoJSONFeatureSource: InputSource {
  /// What a feature's text says of it.
  package struct Text: Sendable {
    /// The `id` member's value; nil without one.
    package var id: [UInt8]?
    /// The `properties` member's value; nil without one or when it is null.
    package var properties: [UInt8]?
  }

  /// The properties of all features in the order of first sight; none unless they were asked for.
  package let fields: [Field]
  package let spatialReference: SpatialReference?
  package let featureCount: Int? = nil
  package let bytes: ByteInput
  private let reader: GeoJSONReader
  /// The reference that was known before the features were read; nil when none is asked.
  private var knownReference: String??
  /// Features that were read without their shape so far.
  package private(set) var faults = FeatureFaults()
  private var count = 0

  /// - Parameters:
  ///   - isSequence: whether the file's name says that each feature has a line of its own.
  ///   - needsFields: whether `fields` and attributes are wanted, for which all is read twice.
  ///   - reference: what the coordinates are in, whatever the text says; nil believes the text.
  /// - Throws: `FormatError` when it is not GeoJSON.
  package init(
    _ input: PeekedInput, isSequence: Bool, needsFields: Bool, reference: SpatialReference?
  ) throws {
    var input = input
    if needsFields {
      input = try input.rewindable()
      let scan = input
      let reader = try GeoJSONReader(isSequence: isSequence) { try scan.read($0) }
      var merge = GeoJSONFieldMerge()
      while let batch = try reader.next(limit: Self.scanSize) { merge.add(batch) }
      fields = merge.fields
      try input.rewind()
    } else {
      fields = []
    }
    var trailing: String?
    if reference == nil, try input.tailContains("\"crs\"") {
      let scan = input
      trailing = try GeoJSONReader.crsText(isSequence: isSequence) { try scan.read($0) }
      try input.rewind()
    }
    let source = input
    reader = try GeoJSONReader(isSequence: isSequence) { try source.read($0) }
    bytes = source.input
    let named = trailing ?? reader.crsText
    knownReference = reference == nil ? .some(named) : nil
    spatialReference =
      try reference ?? (reader.hasNullCRS ? nil : named.map { try SpatialReference($0) } ?? .wgs84)
  }

  private static let scanSize = 1 << 16

  package func next(limit: Int) throws -> [Feature]? { try nextWithText(limit: limit)?.features }

  package func nextBatch(limit: Int) throws -> FeatureInput.Batch? {
    try nextWithText(limit: limit).map {
      FeatureInput.Batch(features: $0.features, texts: $0.texts)
    }
  }

  /// The next features, and the text of each.
  ///
  /// A feature whose geometry is none counts as a fault, and has no shape; one of mixed kinds has a
  /// collection of shapes.
  ///
  /// - Throws: `FormatError` for broken text.
  package func nextWithText(limit: Int) throws -> (features: [Feature], texts: [Text])? {
    guard let batch = try reader.next(limit: limit) else {
      if let knownReference, reader.crsText != knownReference {
        throw PlumbError(
          "the reference (\(reader.crsText?.printable ?? "null")) stands behind the features",
          remedies: ["say it with \(.crs)"])
      }
      return nil
    }
    var features: [Feature] = []
    var texts: [Text] = []
    for row in 0..<batch.count {
      count += 1
      var feature = Feature()
      let (shapes, text) = batch.bytes.withUnsafeBufferPointer { bytes in
        read(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[batch.ranges[row]])))
      }
      if shapes.count > 1 { feature.collection = shapes } else { feature.geometry = shapes.first }
      if !fields.isEmpty {
        let members = batch.fields(at: row)
        feature.attributes = fields.map { field in
          members.last { $0.name == field.name }?.value ?? .null
        }
      }
      features.append(feature)
      texts.append(text)
    }
    return (features, texts)
  }

  private func read(_ bytes: UnsafeRawBufferPointer) -> (shapes: [Geometry], text: Text) {
    var text = Text()
    var scanner = JSONScanner(bytes)
    // A line of a sequence that is not an object, which the reader let pass.
    guard scanner.peek() == UInt8(ascii: "{") else { return ([], text) }
    var geometry: Range<Int>?
    var isFeature = false
    do throws(FormatError) {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        if scanner.isText(key, "type"), scanner.peek() == UInt8(ascii: "\"") {
          isFeature = try scanner.readString() == "Feature"
          continue
        }
        let value = try scanner.skipValue()
        let slice = bytes[value]
        if scanner.isText(key, "geometry") { geometry = value }
        if scanner.isText(key, "id") { text.id = Array(slice) }
        if scanner.isText(key, "properties") {
          text.properties = slice.first == UInt8(ascii: "{") ? Array(slice) : nil
        }
      }
    } catch {
      return ([], Text())
    }
    guard isFeature else {
      return (shapes(bytes), Text())
    }
    guard let geometry else { return ([], text) }
    return (shapes(UnsafeRawBufferPointer(rebasing: bytes[geometry])), text)
  }

  /// The shape of a geometry, or those of a collection of several kinds.
  private func shapes(_ bytes: UnsafeRawBufferPointer) -> [Geometry] {
    do throws(FormatError) {
      return try GeoJSONGeometry.decodeAll(bytes, reference: spatialReference)
    } catch {
      faults.add("feature \(count): \(error.message)")
      return []
    }
  }
}
