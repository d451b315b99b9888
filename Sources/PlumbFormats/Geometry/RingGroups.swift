import PlumbCore

extension ShapeBuilder {
  /// Groups rings in any order into parts, as in Esri's model. A counter-clockwise ring is a hole
  /// of the smallest clockwise ring around it. Without a clockwise ring around it, the ring is an
  /// exterior ring. A ring without area has no direction and is treated as counter-clockwise.
  ///
  /// - Complexity: O(*n* log *n*) in the vertices for typical map data; more if rings are all nested.
  mutating func groupRings() {
    let vertices = self.vertices
    let ranges = ringEnds.indices.map { range(ofRing: $0) }
    let isClockwise = ranges.map { vertices.orientation(ofRing: $0) < 0 }
    // The index of the exterior ring of each ring. The exterior ring of an exterior ring is the
    // ring itself.
    var owners = Array(ranges.indices)
    if isClockwise.contains(true), isClockwise.contains(false) {
      var exteriors = ExteriorRings(vertices, ranges, isClockwise)
      for ring in owners.indices where !isClockwise[ring] {
        owners[ring] = exteriors.owner(ofRing: ring) ?? ring
      }
    }
    var holes: [Int: [Int]] = [:]
    for (ring, owner) in owners.enumerated() where owner != ring {
      holes[owner, default: []].append(ring)
    }
    var order: [Int] = []
    var partEnds: [Int] = []
    for (ring, owner) in owners.enumerated() where owner == ring {
      order.append(ring)
      order.append(contentsOf: holes[ring] ?? [])
      partEnds.append(order.count)
    }
    arrange(rings: order, partEnds: partEnds)
  }
}

/// The clockwise rings, with a spatial index to find the ring around another ring.
private struct ExteriorRings {
  private let vertices: VertexList
  private let ranges: [Range<Int>]
  /// The area of each clockwise ring, infinite if it overflows; 0 for other rings.
  private let areas: [Double]
  /// The bounding box of each ring; nil if the ring has no vertices.
  private let boxes: [Box?]
  /// The clockwise rings in spatial order.
  private let rings: [Int]
  private let blocks: BoxBlocks
  private var insides: [Int: RingInside] = [:]

  init(_ vertices: VertexList, _ ranges: [Range<Int>], _ isClockwise: [Bool]) {
    self.vertices = vertices
    self.ranges = ranges
    areas = ranges.indices.map { ring in
      guard isClockwise[ring] else { return 0 }
      let area = vertices.doubleArea(ofRing: ranges[ring]).magnitude
      return area.isNaN ? .infinity : area
    }
    let boxes = ranges.map { vertices.bounds($0).map { Box(low: $0.low, high: $0.high) } }
    let clockwise = ranges.indices.filter { isClockwise[$0] && boxes[$0] != nil }
    let rings = BoxBlocks.order(clockwise) { boxes[$0]?.low ?? .zero }
    self.boxes = boxes
    self.rings = rings
    blocks = BoxBlocks(count: rings.count) { boxes[rings[$0]] ?? .nowhere }
  }

  /// The smallest clockwise ring around another ring. Of several rings of the same area, the last
  /// ring that precedes the other ring is preferred.
  mutating func owner(ofRing ring: Int) -> Int? {
    guard let box = boxes[ring] else { return nil }
    var candidates: [Int] = []
    blocks.forEach(meeting: box) { range in
      for exterior in rings[range] where boxes[exterior]?.contains(box) == true {
        candidates.append(exterior)
      }
    }
    candidates.sort { a, b in
      if areas[a] != areas[b] { return areas[a] < areas[b] }
      return (a < ring) == (b < ring) ? (a < ring ? a > b : a < b) : a < ring
    }
    for exterior in candidates {
      let inside = insides[exterior] ?? RingInside(vertices, ranges[exterior])
      insides[exterior] = inside
      if inside.contains(ranges[ring]) { return exterior }
    }
    return nil
  }
}
