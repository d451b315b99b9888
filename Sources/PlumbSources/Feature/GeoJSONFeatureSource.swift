import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Reads the features of GeoJSON, with geometries of any kind and with the features' text.
package final class GeoJSONFeatureSource: InputSource {
  /// The members of a feature as text.
  package struct Text: Sendable {
    /// The value of the `id` member; nil if there is none.
    package var id: [UInt8]?
    /// The value of the `properties` member; nil if the member is missing or null.
    package var properties: [UInt8]?
  }

  /// The properties of all features in the order of first occurrence; empty unless requested.
  package let fields: [Field]
  package let spatialReference: SpatialReference?
  package let featureCount: Int? = nil
  package let bytes: ByteInput
  private let reader: GeoJSONReader
  /// The CRS that was known before the features were read; nil if the CRS is not needed.
  private var knownReference: String??
  /// The features read so far whose shapes are invalid.
  package private(set) var faults = FeatureFaults()
  private var count = 0

  /// - Parameters:
  ///   - isSequence: whether the file's name indicates one feature per line.
  ///   - needsFields: whether `fields` and attributes are needed, which requires reading all features twice.
  ///   - reference: the CRS of the coordinates, which overrides the text's CRS; nil for the text's CRS.
  /// - Throws: `FormatError` if the text is not GeoJSON.
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

  /// Returns the next features with their text; nil at the end.
  ///
  /// A feature with an invalid geometry is added to `faults` and has no shape. A feature with a
  /// geometry of mixed kinds has a collection of shapes.
  ///
  /// - Throws: `FormatError` for text that is not valid.
  func nextWithText(limit: Int) throws -> (features: [Feature], texts: [Text])? {
    guard let batch = try reader.next(limit: limit) else {
      if let knownReference, reader.crsText != knownReference {
        throw PlumbError(
          "the CRS (\(reader.crsText?.printable ?? "null")) follows the features",
          remedies: ["give it with \(.crs)"])
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
    // The reader also accepts lines of a sequence that are not objects.
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

  /// Returns the shape of a geometry, or the shapes of a collection of several kinds.
  private func shapes(_ bytes: UnsafeRawBufferPointer) -> [Geometry] {
    do throws(FormatError) {
      return try GeoJSONGeometry.decodeAll(bytes, reference: spatialReference)
    } catch {
      faults.add("feature \(count): \(error.message)")
      return []
    }
  }
}
