import PlumbCore
import PlumbIO

/// Well-known binary of OGC's simple features: ISO's types 1…7, 1001…, 2001…, 3001…, and PostGIS's
/// flags when reading.
///
/// Exterior rings run counter-clockwise in the bytes and holes clockwise. An envelope is its
/// polygon, an empty point has NaN for x and y. A height or measure that is not there is NaN; no
/// other number may be.
public enum WKBGeometry {
  /// The geometry as ISO WKB, little endian; its spatial reference is not part of that.
  ///
  /// - Throws: when a coordinate is infinite, or NaN in a shape that is not empty.
  public static func encode(_ geometry: Geometry) throws(FormatError) -> [UInt8] {
    try geometry.checkNumbers(for: "WKB")
    var writer = Writer(vertices: geometry.vertices)
    switch geometry {
    case .point(let point):
      writer.vertices = VertexList([point.xy], z: point.z.map { [$0] }, m: point.m.map { [$0] })
      writer.head(.point)
      writer.vertex(0)
    case .multipoint(let multipoint):
      writer.head(.multipoint)
      try writer.count(multipoint.vertices.count)
      for index in multipoint.vertices.xy.indices {
        writer.head(.point)
        writer.vertex(index)
      }
    case .polyline(let polyline): try append(polyline, to: &writer)
    case .polygon(let polygon): try append(polygon, to: &writer)
    case .envelope(let envelope): try append(envelope.polygon, to: &writer)
    }
    return writer.bytes
  }

  private static func append(
    _ polyline: Polyline, to writer: inout Writer
  ) throws(FormatError) {
    if polyline.isOneLine {
      writer.head(.linestring)
      return try writer.list(0..<polyline.vertices.count)
    }
    writer.head(.multilinestring)
    try writer.count(polyline.partEnds.count)
    for part in polyline.parts {
      writer.head(.linestring)
      try writer.list(part)
    }
  }

  private static func append(_ polygon: Polygon, to writer: inout Writer) throws(FormatError) {
    let rings = polygon.ringsCounterClockwise
    if polygon.isOneArea {
      writer.head(.polygon)
      return try writer.rings(rings[...])
    }
    writer.head(.multipolygon)
    try writer.count(polygon.partEnds.count)
    for part in polygon.parts {
      writer.head(.polygon)
      try writer.rings(rings[part])
    }
  }

  enum Shape: UInt32 {
    case point = 1
    case linestring, polygon, multipoint, multilinestring, multipolygon, geometrycollection
    // What may hold arcs, and is read where its parts are straight.
    case compoundcurve = 9
    case curvepolygon, multicurve, multisurface
  }

  private struct Writer {
    var vertices: VertexList
    private(set) var bytes: [UInt8] = []

    init(vertices: VertexList) {
      self.vertices = vertices
      bytes.reserveCapacity(32 + vertices.count * 32)
    }

    private mutating func append(_ word: UInt32) {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ value: Double) {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func head(_ shape: Shape) {
      bytes.append(1)
      append(
        shape.rawValue + (vertices.z == nil ? 0 : 1000) + (vertices.m == nil ? 0 : 2000))
    }

    mutating func count(_ count: Int) throws(FormatError) {
      guard let word = UInt32(exactly: count) else {
        throw FormatError("WKB cannot count more than \(UInt32.max) vertices or parts")
      }
      append(word)
    }

    mutating func vertex(_ index: Int) {
      append(vertices.xy[index].x)
      append(vertices.xy[index].y)
      if let z = vertices.z { append(z[index]) }
      if let m = vertices.m { append(m[index]) }
    }

    mutating func list(_ range: Range<Int>) throws(FormatError) {
      try count(range.count)
      for index in range { vertex(index) }
    }

    mutating func rings(_ rings: ArraySlice<OrderedRing>) throws(FormatError) {
      try count(rings.count)
      for ring in rings {
        try count(ring.range.count)
        for index in ring.indices { vertex(index) }
      }
    }
  }
}
