import PlumbCore
import PlumbIO

extension Geometry {
  /// Checks that a format can represent the geometry.
  ///
  /// - Throws: if an x or y is not finite (except in an empty point or envelope), or a height or measure
  ///   is infinite.
  func checkNumbers(for format: StaticString) throws(FormatError) {
    switch self {
    case .point(let point):
      guard point.isEmpty || point.x.isFinite && point.y.isFinite else {
        throw Self.noNumber("x or y", format)
      }
      try Self.check(point.z.map { [$0] }, "height", format)
      try Self.check(point.m.map { [$0] }, "measure", format)
    case .envelope(let envelope):
      let bounds = [envelope.xMin, envelope.yMin, envelope.xMax, envelope.yMax]
      guard bounds.allSatisfy(\.isFinite) || bounds.allSatisfy(\.isNaN) else {
        throw Self.noNumber("x or y", format)
      }
      try Self.check(envelope.zRange.map { [$0.lowerBound, $0.upperBound] }, "height", format)
      try Self.check(envelope.mRange.map { [$0.lowerBound, $0.upperBound] }, "measure", format)
    case .multipoint, .polyline, .polygon:
      let vertices = self.vertices
      guard vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
        throw Self.noNumber("x or y", format)
      }
      try Self.check(vertices.z, "height", format)
      try Self.check(vertices.m, "measure", format)
    }
  }

  private static func check(
    _ values: [Double]?, _ name: StaticString, _ format: StaticString
  ) throws(FormatError) {
    if let values, values.contains(where: \.isInfinite) { throw noNumber(name, format) }
  }

  private static func noNumber(_ name: StaticString, _ format: StaticString) -> FormatError {
    FormatError("\(format) cannot represent a geometry whose \(name) is not a finite number")
  }
}

extension Polyline {
  /// Whether OGC formats and GeoJSON write the polyline as a single line instead of a list of
  /// lines.
  var isOneLine: Bool { partEnds.isEmpty || partEnds.count == 1 && !isEmpty }
}

extension Polygon {
  /// Whether OGC formats and GeoJSON write the polygon as a single polygon instead of a list of
  /// polygons.
  var isOneArea: Bool { partEnds.isEmpty || partEnds.count == 1 && !ringEnds.isEmpty }
}

extension SpatialReference {
  /// The number in a definition `EPSG:n` or `ESRI:n`; 4326 for CRS84, because x is always longitude in Plumb.
  var code: Int? {
    let parts = definition.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    switch (parts[0].uppercased(), parts[1]) {
    case ("OGC", "CRS84"): return 4326
    case ("EPSG", let code), ("ESRI", let code):
      guard let number = Int(code), number > 0 else { return nil }
      return number
    default: return nil
    }
  }
}

/// Resolves the CRS for a code or WKT, and converts errors to format errors.
func resolve(
  _ text: String, offset: Int, with reference: (String) throws -> SpatialReference
) throws(FormatError) -> SpatialReference {
  do { return try reference(text) } catch {
    throw FormatError("spatial reference: \(error)", offset: offset)
  }
}

extension String {
  /// The text in quotes, shortened and on one line, for error messages.
  var excerpt: String {
    let end = unicodeScalars.index(
      unicodeScalars.startIndex, offsetBy: 40, limitedBy: unicodeScalars.endIndex)
    guard let end, end < unicodeScalars.endIndex else { return "\"" + printable + "\"" }
    return "\"" + String(self[..<end]).printable + "…\""
  }
}
