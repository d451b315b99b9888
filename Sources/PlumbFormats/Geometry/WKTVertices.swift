import PlumbCore
import PlumbIO

/// Reads the vertices of one geometry, which all have the same number of coordinates.
struct WKTVertices {
  private var hasZ: Bool
  private var hasM: Bool
  /// The number of coordinates per vertex. In a geometry without Z and M, it is nil until the first
  /// vertex is read.
  private var count: Int?

  init(_ tag: WKTScanner.Tag) {
    hasZ = tag.hasZ
    hasM = tag.hasM
    if hasZ || hasM { count = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0) }
  }

  mutating func read(
    _ scanner: inout WKTScanner
  ) throws(FormatError) -> (SIMD2<Double>, z: Double?, m: Double?) {
    let start = scanner.offset
    let point = SIMD2(try scanner.readNumber(orNaN: false), try scanner.readNumber(orNaN: false))
    var extra = SIMD2<Double>(repeating: .nan)
    var found = 2
    while scanner.isAtNumber(), found < 4 {
      extra[found - 2] = try scanner.readNumber(orNaN: true)
      found += 1
    }
    if count == nil {
      count = found
      hasZ = found > 2
      hasM = found > 3
    }
    guard found == count else {
      throw FormatError(
        "WKT: a vertex has \(found) numbers where \(count ?? 2) were expected", offset: start)
    }
    return (point, hasZ ? extra.x : nil, hasM ? (hasZ ? extra.y : extra.x) : nil)
  }

  mutating func append(
    _ scanner: inout WKTScanner, to builder: inout ShapeBuilder
  ) throws(FormatError) {
    let (point, z, m) = try read(&scanner)
    builder.append(point, z: z, m: m)
  }

  /// Reads `EMPTY` or a list of vertices.
  ///
  /// - Parameter joins: whether the first vertex repeats the builder's last vertex, and is dropped.
  mutating func appendList(
    _ scanner: inout WKTScanner, to builder: inout ShapeBuilder, joins: Bool = false
  ) throws(FormatError) {
    if try scanner.readEmpty() { return }
    try scanner.expect(UInt8(ascii: "("))
    if joins {
      let start = scanner
      guard try read(&scanner).0 == builder.xy.last else {
        throw start.fault("the parts of a COMPOUNDCURVE do not meet")
      }
      guard try scanner.hasNext() else { return }
    }
    repeat { try append(&scanner, to: &builder) } while try scanner.hasNext()
  }

  mutating func appendRings(
    _ scanner: inout WKTScanner, to builder: inout ShapeBuilder
  ) throws(FormatError) {
    if try scanner.readEmpty() { return }
    try scanner.expect(UInt8(ascii: "("))
    repeat {
      try appendList(&scanner, to: &builder)
      builder.endRing()
    } while try scanner.hasNext()
  }
}
