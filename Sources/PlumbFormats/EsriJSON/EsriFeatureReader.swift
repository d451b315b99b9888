import PlumbCore
import PlumbIO

/// Iterates over the features of an Esri feature set, `{"fields": […], "features": [{"attributes": {…},
/// "geometry": {…}}]}`.
///
/// If the geometry of a feature is invalid, or its CRS differs from the CRS of the set, the feature
/// is returned without geometry and counted as a fault. If the set does not declare a CRS, the
/// first valid CRS of a feature is used. The bytes must outlive the reader.
package final class EsriFeatureReader {
  /// The columns that the set declares, or the attribute names of the features if the set declares
  /// no columns.
  package let fields: [Field]
  /// The index of the object id column; nil if the set has no such column.
  let numberField: Int?
  /// The WKT name of the geometry type; nil if the set does not declare a type.
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

  /// - Parameter reference: a function that returns the CRS for a code, such as `"3857"`, or for WKT.
  /// - Throws: if the text is not a feature set, or is malformed.
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

  /// Restarts at the first feature.
  package func restart() throws(FormatError) {
    scanner = head.features
    (position, isDone) = (0, false)
    faults.clear()
    try scanner.beginArray()
  }

  /// Returns the next feature; nil at the end.
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
      let setReference = spatialReference
      let isFlagged = head.hasZ == true || head.hasM == true
      var geometry = try EsriJSONGeometry.read(
        &text, hasZ: isFlagged ? head.hasZ : nil, hasM: isFlagged ? head.hasM : nil
      ) {
        let named = try reference($0)
        isSame = setReference.map { $0 == named } ?? true
        return named
      }
      if let setReference, !isSame, let other = geometry?.spatialReference,
        !setReference.isTheSame(as: other)
      {
        throw FormatError("its geometry is in \(other.label), not in \(setReference.label)")
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
  /// Returns whether two definitions are equal, as strings or by their codes. Names are not
  /// compared, because different CRSs may have the same name.
  fileprivate func isTheSame(as other: SpatialReference) -> Bool {
    self == other || definition == other.definition
      || label == other.label && label.utf8.contains(UInt8(ascii: ":"))
  }
}

extension FieldValue {
  /// The value converted to a column's type, if possible.
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
