import PlumbCore
import PlumbIO

/// The common members of an Esri feature set, and the position of its features.
struct EsriFeatureSet {
  private(set) var fields: [Field] = []
  private(set) var numberField: Int?
  private(set) var geometryKind: String?
  private(set) var spatialReference: SpatialReference?
  private(set) var hasZ: Bool?
  private(set) var hasM: Bool?
  private(set) var count = 0
  /// A scanner positioned before the array of features.
  private(set) var features: JSONScanner

  /// The number of invalid CRSs after which the CRSs of further features are not resolved.
  private static let badReferenceLimit = 16

  private static let kinds = [
    "esriGeometryPoint": "Point", "esriGeometryMultipoint": "MultiPoint",
    "esriGeometryPolyline": "MultiLineString", "esriGeometryPolygon": "MultiPolygon",
    "esriGeometryEnvelope": "Polygon",
  ]

  /// - Parameter reference: a function that returns the CRS for a code, such as `"3857"`, or for
  ///   WKT.
  init(
    _ bytes: UnsafeRawBufferPointer, reference: (String) throws -> SpatialReference
  ) throws(FormatError) {
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var scanner = JSONScanner(bytes, at: mark)
    features = scanner
    guard scanner.peek() == UInt8(ascii: "{") else {
      throw scanner.misfit("an Esri feature set was expected; the text is not a JSON object")
    }
    var declared: [Field]?
    var numberName: String?
    var hasFeatures = false
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch scanner.text(of: key) {
      case "fields" where scanner.peek() == UInt8(ascii: "["):
        declared = try Self.fields(&scanner, &numberName)
      case "objectIdFieldName" where scanner.peek() == UInt8(ascii: "\""):
        let name = try scanner.readString()
        numberName = numberName ?? name
      case "geometryType" where scanner.peek() == UInt8(ascii: "\""):
        geometryKind = Self.kinds[try scanner.readString()]
      case "spatialReference":
        guard let named = try EsriJSONMembers.reference(&scanner) else { continue }
        spatialReference = try resolve(named.text, offset: named.offset, with: reference)
      case "hasZ": hasZ = try EsriJSONMembers.flag(&scanner)
      case "hasM": hasM = try EsriJSONMembers.flag(&scanner)
      case "features":
        guard scanner.peek() == UInt8(ascii: "[") else {
          throw scanner.misfit("features is not an array")
        }
        features = scanner
        hasFeatures = true
        try scanner.skipValue()
      default: try scanner.skipValue()
      }
    }
    guard scanner.isAtEnd() else { throw scanner.misfit("unexpected text after the feature set") }
    guard hasFeatures else { throw scanner.misfit("the feature set has no features") }
    try survey(hasFields: declared != nil, reference)
    if let declared { fields = declared }
    numberField = numberName.flatMap { name in fields.firstIndex { $0.name == name } }
  }

  private static func fields(
    _ scanner: inout JSONScanner, _ numberName: inout String?
  ) throws(FormatError) -> [Field] {
    var fields: [Field] = []
    var number: String?
    try scanner.readArray(of: "fields") { scanner throws(FormatError) in
      var name: String?
      var type = ""
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let member = scanner.text(of: key)
        if member == "name" || member == "type", scanner.peek() == UInt8(ascii: "\"") {
          let text = try scanner.readString()
          if member == "name" { name = text } else { type = text }
        } else {
          try scanner.skipValue()
        }
      }
      guard let name else { throw scanner.misfit("a field has no name") }
      if type == "esriFieldTypeOID" { number = name }
      fields.append(Field(name: name, kind: kind(ofType: type)))
    }
    numberName = number ?? numberName
    return fields
  }

  /// Returns the kind of an Esri field type. Dates are integers, in milliseconds since 1970, as in
  /// the features.
  private static func kind(ofType type: String) -> FieldKind {
    switch type {
    case "esriFieldTypeOID", "esriFieldTypeInteger", "esriFieldTypeSmallInteger",
      "esriFieldTypeBigInteger", "esriFieldTypeDate":
      .integer
    case "esriFieldTypeDouble", "esriFieldTypeSingle": .real
    default: .text
    }
  }

  /// Counts the features, and finds their CRS and columns if the set does not declare them.
  ///
  /// - Throws: the error for the first CRS of a feature, if none of the features' CRSs is valid.
  private mutating func survey(
    hasFields: Bool, _ reference: (String) throws -> SpatialReference
  ) throws(FormatError) {
    var scanner = features
    var indices: [String: Int] = [:]
    var badReferences: Set<String> = []
    var firstFault: FormatError?
    try scanner.beginArray()
    while try scanner.nextElement() {
      count += 1
      guard scanner.peek() == UInt8(ascii: "{") else {
        throw scanner.misfit("feature \(count) is not an object")
      }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        switch scanner.text(of: key) {
        case "geometry":
          var lookahead = scanner
          try scanner.skipValue()
          guard spatialReference == nil, badReferences.count < Self.badReferenceLimit,
            lookahead.peek() == UInt8(ascii: "{"), let named = Self.readReference(&lookahead),
            !badReferences.contains(named.text)
          else { continue }
          do throws(FormatError) {
            spatialReference = try resolve(named.text, offset: named.offset, with: reference)
          } catch {
            badReferences.insert(named.text)
            firstFault = firstFault ?? error
          }
        case "attributes":
          if !hasFields, scanner.peek() == UInt8(ascii: "{") {
            try survey(attributes: &scanner, &indices)
          } else {
            try scanner.skipValue()
          }
        default: try scanner.skipValue()
        }
      }
    }
    if spatialReference == nil, let firstFault { throw firstFault }
  }

  /// The CRS of a geometry; nil if the geometry has no CRS or is malformed.
  private static func readReference(
    _ scanner: inout JSONScanner
  ) -> (text: String, offset: Int)? {
    do throws(FormatError) {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        if scanner.isText(key, "spatialReference") {
          return try EsriJSONMembers.reference(&scanner)
        }
        try scanner.skipValue()
      }
    } catch {}
    return nil
  }

  private mutating func survey(
    attributes scanner: inout JSONScanner, _ indices: inout [String: Int]
  ) throws(FormatError) {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = scanner.text(of: key)
      let value = try scanner.readFieldValue()
      let kind: FieldKind? =
        switch value {
        case .null: nil
        case .integer: .integer
        case .real: .real
        case .boolean: .boolean
        case .text, .json: .text
        }
      guard let index = indices[name] else {
        indices[name] = fields.count
        fields.append(Field(name: name, kind: kind ?? .text))
        if kind == nil { undecided.insert(name) }
        continue
      }
      guard let kind, kind != fields[index].kind else { continue }
      let isNumber = { (kind: FieldKind) in kind == .integer || kind == .real }
      if undecided.remove(name) != nil {
        fields[index].kind = kind
      } else {
        fields[index].kind = isNumber(kind) && isNumber(fields[index].kind) ? .real : .text
      }
    }
  }

  /// The columns that have only null values so far.
  private var undecided: Set<String> = []
}

extension EsriFeatureReader {
  /// Whether text is probably an Esri feature set, according to its first bytes.
  package static func isFeatureSet(_ start: UnsafeRawBufferPointer) -> Bool {
    let mark = start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var scanner = JSONScanner(start, at: mark)
    let words: Set<String> = [
      "geometryType", "spatialReference", "fields", "objectIdFieldName", "globalIdFieldName",
      "fieldAliases", "displayFieldName", "exceededTransferLimit", "geometryProperties",
      "uniqueIdField", "hasZ", "hasM",
    ]
    var isLikely = false
    do throws(FormatError) {
      guard scanner.peek() == UInt8(ascii: "{") else { return false }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let name = scanner.text(of: key)
        if name == "type" { return false }
        if name == "features" {
          guard scanner.peek() == UInt8(ascii: "[") else { return false }
          if isLikely { return true }
          return try hasEsriFeature(&scanner)
        }
        if name == "operationalLayers" || name == "coordinates" { return false }
        isLikely = isLikely || words.contains(name)
        try scanner.skipValue()
      }
    } catch {}
    return false
  }

  /// Whether the first feature has attributes and no type. True for a set without features.
  private static func hasEsriFeature(_ scanner: inout JSONScanner) throws(FormatError) -> Bool {
    try scanner.beginArray()
    guard try scanner.nextElement(), scanner.peek() == UInt8(ascii: "{") else { return false }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "type") { return false }
      if scanner.isText(key, "attributes") { return true }
      try scanner.skipValue()
    }
    return false
  }
}
