import PlumbCore

/// A hash of areas that is the same in every process. It identifies the areas of a coverage file.
struct AreaHash {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the hash of an area; nil represents a feature without an area.
  static func of(_ area: Geometry?) -> UInt64 {
    var hash = AreaHash()
    hash.add(area)
    return hash.value
  }

  @inline(__always)
  private mutating func add(_ bits: UInt64) {
    // Both halves of the product are combined, so that the value depends on all bits of the
    // factors.
    let product = (value ^ bits).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    value = (product.high ^ product.low) &+ 0xE703_7ED1_A0B4_28DB
  }

  /// Adds an area.
  mutating func add(_ area: Geometry?) {
    guard let area else { return add(0) }
    switch area {
    case .point: add(1)
    case .multipoint: add(2)
    case .polyline(let lines):
      add(3)
      for end in lines.partEnds { add(UInt64(end)) }
    case .polygon(let polygon):
      add(4)
      for end in polygon.ringEnds { add(UInt64(end)) }
      for end in polygon.partEnds { add(UInt64(end)) }
    case .envelope: add(5)
    }
    for vertex in area.vertices.xy {
      add(vertex.x.bitPattern)
      add(vertex.y.bitPattern)
    }
  }
}
