import PlumbCore
import PlumbIO

extension WKBGeometry {
  /// Reads a geometry in either byte order, as ISO WKB or PostGIS EWKB.
  ///
  /// A collection becomes one geometry. Empty points in a multipoint are dropped. Open rings are
  /// closed, and rings may have either direction.
  /// - Parameters:
  ///   - bytes: the bytes of the geometry.
  ///   - reference: the CRS of the geometry if the bytes contain no SRID, or the SRID 0.
  ///   - resolving: a function that returns the CRS for a code, such as `"32734"`. Without it, only
  ///     4326 is known.
  /// - Returns: nil for a collection without members.
  /// - Throws: if the bytes are not exactly one geometry, or if the geometry has arcs or faces, mixes points,
  ///   lines and areas, or has an unknown SRID.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, reference: SpatialReference? = nil,
    resolving: ((String) throws -> SpatialReference)? = nil
  ) throws(FormatError) -> Geometry? {
    var scanner = WKBScanner(bytes)
    var builder = ShapeBuilder()
    let head = try scanner.readHead()
    var reference = reference
    if let code = head.code {
      reference = try spatialReference(code, offset: 5, else: reference, resolving)
    }
    try read(head, &scanner, into: &builder, depth: 0)
    guard scanner.isAtEnd else { throw scanner.fault("unexpected bytes after the geometry") }
    return builder.geometry(reference)
  }

  /// Reads a geometry, as above.
  public static func decode(
    _ bytes: [UInt8], reference: SpatialReference? = nil,
    resolving: ((String) throws -> SpatialReference)? = nil
  ) throws(FormatError) -> Geometry? {
    try bytes.withUnsafeBufferPointer { bytes throws(FormatError) in
      try decode(UnsafeRawBufferPointer(bytes), reference: reference, resolving: resolving)
    }
  }

  private static func read(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder,
    depth: Int
  ) throws(FormatError) {
    if let kind = head.shape.kind { try builder.begin(kind, offset: head.offset) }
    builder.declare(z: head.hasZ, m: head.hasM)
    switch head.shape {
    case .point: builder.add(try scanner.readPoint(head))
    case .linestring:
      if try scanner.readVertices(head, into: &builder) > 0 { builder.endPart() }
    case .polygon:
      if try readRings(head, &scanner, into: &builder) > 0 { builder.endPart() }
    case .multipoint:
      try readMembers(.point, of: head, &scanner) { member, scanner throws(FormatError) in
        builder.declare(z: member.hasZ, m: member.hasM)
        let point = try scanner.readPoint(member)
        if !point.isEmpty { builder.append(point.xy, z: point.z, m: point.m) }
      }
    case .multilinestring:
      try readMembers(.linestring, of: head, &scanner) { member, scanner throws(FormatError) in
        builder.declare(z: member.hasZ, m: member.hasM)
        _ = try scanner.readVertices(member, into: &builder)
        builder.endPart()
      }
    case .multipolygon:
      try readMembers(.polygon, of: head, &scanner) { member, scanner throws(FormatError) in
        builder.declare(z: member.hasZ, m: member.hasM)
        _ = try readRings(member, &scanner, into: &builder)
        builder.endPart()
      }
    case .compoundcurve, .curvepolygon, .multicurve, .multisurface:
      try readStraight(head, &scanner, into: &builder)
    case .geometrycollection:
      guard depth < ShapeBuilder.nestingLimit else {
        throw FormatError(
          "WKB: collections are nested deeper than \(ShapeBuilder.nestingLimit) levels",
          offset: head.offset)
      }
      builder.beginCollection()
      try readMembers(nil, of: head, &scanner) { member, scanner throws(FormatError) in
        try read(member, &scanner, into: &builder, depth: depth + 1)
      }
    }
  }

  /// Reads a count and that number of geometries.
  static func readMembers(
    _ shape: Shape?, of head: WKBScanner.Head, _ scanner: inout WKBScanner,
    _ read: (WKBScanner.Head, inout WKBScanner) throws(FormatError) -> Void
  ) throws(FormatError) {
    // A member has at least nine bytes, for the byte order, the type and a count.
    for _ in 0..<(try scanner.readCount(head, bytesEach: 9)) {
      let member = try scanner.readHead()
      guard shape == nil || member.shape == shape else {
        throw FormatError(
          "WKB: a member does not have the type that a \(head.shape) requires",
          offset: member.offset)
      }
      guard member.code == nil || member.code == head.code else {
        throw FormatError(
          "WKB: the SRID of a member differs from the SRID of the whole geometry",
          offset: member.offset)
      }
      try read(member, &scanner)
    }
  }

  /// Reads a count and that number of rings, and returns the count.
  static func readRings(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) -> Int {
    let count = try scanner.readCount(head, bytesEach: 4)
    for _ in 0..<count {
      _ = try scanner.readVertices(head, into: &builder)
      builder.endRing()
    }
    return count
  }
}

extension WKBGeometry.Shape {
  /// The kind of geometry; nil for a collection.
  var kind: ShapeBuilder.Kind? {
    switch self {
    case .point, .multipoint: .points
    case .linestring, .multilinestring, .compoundcurve, .multicurve: .lines
    case .polygon, .multipolygon, .curvepolygon, .multisurface: .areas
    case .geometrycollection: nil
    }
  }
}
