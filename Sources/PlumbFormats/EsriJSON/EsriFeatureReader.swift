import PlumbCore
import PlumbIO

/// The features of an Esri feature set, `{"fields": […], "features": [{"attributes": {…}, "geometry":
/// {…}}]}`, one after another.
///
/// A feature whose geometry is none, or in another reference than the others', has no shape and counts
/// as a fault. Where the set names no reference, it is the first of the features' own that is one. The
/// bytes must outlive the reader.
package final class EsriFeatureReader {
  /// The columns as the set declares them, or of the names that features have.
  package let fields: [Field]
  /// Which column holds the features' own numbers; nil when none does.
  package let numberField: Int?
  /// As WKT calls it; nil where the set does not say.
  package let geometryKind: String?
  package let spatialReference: SpatialReference?
  package let featureCount: Int
  package private(set) var faults = FeatureFaults()

  private let head: EsriFeatureSet
  private let columns: [String: Int]
  private let reference: (String) throws -> SpatialReference
  private var scanner: JSONScanner
  private var position = 0
  private var isDone = false

  /// - Parameter reference: gives the reference for a code, `"3857"`, or for WKT.
  /// - Throws: when the text is not a feature set, or breaks.
  package init(
    _ bytes: UnsafeRawBufferPointer, reference: @escaping (String) throws -> SpatialReference
  ) throws(FormatError) {
    head = try EsriFeatureSet(bytes, reference: reference)
    fields = head.fields
    (numberField, geometryKind, featureCount) = (head.numberField, head.geometryKind, head.count)
    columns = Dictionary(
      fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.reference = reference
    spatialReference = head.spatialReference
    scanner = head.features
    try scanner.beginArray()
  }

  /// Starts again from the first feature.
  package func restart() throws(FormatError) {
    scanner = head.features
    (position, isDone) = (0, false)
    faults.clear()
    try scanner.beginArray()
  }

  /// The next feature; nil at the end.
  package func next() throws(FormatError) -> Feature? {
    guard !isDone else { return nil }
    guard try scanner.nextElement() else {
      isDone = true
      return nil
    }
    position += 1
    var feature = Feature(attributes: Array(repeating: .null, count: fields.count))
    var geometry: JSONScanner?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch scanner.text(of: key) {
      case "attributes" where scanner.peek() == UInt8(ascii: "{"):
        try readAttributes(into: &feature.attributes)
      case "geometry":
        geometry = scanner
        try scanner.skipValue()
      default: try scanner.skipValue()
      }
    }
    if let numberField, case .integer(let number) = feature.attributes[numberField] {
      feature.id = number
    }
    if var geometry { feature.geometry = shape(&geometry) }
    return feature
  }

  private func shape(_ text: inout JSONScanner) -> Geometry? {
    do throws(FormatError) {
      var isSame = true
      let own = spatialReference
      let isFlagged = head.hasZ == true || head.hasM == true
      var geometry = try EsriJSONGeometry.read(
        &text, hasZ: isFlagged ? head.hasZ : nil, hasM: isFlagged ? head.hasM : nil
      ) {
        let named = try reference($0)
        isSame = own.map { $0 == named } ?? true
        return named
      }
      if let own, !isSame, let other = geometry?.spatialReference, !own.isTheSame(as: other) {
        throw FormatError("its geometry is in \(other.label), not in \(own.label)")
      }
      geometry?.spatialReference = spatialReference
      return geometry
    } catch {
      faults.add("feature \(position): \(error.message)")
      return nil
    }
  }

  private func readAttributes(into values: inout [FieldValue]) throws(FormatError) {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard let column = columns[scanner.text(of: key)] else {
        try scanner.skipValue()
        continue
      }
      values[column] = try scanner.readFieldValue().converted(to: fields[column].kind)
    }
  }
}

extension SpatialReference {
  /// Whether two definitions are one, letter for letter or by their codes.
  fileprivate func isTheSame(as other: SpatialReference) -> Bool {
    self == other || definition == other.definition || label == other.label
  }
}

extension FieldValue {
  /// The value in a column of a kind, where it can be of it.
  fileprivate func converted(to kind: FieldKind) -> FieldValue {
    switch (self, kind) {
    case (.null, _): return self
    case (.integer(let number), .real): return .real(Double(number))
    case (.real(let number), .integer):
      return Int64(exactly: number).map { .integer($0) } ?? self
    case (.text, .text), (.json, .text): return self
    case (.integer(let number), .text): return .text("\(number)")
    case (.real(let number), .text): return .text("\(number)")
    case (.boolean(let flag), .text): return .text(flag ? "true" : "false")
    default: return self
    }
  }
}
