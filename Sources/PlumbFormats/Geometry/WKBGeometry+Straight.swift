import PlumbIO

// Reads geometries of types that may contain arcs, if they contain no arcs. Lines and areas from
// PostGIS or GML may have these types.
extension WKBGeometry {
  /// Reads the members of a type that may contain arcs. An arc is an error.
  static func readStraight(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    switch head.shape {
    case .compoundcurve:
      let count = builder.xy.count
      try readCompound(head, &scanner, into: &builder)
      if builder.xy.count > count { builder.endPart() }
    case .curvepolygon:
      let count = builder.ringEnds.count
      try readCurvedRings(head, &scanner, into: &builder)
      if builder.ringEnds.count > count { builder.endPart() }
    case .multicurve:
      try readMembers(nil, of: head, &scanner) { member, scanner throws(FormatError) in
        try readCurve(member, &scanner, into: &builder)
        builder.endPart()
      }
    default:
      try readMembers(nil, of: head, &scanner) { member, scanner throws(FormatError) in
        builder.declare(z: member.hasZ, m: member.hasM)
        switch member.shape {
        case .polygon: _ = try readRings(member, &scanner, into: &builder)
        case .curvepolygon: try readCurvedRings(member, &scanner, into: &builder)
        default: throw misfit(member, in: head)
        }
        builder.endPart()
      }
    }
  }

  private static func readCurvedRings(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    try readMembers(nil, of: head, &scanner) { ring, scanner throws(FormatError) in
      try readCurve(ring, &scanner, into: &builder)
      builder.endRing()
    }
  }

  /// Reads a line that consists of one or several pieces.
  private static func readCurve(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    builder.declare(z: head.hasZ, m: head.hasM)
    switch head.shape {
    case .linestring: _ = try scanner.readVertices(head, into: &builder)
    case .compoundcurve: try readCompound(head, &scanner, into: &builder)
    default: throw misfit(head, in: nil)
    }
  }

  /// Reads the parts of one line. Each part starts at the end of the previous part.
  private static func readCompound(
    _ head: WKBScanner.Head, _ scanner: inout WKBScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    let start = builder.xy.count
    try readMembers(.linestring, of: head, &scanner) { part, scanner throws(FormatError) in
      builder.declare(z: part.hasZ, m: part.hasM)
      _ = try scanner.readVertices(part, into: &builder, joins: builder.xy.count > start)
    }
  }

  private static func misfit(
    _ member: WKBScanner.Head, in head: WKBScanner.Head?
  ) -> FormatError {
    FormatError(
      "WKB: a \(member.shape) cannot be part of a \(head.map { "\($0.shape)" } ?? "line or a ring")",
      offset: member.offset)
  }
}
