import PlumbCore
import PlumbIO

extension WKTGeometry {
  /// Reads a geometry.
  ///
  /// The text is case-insensitive. Without Z and M, the third number of a vertex is its height and
  /// the fourth number is its measure. A collection becomes one geometry. Empty members of a
  /// `MULTIPOINT` are dropped. Open rings are closed, and rings may have either direction.
  /// - Parameters:
  ///   - text: UTF-8 text.
  ///   - reference: the CRS of the geometry if the text has no `SRID=n;`, or the SRID 0.
  ///   - resolving: a function that returns the CRS for a code, such as `"32734"`. Without it, only
  ///     4326 is known.
  /// - Returns: nil for a collection without members.
  /// - Throws: if the text is not exactly one geometry, or if the geometry has arcs or faces, mixes points,
  ///   lines and areas, or has an unknown SRID.
  public static func decode(
    _ text: UnsafeRawBufferPointer, reference: SpatialReference? = nil,
    resolving: ((String) throws -> SpatialReference)? = nil
  ) throws(FormatError) -> Geometry? {
    var scanner = WKTScanner(text)
    var reference = reference
    if let code = try scanner.readCode() {
      reference = try spatialReference(code, offset: 0, else: reference, resolving)
    }
    var builder = ShapeBuilder()
    try read(&scanner, into: &builder, depth: 0)
    guard scanner.isAtEnd() else { throw scanner.fault("unexpected text after the geometry") }
    return builder.geometry(reference)
  }

  /// Reads a geometry, as above.
  public static func decode(
    _ text: String, reference: SpatialReference? = nil,
    resolving: ((String) throws -> SpatialReference)? = nil
  ) throws(FormatError) -> Geometry? {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
      try decode(UnsafeRawBufferPointer(bytes), reference: reference, resolving: resolving)
    }
  }

  private static func read(
    _ scanner: inout WKTScanner, into builder: inout ShapeBuilder, depth: Int
  ) throws(FormatError) {
    let offset = scanner.offset
    let tag = try scanner.readTag()
    if let kind = tag.shape.kind { try builder.begin(kind, offset: offset) }
    builder.declare(z: tag.hasZ, m: tag.hasM)
    var vertices = WKTVertices(tag)
    switch tag.shape {
    case .point:
      if try scanner.readEmpty() {
        builder.add(
          Point(x: .nan, y: .nan, z: tag.hasZ ? .nan : nil, m: tag.hasM ? .nan : nil))
        return
      }
      try scanner.expect(UInt8(ascii: "("))
      let (point, z, m) = try vertices.read(&scanner)
      try scanner.expect(UInt8(ascii: ")"))
      builder.add(Point(x: point.x, y: point.y, z: z, m: m))
    case .multipoint:
      try scanner.readList { member throws(FormatError) in
        if try member.readEmpty() { return }
        let hasParentheses = member.consume(UInt8(ascii: "("))
        try vertices.append(&member, to: &builder)
        if hasParentheses { try member.expect(UInt8(ascii: ")")) }
      }
    case .linestring:
      let count = builder.xy.count
      try vertices.appendList(&scanner, to: &builder)
      if builder.xy.count > count { builder.endPart() }
    case .multilinestring:
      try scanner.readList { line throws(FormatError) in
        try vertices.appendList(&line, to: &builder)
        builder.endPart()
      }
    case .polygon:
      let count = builder.ringEnds.count
      try vertices.appendRings(&scanner, to: &builder)
      if builder.ringEnds.count > count { builder.endPart() }
    case .multipolygon:
      try scanner.readList { polygon throws(FormatError) in
        try vertices.appendRings(&polygon, to: &builder)
        builder.endPart()
      }
    case .compoundcurve, .curvepolygon, .multicurve, .multisurface:
      try readStraight(tag.shape, &vertices, &scanner, into: &builder)
    case .geometrycollection:
      guard depth < ShapeBuilder.nestingLimit else {
        throw FormatError(
          "WKT: collections are nested deeper than \(ShapeBuilder.nestingLimit) levels",
          offset: offset)
      }
      builder.beginCollection()
      try scanner.readList { member throws(FormatError) in
        try read(&member, into: &builder, depth: depth + 1)
      }
    }
  }
}

/// The CRS for a code of EWKT or EWKB.
func spatialReference(
  _ code: Int, offset: Int, else reference: SpatialReference?,
  _ resolving: ((String) throws -> SpatialReference)?
) throws(FormatError) -> SpatialReference? {
  if code == 0 { return reference }
  if let resolving { return try resolve(String(code), offset: offset, with: resolving) }
  if code == 4326 { return .wgs84 }
  throw FormatError("SRID \(code) is not known", offset: offset)
}
