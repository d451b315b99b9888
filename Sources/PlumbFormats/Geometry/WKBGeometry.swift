import PlumbCore
import PlumbIO

/// Well-known binary of OGC simple features, with the ISO types 1…7, 1001…, 2001… and 3001…. The
/// flags of PostGIS are supported when reading.
///
/// In the bytes, exterior rings are counter-clockwise and holes are clockwise. An envelope is
/// written as a polygon. An empty point has NaN for x and y. A missing height or measure is NaN.
/// Other numbers must not be NaN.
public enum WKBGeometry {
  /// The geometry as ISO WKB, little endian, without its spatial reference.
  ///
  /// - Throws: if a coordinate is infinite, or NaN in a geometry that is not empty.
  public static func encode(_ geometry: Geometry) throws(FormatError) -> [UInt8] {
    let size = try byteCount(of: geometry)
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, filled in
      if let start = bytes.baseAddress { write(geometry, to: UnsafeMutableRawPointer(start)) }
      filled = size
    }
  }

  /// The number of bytes that `write` writes.
  ///
  /// - Throws: the errors of `encode`.
  package static func byteCount(of geometry: Geometry) throws(FormatError) -> Int {
    try geometry.checkNumbers(for: "WKB")
    // A header takes five bytes, and a count takes four bytes.
    let counted: (heads: Int, counts: Int)
    switch geometry {
    case .point: counted = (1, 0)
    case .multipoint(let multipoint): counted = (1 + multipoint.vertices.count, 1)
    case .polyline(let polyline):
      let lists = polyline.isOneLine ? 1 : 1 + polyline.partEnds.count
      counted = (lists, lists)
    case .polygon(let polygon): counted = heads(of: polygon)
    case .envelope(let envelope): counted = heads(of: envelope.polygon)
    }
    let vertices = geometry.vertices
    guard max(vertices.count, counted.heads, counted.counts) <= UInt32.max else {
      throw FormatError("WKB cannot count more than \(UInt32.max) vertices or parts")
    }
    let each = 16 + (vertices.z == nil ? 0 : 8) + (vertices.m == nil ? 0 : 8)
    // An empty point has NaN coordinates.
    let count = if case .point = geometry { 1 } else { vertices.count }
    return 5 * counted.heads + 4 * counted.counts + each * count
  }

  private static func heads(of polygon: Polygon) -> (heads: Int, counts: Int) {
    let lists = polygon.isOneArea ? 1 : 1 + polygon.partEnds.count
    return (lists, lists + polygon.ringEnds.count)
  }

  /// Writes a geometry in the format of `encode` to memory with room for `byteCount(of:)` bytes.
  package static func write(_ geometry: Geometry, to start: UnsafeMutableRawPointer) {
    switch geometry {
    case .point(let point):
      let vertices = VertexList([point.xy], z: point.z.map { [$0] }, m: point.m.map { [$0] })
      var writer = Writer(vertices, start)
      writer.head(.point)
      writer.vertex(0)
    case .multipoint(let multipoint):
      var writer = Writer(multipoint.vertices, start)
      writer.head(.multipoint)
      writer.count(multipoint.vertices.count)
      for index in 0..<multipoint.vertices.count {
        writer.head(.point)
        writer.vertex(index)
      }
    case .polyline(let polyline): write(polyline, to: start)
    case .polygon(let polygon): write(polygon, to: start)
    case .envelope(let envelope): write(envelope.polygon, to: start)
    }
  }

  private static func write(_ polyline: Polyline, to start: UnsafeMutableRawPointer) {
    var writer = Writer(polyline.vertices, start)
    var parts = [0..<polyline.vertices.count]
    if !polyline.isOneLine {
      parts = polyline.parts
      writer.head(.multilinestring)
      writer.count(parts.count)
    }
    for part in parts {
      writer.head(.linestring)
      writer.count(part.count)
      for index in part { writer.vertex(index) }
    }
  }

  private static func write(_ polygon: Polygon, to start: UnsafeMutableRawPointer) {
    var writer = Writer(polygon.vertices, start)
    let rings = polygon.ringsCounterClockwise
    var parts = [rings.indices]
    if !polygon.isOneArea {
      parts = polygon.parts
      writer.head(.multipolygon)
      writer.count(parts.count)
    }
    for part in parts {
      writer.head(.polygon)
      writer.count(part.count)
      for ring in rings[part] {
        writer.count(ring.range.count)
        for index in ring.indices { writer.vertex(index) }
      }
    }
  }

  enum Shape: UInt32 {
    case point = 1
    case linestring, polygon, multipoint, multilinestring, multipolygon, geometrycollection
    // Types that may contain arcs. They are read only if all of their parts are straight.
    case compoundcurve = 9
    case curvepolygon, multicurve, multisurface
  }

  /// Writes to memory that has room for all bytes.
  private struct Writer {
    private let xy: [SIMD2<Double>]
    private let z, m: [Double]?
    private var position: UnsafeMutableRawPointer

    init(_ vertices: VertexList, _ start: UnsafeMutableRawPointer) {
      (xy, z, m, position) = (vertices.xy, vertices.z, vertices.m, start)
    }

    @inline(__always)
    private mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(_ word: Word) {
      position.storeBytes(of: word.littleEndian, as: Word.self)
      position += MemoryLayout<Word>.size
    }

    mutating func head(_ shape: Shape) {
      append(UInt8(1))
      append(shape.rawValue + (z == nil ? 0 : 1000) + (m == nil ? 0 : 2000))
    }

    mutating func count(_ count: Int) { append(UInt32(count)) }

    @inline(__always)
    mutating func vertex(_ index: Int) {
      append(xy[index].x.bitPattern)
      append(xy[index].y.bitPattern)
      if let z { append(z[index].bitPattern) }
      if let m { append(m[index].bitPattern) }
    }
  }
}
