import PlumbCore
import PlumbIO

/// The members of an EsriJSON geometry.
struct EsriJSONMembers {
  enum Shape: String {
    case point = "x"
    case points, paths, rings
    case envelope = "xmin"
  }

  /// The geometry type, and a scanner positioned before the member that determines it.
  private(set) var shape: (Shape, JSONScanner)?
  var hasZ: Bool?
  var hasM: Bool?
  /// The CRS, as a code or WKT.
  private(set) var reference: (text: String, offset: Int)?
  /// The numbers of points and envelopes. `"NaN"` is stored as NaN, and null as nil.
  private(set) var values: [String: (value: Double?, offset: Int)] = [:]

  private static let numbers: Set<String> = [
    "x", "y", "z", "m", "xmin", "ymin", "xmax", "ymax", "zmin", "zmax", "mmin", "mmax",
  ]

  init(_ scanner: inout JSONScanner) throws(FormatError) {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = scanner.text(of: key)
      let isCurved = name == "curvePaths" || name == "curveRings"
      if let kind = isCurved ? (name == "curvePaths" ? .paths : .rings) : Shape(rawValue: name) {
        if let (other, _) = shape, other != kind {
          throw scanner.misfit("a geometry may have \(other.rawValue) or \(name), but not both")
        }
        // If a geometry has both `paths` and `curvePaths` (or `rings` and `curveRings`), read the member with
        // curves.
        if shape == nil || isCurved { shape = (kind, scanner) }
      }
      switch name {
      case "hasZ": hasZ = try Self.flag(&scanner)
      case "hasM": hasM = try Self.flag(&scanner)
      case "spatialReference": reference = try Self.reference(&scanner)
      default:
        if Self.numbers.contains(name) {
          _ = scanner.peek()
          let offset = scanner.baseOffset + scanner.position
          values[name] = (try scanner.readEsriNumber(), offset)
        } else {
          try scanner.skipValue()
        }
      }
    }
  }

  /// The value of a member that is a number; nil if the member is null or missing.
  func number(_ name: String) -> Double? { values[name]?.value }

  static func flag(_ scanner: inout JSONScanner) throws(FormatError) -> Bool? {
    switch scanner.peek() {
    case UInt8(ascii: "t")?, UInt8(ascii: "f")?, UInt8(ascii: "n")?: break
    default: throw scanner.misfit("true or false was expected")
    }
    guard case .boolean(let flag) = try scanner.readFieldValue() else { return nil }
    return flag
  }

  /// Reads a spatial reference; nil for null, `{}` and a code of 0, which specify no CRS.
  static func reference(
    _ scanner: inout JSONScanner
  ) throws(FormatError) -> (text: String, offset: Int)? {
    _ = scanner.peek()
    let offset = scanner.baseOffset + scanner.position
    if scanner.peek() == UInt8(ascii: "n") {
      try scanner.skipValue()
      return nil
    }
    guard scanner.peek() == UInt8(ascii: "{") else {
      throw scanner.misfit("a spatialReference object was expected")
    }
    var code: Int64?
    var latest: Int64?
    var wkt: String?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = scanner.text(of: key)
      _ = scanner.peek()
      let start = scanner
      let value = try scanner.readFieldValue()
      switch (name, value) {
      case ("wkid", .integer(let number)): code = number
      case ("latestWkid", .integer(let number)): latest = number
      case ("wkt", .text(let text)), ("wkt2", .text(let text)): wkt = wkt ?? text
      case ("wkid", .null), ("latestWkid", .null), ("wkt", .null), ("wkt2", .null): break
      case ("wkid", _), ("latestWkid", _): throw start.misfit("\(name) is not a whole number")
      case ("wkt", _), ("wkt2", _): throw start.misfit("\(name) is not a string")
      default: break
      }
    }
    let numbers = [latest, code].compactMap { $0 }.filter { $0 > 0 }
    if let number = numbers.first {
      let webMercator: Set<Int64> = [102_100, 102_113, 900_913]
      return (webMercator.contains(number) ? "3857" : String(number), offset)
    }
    return wkt.flatMap { $0.isEmpty ? nil : ($0, offset) }
  }
}

/// The format of the vertices of one geometry.
struct EsriJSONVertices {
  let hasZ: Bool?
  let hasM: Bool?

  /// Reads an array of vertices.
  func read(
    _ scanner: inout JSONScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    let first = builder.xy.count
    try scanner.readArray(of: "vertices") { vertex throws(FormatError) in
      if vertex.peek() == UInt8(ascii: "{") {
        try readCurve(&vertex, after: first, into: &builder)
      } else {
        try readVertex(&vertex, into: &builder)
      }
    }
  }

  /// The maximum number of vertices into which the curves of a geometry are converted.
  private static let curveVertexLimit = 20_000_000

  /// Reads a curve that starts at the last vertex, and adds the ends of its chords.
  private func readCurve(
    _ scanner: inout JSONScanner, after first: Int, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    let text = try EsriCurve.Text(&scanner)
    guard let start = builder.xy.last, builder.xy.count > first else {
      throw text.start.misfit("a curve must start at a vertex, but no vertex precedes it")
    }
    let curve = try text.curve(from: start)
    guard let count = curve.chordCount else {
      throw text.start.misfit("the coordinates of a curve are too large for a double")
    }
    guard builder.xy.count + count <= Self.curveVertexLimit else {
      throw text.start.misfit(
        "the curves of one geometry need more than \(Self.curveVertexLimit) vertices")
    }
    let (height, measure) = (builder.z?.last, builder.m?.last)
    let end = try values(text.end, at: text.start)
    for step in 1..<count {
      let fraction = Double(step) / Double(count)
      guard let point = curve.point(fraction), point.x.isFinite, point.y.isFinite else {
        throw text.start.misfit("the coordinates of a curve are too large for a double")
      }
      func between(_ a: Double?, _ b: Double?) -> Double? {
        guard let a, let b else { return nil }
        return a + (b - a) * fraction
      }
      builder.append(point, z: between(height, end.z), m: between(measure, end.m))
    }
    builder.append(SIMD2(text.end[0], text.end[1]), z: end.z, m: end.m)
  }

  /// The height and the measure among the numbers of a vertex.
  private func values(
    _ numbers: [Double], at start: JSONScanner
  ) throws(FormatError) -> (z: Double?, m: Double?) {
    let extra = Array(numbers.dropFirst(2))
    if hasZ == nil, hasM == nil { return (extra.first, extra.count > 1 ? extra[1] : nil) }
    let (z, m) = (hasZ == true, hasM == true)
    guard extra.count <= (z ? 1 : 0) + (m ? 1 : 0) else {
      throw start.misfit("a vertex has more numbers than hasZ and hasM allow")
    }
    let height = z ? extra.first ?? .nan : nil
    let index = z ? 1 : 0
    return (height, m ? (extra.count > index ? extra[index] : .nan) : nil)
  }

  private func readVertex(
    _ scanner: inout JSONScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    _ = scanner.peek()
    let start = scanner
    var point = SIMD2<Double>(repeating: .nan)
    var extra = SIMD2<Double>(repeating: .nan)
    var count = 0
    try scanner.readArray(of: "numbers") { number throws(FormatError) in
      switch count {
      case 0: point.x = try number.readFinite()
      case 1: point.y = try number.readFinite()
      case 2, 3: extra[count - 2] = try number.readEsriNumber() ?? .nan
      default: break
      }
      guard count < 4 else { throw number.misfit("a vertex may have at most four numbers") }
      count += 1
    }
    guard count >= 2 else { throw start.misfit("a vertex needs two numbers") }
    if hasZ == nil, hasM == nil {
      builder.append(point, z: count > 2 ? extra.x : nil, m: count > 3 ? extra.y : nil)
      return
    }
    let (z, m) = (hasZ == true, hasM == true)
    guard count <= 2 + (z ? 1 : 0) + (m ? 1 : 0) else {
      throw start.misfit("a vertex has more numbers than hasZ and hasM allow")
    }
    builder.append(point, z: z ? extra.x : nil, m: m ? (z ? extra.y : extra.x) : nil)
  }
}

extension JSONScanner {
  /// Reads a number that may be missing: nil for null, NaN for `"NaN"`.
  mutating func readEsriNumber() throws(FormatError) -> Double? {
    switch peek() {
    case UInt8(ascii: "n")?:
      try skipValue()
      return nil
    case UInt8(ascii: "\"")?:
      let start = self
      guard try readString() == "NaN" else { throw start.misfit("a number was expected") }
      return .nan
    default: return try readFinite()
    }
  }
}
