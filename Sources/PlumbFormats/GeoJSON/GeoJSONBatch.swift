import PlumbCore
import PlumbIO

/// Consecutive features of a GeoJSON source, with their bytes and their points.
public struct GeoJSONBatch: Sendable {
  /// The form of a row's text.
  enum Form: UInt8, Sendable {
    /// A JSON object to which `properties` can be added, usually a Feature.
    case feature
    /// A bare geometry.
    case geometry
    /// Not an object, or not JSON.
    case invalid
  }

  /// The position of a feature's properties, as indices into `bytes`.
  struct Properties: Sendable {
    enum Form: UInt8, Sendable { case object, emptyObject, other, missing, missingInEmptyFeature }
    var form: Form
    /// The bytes of the value of `properties`. If the member is missing, an empty range before the
    /// feature's closing brace.
    var range: Range<Int>
  }

  /// The text of all rows, concatenated.
  public internal(set) var bytes: [UInt8] = []
  /// The range of each row's text in `bytes`.
  public internal(set) var ranges: [Range<Int>] = []
  /// The longitude or easting of each row; NaN in bad rows.
  public internal(set) var x: [Double] = []
  /// The latitude or northing of each row; NaN in bad rows.
  public internal(set) var y: [Double] = []
  /// Whether each row is bad. A row is bad if it is not a feature, or if its geometry is not a
  /// single point with two finite coordinates.
  public internal(set) var isBad: [Bool] = []
  /// The reason for each bad row; `missing` for other rows.
  public internal(set) var faults: [PointFault] = []
  /// The line, from 1, on which each row's text starts.
  public internal(set) var lines: [Int] = []

  var forms: [Form] = []
  var properties: [Properties] = []

  /// The number of rows.
  public var count: Int { ranges.count }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ row: GeoJSONRow, line: Int) {
    let start = bytes.count
    let shift = start - row.range.lowerBound
    bytes.append(contentsOf: text)
    ranges.append(start..<bytes.count)
    x.append(row.point?.x ?? .nan)
    y.append(row.point?.y ?? .nan)
    isBad.append(row.point == nil)
    faults.append(row.point == nil ? row.fault : .missing)
    lines.append(line)
    forms.append(row.form)
    let spot = row.properties
    properties.append(
      Properties(
        form: spot.form,
        range: spot.range.lowerBound + shift..<spot.range.upperBound + shift))
  }

  // MARK: Attributes

  /// The members of a row's top-level properties, in the order of the text; empty if the row has no
  /// properties. Duplicate keys are kept.
  ///
  /// - Complexity: O(*n*) in the bytes of the properties.
  public func fields(at row: Int) -> [(name: String, value: FieldValue)] {
    var result: [(name: String, value: FieldValue)] = []
    forEachField(at: row) { scanner, key throws(FormatError) in
      result.append((scanner.text(of: key), try scanner.readFieldValue()))
      return true
    }
    return result
  }

  /// The value of a row's property; nil if the row has no such property. If the key is duplicated,
  /// the last value is returned.
  ///
  /// - Complexity: O(*n*) in the bytes of the properties.
  public func value(named name: String, at row: Int) -> FieldValue? {
    let name = Array(name.utf8)
    var result: FieldValue?
    forEachField(at: row) { scanner, key throws(FormatError) in
      if scanner.isText(key, name) { result = try scanner.readFieldValue() }
      return true
    }
    return result
  }

  /// The index in `names` of the first name that is a property of a row; nil if none of the names
  /// is a property.
  ///
  /// - Parameter names: the names in UTF-8.
  package func firstProperty(among names: [[UInt8]], at row: Int) -> Int? {
    var result: Int?
    forEachField(at: row) { scanner, key throws(FormatError) in
      let others = names[..<(result ?? names.count)]
      result = others.firstIndex { scanner.isText(key, $0) } ?? result
      return true
    }
    return result
  }

  /// Calls `body` for each property, with a scanner positioned before its value, which `body` may
  /// read.
  private func forEachField(
    at row: Int,
    _ body: (inout JSONScanner, Range<Int>) throws(FormatError) -> Bool
  ) {
    guard properties[row].form == .object else { return }
    bytes.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(
        UnsafeBufferPointer(rebasing: bytes[..<properties[row].range.upperBound]),
        at: properties[row].range.lowerBound)
      do throws(FormatError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          let start = scanner.position
          guard try body(&scanner, key) else { return }
          if scanner.position == start { try scanner.skipValue() }
        }
      } catch {
        // The text was validated when the row was read.
      }
    }
  }
}

/// Finds the columns of features. The columns are all properties, in order of first appearance,
/// each with the narrowest type that fits all of its values.
///
/// Integers and reals are merged to reals, and other combinations of types to text. Null fits every
/// type. A property that is always null is text.
public struct GeoJSONFieldMerge: Sendable {
  private var names: [String] = []
  private var kinds: [FieldKind?] = []
  private var indices: [String: Int] = [:]

  /// Creates a merge without columns.
  public init() {}

  /// The columns found so far.
  public var fields: [Field] {
    zip(names, kinds).map { Field(name: $0, kind: $1 ?? .text) }
  }

  /// Adds the properties of all rows of a batch.
  public mutating func add(_ batch: GeoJSONBatch) {
    for row in 0..<batch.count {
      for (name, value) in batch.fields(at: row) { add(name, value) }
    }
  }

  /// Adds one value.
  public mutating func add(_ name: String, _ value: FieldValue) {
    let index: Int
    if let known = indices[name] {
      index = known
    } else {
      index = names.count
      indices[name] = index
      names.append(name)
      kinds.append(nil)
    }
    guard let kind = Self.kind(of: value) else { return }
    kinds[index] = kinds[index].map { Self.union($0, kind) } ?? kind
  }

  private static func kind(of value: FieldValue) -> FieldKind? {
    switch value {
    case .null: nil
    case .text, .json: .text
    case .integer: .integer
    case .real: .real
    case .boolean: .boolean
    }
  }

  private static func union(_ a: FieldKind, _ b: FieldKind) -> FieldKind {
    if a == b { return a }
    switch (a, b) {
    case (.integer, .real), (.real, .integer): return .real
    default: return .text
    }
  }
}
