import PlumbCore
import PlumbIO

extension GeoJSONGeometry {
  /// Reads a geometry object.
  ///
  /// Lines of fewer than two positions and rings of fewer than four positions are accepted. Open
  /// rings are closed, and rings may have either direction. The third number of a position is its
  /// height. Further numbers are ignored. If only some positions have a height, the height of the
  /// other positions is NaN. A collection becomes one geometry. An empty `coordinates` array
  /// results in an empty geometry.
  /// - Parameters:
  ///   - json: UTF-8 text.
  ///   - reference: the CRS of the geometry; RFC 7946 allows only WGS 84.
  /// - Returns: nil for `null` and for a collection without members.
  /// - Throws: if the text is not exactly one geometry object, or is a collection that mixes points, lines
  ///   and areas.
  public static func decode(
    _ json: UnsafeRawBufferPointer, reference: SpatialReference? = .wgs84
  ) throws(FormatError) -> Geometry? {
    var scanner = JSONScanner(json)
    let geometry = try read(&scanner, reference: reference)
    try scanner.expectEnd()
    return geometry
  }

  /// Reads a geometry object, as above.
  public static func decode(
    _ json: String, reference: SpatialReference? = .wgs84
  ) throws(FormatError) -> Geometry? {
    try Array(json.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
      try decode(UnsafeRawBufferPointer(bytes), reference: reference)
    }
  }

  /// Reads a geometry object as one geometry. A mixed collection is read as one geometry for each
  /// kind of its members.
  package static func decodeAll(
    _ json: UnsafeRawBufferPointer, reference: SpatialReference? = .wgs84
  ) throws(FormatError) -> [Geometry] {
    var scanner = JSONScanner(json)
    if scanner.peek() == UInt8(ascii: "n") { return [] }
    var builder = ShapeBuilder()
    do throws(FormatError) {
      try readObject(&scanner, into: &builder, depth: 0)
      return [builder.geometry(reference)].compactMap { $0 }
    } catch {
      guard builder.isCollection else { throw error }
    }
    // Read the geometries of each kind separately.
    var shapes: [Geometry] = []
    for kind in ShapeBuilder.Kind.allCases {
      var (scanner, builder) = (JSONScanner(json), ShapeBuilder(only: kind))
      try readObject(&scanner, into: &builder, depth: 0)
      if let shape = builder.geometry(reference), !shape.isEmpty { shapes.append(shape) }
    }
    return shapes
  }

  /// Reads the value at a scanner's position.
  package static func read(
    _ scanner: inout JSONScanner, reference: SpatialReference? = .wgs84
  ) throws(FormatError) -> Geometry? {
    if scanner.peek() == UInt8(ascii: "n") {
      try scanner.skipValue()
      return nil
    }
    var builder = ShapeBuilder()
    try readObject(&scanner, into: &builder, depth: 0)
    return builder.geometry(reference)
  }

  private static func readObject(
    _ scanner: inout JSONScanner, into builder: inout ShapeBuilder, depth: Int
  ) throws(FormatError) {
    guard scanner.peek() == UInt8(ascii: "{") else {
      throw scanner.misfit("a GeoJSON geometry object was expected")
    }
    let start = scanner
    var type: String?
    // Scanners positioned before the values, because the type may come last.
    var coordinates: JSONScanner?
    var geometries: JSONScanner?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "type") {
        guard scanner.peek() == UInt8(ascii: "\"") else {
          throw scanner.misfit("the type of a GeoJSON geometry must be a string")
        }
        type = try scanner.readString()
        continue
      }
      if scanner.isText(key, "coordinates") { coordinates = scanner }
      if scanner.isText(key, "geometries") { geometries = scanner }
      try scanner.skipValue()
    }
    guard let type else { throw start.misfit("a GeoJSON geometry needs a type") }
    if type == "GeometryCollection" {
      guard var geometries else { throw start.misfit("a GeometryCollection needs geometries") }
      guard depth < ShapeBuilder.nestingLimit else {
        throw start.misfit("collections are nested deeper than \(ShapeBuilder.nestingLimit) levels")
      }
      builder.beginCollection()
      try geometries.readArray(of: "geometries") { element throws(FormatError) in
        try readObject(&element, into: &builder, depth: depth + 1)
      }
      return
    }
    guard let shape = Shape(rawValue: type) else {
      throw start.misfit(
        type == "Feature" || type == "FeatureCollection"
          ? "a \(type) is not a geometry; use only the value of its geometry member"
          : "\(type.excerpt) is not a GeoJSON geometry type")
    }
    guard var coordinates else { throw start.misfit("a \(type) needs coordinates") }
    guard builder.accepts(shape.kind) else { return }
    try builder.begin(shape.kind, offset: start.baseOffset + start.position)
    try read(shape, &coordinates, into: &builder)
  }

  private enum Shape: String {
    case point = "Point"
    case multiPoint = "MultiPoint"
    case lineString = "LineString"
    case multiLineString = "MultiLineString"
    case polygon = "Polygon"
    case multiPolygon = "MultiPolygon"

    var kind: ShapeBuilder.Kind {
      switch self {
      case .point, .multiPoint: .points
      case .lineString, .multiLineString: .lines
      case .polygon, .multiPolygon: .areas
      }
    }
  }

  private static func read(
    _ shape: Shape, _ scanner: inout JSONScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    switch shape {
    case .point:
      let (point, z) = try readPosition(&scanner, mayBeEmpty: true)
      builder.add(Point(x: point.x, y: point.y, z: z))
    case .multiPoint: try readPositions(&scanner, into: &builder)
    case .lineString:
      let count = builder.xy.count
      try readPositions(&scanner, into: &builder)
      if builder.xy.count > count { builder.endPart() }
    case .multiLineString:
      try scanner.readArray(of: "lines") { line throws(FormatError) in
        try readPositions(&line, into: &builder)
        builder.endPart()
      }
    case .polygon:
      let count = builder.ringEnds.count
      try readRings(&scanner, into: &builder)
      if builder.ringEnds.count > count { builder.endPart() }
    case .multiPolygon:
      try scanner.readArray(of: "polygons") { polygon throws(FormatError) in
        try readRings(&polygon, into: &builder)
        builder.endPart()
      }
    }
  }

  private static func readRings(
    _ scanner: inout JSONScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    try scanner.readArray(of: "rings") { ring throws(FormatError) in
      try readPositions(&ring, into: &builder)
      builder.endRing()
    }
  }

  private static func readPositions(
    _ scanner: inout JSONScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    try scanner.readArray(of: "positions") { position throws(FormatError) in
      let (point, z) = try readPosition(&position, mayBeEmpty: false)
      builder.append(point, z: z)
    }
  }

  private static func readPosition(
    _ scanner: inout JSONScanner, mayBeEmpty: Bool
  ) throws(FormatError) -> (SIMD2<Double>, z: Double?) {
    var point = SIMD2<Double>(repeating: .nan)
    var z: Double?
    var count = 0
    _ = scanner.peek()
    let start = scanner
    try scanner.readArray(of: "numbers") { number throws(FormatError) in
      let value = try number.readFinite()
      switch count {
      case 0: point.x = value
      case 1: point.y = value
      case 2: z = value
      default: break
      }
      count += 1
    }
    guard count >= 2 || count == 0 && mayBeEmpty else {
      throw start.misfit("a position needs two numbers")
    }
    return (point, z)
  }
}
