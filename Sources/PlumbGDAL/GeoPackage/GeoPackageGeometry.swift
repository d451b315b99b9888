import PlumbCore
import PlumbIO

/// The shape of a feature in a layer.
enum VectorRowShape {
  case none
  /// A point with two finite coordinates.
  case point(SIMD2<Double>)
  /// A polygon that is not empty.
  case area(Polygon)
  /// A line that is not empty.
  case line(Polyline)
}

/// Encodes shapes in GeoPackage's binary format: a header with the SRS and, except for points, the
/// shape's envelope, followed by ISO WKB.
struct GeoPackageGeometry {
  /// The `srs_id` of the layer.
  let reference: Int32

  /// The WKB codes of the geometry types.
  fileprivate enum Kind: UInt32 {
    case point = 1
    case line = 2
    case polygon = 3
    case multiLine = 5
    case multiPolygon = 6
  }

  /// Appends a shape's bytes; appends nothing for `.none`.
  ///
  /// - Returns: the shape's extent.
  /// - Throws: when a part of the shape has too many vertices for WKB.
  func append(_ shape: VectorRowShape, to bytes: TextBuffer) throws(GDALError) -> Box {
    switch shape {
    case .none: return .nowhere
    case .point(let point):
      bytes.reserve(29)
      appendHead(nil, to: bytes)
      bytes.append(kind: .point)
      bytes.append(point)
      return Box(low: point, high: point)
    case .area(let area):
      let box = Box(area.vertices)
      appendHead(box, to: bytes)
      try append(area, to: bytes)
      return box
    case .line(let line):
      let box = Box(line.vertices)
      appendHead(box, to: bytes)
      let parts = line.parts.filter { !$0.isEmpty }
      if parts.count != 1 {
        bytes.append(kind: .multiLine)
        try bytes.append(count: parts.count)
      }
      for part in parts {
        bytes.append(kind: .line)
        try bytes.append(count: part.count)
        for index in part { bytes.append(line.vertices.xy[index]) }
      }
      return box
    }
  }

  private func appendHead(_ box: Box?, to bytes: TextBuffer) {
    bytes.append("GP")
    bytes.append(0)
    // The flags are the byte order (little-endian) and the kind of envelope (none, or minimum and
    // maximum x and y).
    bytes.append(box == nil ? 1 : 3)
    bytes.append(word: UInt32(bitPattern: reference))
    guard let box else { return }
    bytes.append(SIMD2(box.low.x, box.high.x))
    bytes.append(SIMD2(box.low.y, box.high.y))
  }

  /// Appends a multipolygon, which is the geometry type of the layer. Exterior rings are
  /// counter-clockwise, as OGC requires.
  private func append(_ area: Polygon, to bytes: TextBuffer) throws(GDALError) {
    let rings = area.rings
    let parts = area.parts.filter { !$0.isEmpty }
    bytes.reserve(16 + 4 * rings.count + 16 * area.vertices.count)
    bytes.append(kind: .multiPolygon)
    try bytes.append(count: parts.count)
    for part in parts {
      bytes.append(kind: .polygon)
      try bytes.append(count: part.count)
      for ring in rings[part] {
        try bytes.append(count: ring.count)
        for index in ring.reversed() { bytes.append(area.vertices.xy[index]) }
      }
    }
  }
}

extension TextBuffer {
  fileprivate func append(kind: GeoPackageGeometry.Kind) {
    append(1)
    append(word: kind.rawValue)
  }

  fileprivate func append(count: Int) throws(GDALError) {
    guard let word = UInt32(exactly: count) else {
      throw GDALError("a shape has more vertices or parts than a GeoPackage can count")
    }
    append(word: word)
  }

  fileprivate func append(word: UInt32) {
    withUnsafeBytes(of: word.littleEndian) { append($0) }
  }

  fileprivate func append(_ vertex: SIMD2<Double>) {
    withUnsafeBytes(of: vertex.x.bitPattern.littleEndian) { append($0) }
    withUnsafeBytes(of: vertex.y.bitPattern.littleEndian) { append($0) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    append(start, bytes.count)
  }
}
