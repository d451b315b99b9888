import PlumbIO

// Reads geometries of types that may contain arcs, if they contain no arcs. Lines and areas from
// PostGIS or GML may have these types.
extension WKTGeometry {
  /// Reads the members of a type that may contain arcs. An arc is an error.
  static func readStraight(
    _ shape: WKTScanner.Shape, _ vertices: inout WKTVertices, _ scanner: inout WKTScanner,
    into builder: inout ShapeBuilder
  ) throws(FormatError) {
    switch shape {
    case .compoundcurve:
      let count = builder.xy.count
      try readCompound(&vertices, &scanner, into: &builder)
      if builder.xy.count > count { builder.endPart() }
    case .curvepolygon:
      let count = builder.ringEnds.count
      try readRings(&vertices, &scanner, into: &builder)
      if builder.ringEnds.count > count { builder.endPart() }
    case .multicurve:
      try scanner.readList { line throws(FormatError) in
        try readCurve([.linestring, .compoundcurve], &vertices, &line, into: &builder)
        builder.endPart()
      }
    default:
      try scanner.readList { area throws(FormatError) in
        if area.isAt(UInt8(ascii: "(")) {
          try vertices.appendRings(&area, to: &builder)
        } else if try !area.readEmpty() {
          let start = area
          let tag = try area.readTag()
          var vertexList = WKTVertices(tag)
          builder.declare(z: tag.hasZ, m: tag.hasM)
          switch tag.shape {
          case .polygon: try vertexList.appendRings(&area, to: &builder)
          case .curvepolygon: try readRings(&vertexList, &area, into: &builder)
          default: throw start.fault("\(tag.shape.rawValue) cannot be part of a MULTISURFACE")
          }
        }
        builder.endPart()
      }
    }
  }

  private static func readRings(
    _ vertices: inout WKTVertices, _ scanner: inout WKTScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    try scanner.readList { ring throws(FormatError) in
      try readCurve([.linestring, .compoundcurve], &vertices, &ring, into: &builder)
      builder.endRing()
    }
  }

  /// Reads the parts of one line. Each part starts at the end of the previous part.
  private static func readCompound(
    _ vertices: inout WKTVertices, _ scanner: inout WKTScanner, into builder: inout ShapeBuilder
  ) throws(FormatError) {
    let start = builder.xy.count
    try scanner.readList { part throws(FormatError) in
      try readCurve(
        [.linestring], &vertices, &part, into: &builder, joins: builder.xy.count > start)
    }
  }

  /// Reads a list of vertices, or a line of one of the allowed types.
  private static func readCurve(
    _ allowed: [WKTScanner.Shape], _ vertices: inout WKTVertices, _ scanner: inout WKTScanner,
    into builder: inout ShapeBuilder, joins: Bool = false
  ) throws(FormatError) {
    if scanner.isAt(UInt8(ascii: "(")) {
      return try vertices.appendList(&scanner, to: &builder, joins: joins)
    }
    if try scanner.readEmpty() { return }
    let start = scanner
    let tag = try scanner.readTag()
    guard allowed.contains(tag.shape) else {
      throw start.fault("\(tag.shape.rawValue) cannot be part of a line or a ring")
    }
    builder.declare(z: tag.hasZ, m: tag.hasM)
    var vertexList = WKTVertices(tag)
    if tag.shape == .linestring {
      try vertexList.appendList(&scanner, to: &builder, joins: joins)
    } else {
      try readCompound(&vertexList, &scanner, into: &builder)
    }
  }
}
