import PlumbCore
import PlumbIO

/// The result of one pass over a feature's text.
struct GeoJSONRow {
  var form = GeoJSONBatch.Form.invalid
  /// The range of the value's bytes, as scanner positions.
  var range = 0..<0
  /// The coordinates of a valid point; nil in bad rows.
  var point: (x: Double, y: Double)?
  /// The reason why a bad row has no point.
  var fault = PointFault.missing
  var properties = GeoJSONBatch.Properties(form: .missing, range: 0..<0)

  /// Creates the row for text that is not JSON.
  static func invalid(_ range: Range<Int>) -> GeoJSONRow {
    GeoJSONRow(form: .invalid, range: range)
  }

  /// Reads and validates one value of any kind.
  init(_ scanner: inout JSONScanner) throws(FormatError) {
    guard let first = scanner.peek() else {
      range = try scanner.skipValue()
      return
    }
    guard first == UInt8(ascii: "{") else {
      range = try scanner.skipValue()
      return
    }
    let start = scanner.position
    var geometry = GeoJSONMembers()
    var members = GeoJSONMembers()
    var spot: GeoJSONBatch.Properties?
    var isEmpty = true
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      isEmpty = false
      if scanner.isText(key, "geometry") {
        geometry = try GeoJSONMembers(&scanner)
      } else if scanner.isText(key, "properties") {
        spot = try Self.properties(&scanner)
      } else {
        try members.read(key, &scanner)
      }
    }
    range = start..<scanner.position
    if members.type.isGeometry {
      form = .geometry
      point = members.point(scanner)
      fault = members.fault(scanner)
    } else {
      form = .feature
      if members.type == .feature {
        point = geometry.point(scanner)
        fault = geometry.fault(scanner)
      }
    }
    let brace = scanner.position - 1
    properties =
      spot
      ?? GeoJSONBatch.Properties(
        form: isEmpty ? .missingInEmptyFeature : .missing, range: brace..<brace)
  }

  private init(form: GeoJSONBatch.Form, range: Range<Int>) {
    self.form = form
    self.range = range
    properties.range = range.lowerBound..<range.lowerBound
  }

  private static func properties(
    _ scanner: inout JSONScanner
  ) throws(FormatError) -> GeoJSONBatch.Properties {
    let isObject = scanner.peek() == UInt8(ascii: "{")
    let range = try scanner.skipValue()
    guard isObject else { return .init(form: .other, range: range) }
    var inside = scanner
    inside.move(to: range.lowerBound + 1)
    let isEmpty = inside.peek() == UInt8(ascii: "}")
    return .init(form: isEmpty ? .emptyObject : .object, range: range)
  }
}

/// The members of a geometry object that determine whether it is one point.
struct GeoJSONMembers {
  enum Kind {
    case none, feature, collection, point, multiPoint, line, polygon, mixed, other

    var isGeometry: Bool {
      switch self {
      case .point, .multiPoint, .line, .polygon, .mixed: true
      case .none, .feature, .collection, .other: false
      }
    }
  }

  var type = Kind.none
  private var coordinates: Range<Int>?

  init() {}

  /// Reads the value of a `geometry` member.
  init(_ scanner: inout JSONScanner) throws(FormatError) {
    guard scanner.peek() == UInt8(ascii: "{") else {
      try scanner.skipValue()
      return
    }
    try scanner.beginObject()
    while let key = try scanner.nextKey() { try read(key, &scanner) }
  }

  /// Reads the value of one member.
  mutating func read(_ key: Range<Int>, _ scanner: inout JSONScanner) throws(FormatError) {
    if scanner.isText(key, "type") {
      type = try Self.kind(&scanner)
    } else if scanner.isText(key, "coordinates") {
      coordinates = try scanner.skipValue()
    } else {
      try scanner.skipValue()
    }
  }

  /// Reads the value of a `type` member.
  static func kind(_ scanner: inout JSONScanner) throws(FormatError) -> Kind {
    guard scanner.peek() == UInt8(ascii: "\"") else {
      try scanner.skipValue()
      return .other
    }
    let text = try scanner.skipString()
    if scanner.isText(text, "Feature") { return .feature }
    if scanner.isText(text, "Point") { return .point }
    if scanner.isText(text, "MultiPoint") { return .multiPoint }
    if scanner.isText(text, "FeatureCollection") { return .collection }
    switch scanner.text(of: text) {
    case "LineString", "MultiLineString": return .line
    case "Polygon", "MultiPolygon": return .polygon
    case "GeometryCollection": return .mixed
    default: return .other
    }
  }

  /// The coordinates of a point or of the only point of a multipoint, if both are finite.
  func point(_ scanner: JSONScanner) -> (x: Double, y: Double)? {
    guard let coordinates, type == .point || type == .multiPoint else { return nil }
    var scanner = scanner
    scanner.move(to: coordinates.lowerBound)
    return try? Self.point(&scanner, isMulti: type == .multiPoint)
  }

  /// The reason why the geometry is not one point; meaningless if the geometry is one point.
  func fault(_ scanner: JSONScanner) -> PointFault {
    switch type {
    case .line: return .line
    case .polygon: return .polygon
    case .mixed: return .collection
    case .multiPoint:
      guard let coordinates else { return .missing }
      var scanner = scanner
      scanner.move(to: coordinates.lowerBound)
      guard (try? scanner.beginArray()) != nil else { return .missing }
      return (try? scanner.nextElement()) == true ? .multiPoint : .missing
    case .none, .feature, .collection, .point, .other: return .missing
    }
  }

  private static func point(
    _ scanner: inout JSONScanner, isMulti: Bool
  ) throws(FormatError) -> (x: Double, y: Double) {
    let bad = scanner.fault("not one point")
    if isMulti {
      try scanner.beginArray()
      guard try scanner.nextElement() else { throw bad }
    }
    try scanner.beginArray()
    guard try scanner.nextElement() else { throw bad }
    let x = try scanner.readDouble()
    guard try scanner.nextElement() else { throw bad }
    let y = try scanner.readDouble()
    while try scanner.nextElement() { try scanner.skipValue() }
    if isMulti {
      guard try !scanner.nextElement() else { throw bad }
    }
    guard x.isFinite, y.isFinite else { throw bad }
    return (x, y)
  }
}
