import PlumbCore
import PlumbGeometry
import Synchronization

/// Reads vertices from arrays. Each vertex is an array of x, y and optionally z and m, or a point.
struct ArcadeVertices {
  private var xy: [SIMD2<Double>] = []
  private var z: [Double] = []
  private var m: [Double] = []
  /// The end of each path or ring.
  private(set) var ends: [Int] = []
  /// The CRS of the first point that has a CRS.
  private(set) var reference: SpatialReference?
  /// Whether vertices have z; nil if unspecified. The third number of a vertex is its z, unless vertices have
  /// m and no z.
  var hasZ: Bool?
  var hasM: Bool?

  /// The vertices, with z and m if any vertex has them. z and m are NaN for vertices without them.
  var list: VertexList {
    VertexList(
      xy, z: z.contains { !$0.isNaN } ? z : nil, m: m.contains { !$0.isNaN } ? m : nil)
  }

  mutating func append(
    pathOf array: ArcadeArray, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) {
    let count = array.elements.count
    try call.context.spend(steps: count * 4, bytes: count * 32)
    for element in array.elements { try append(element) }
    ends.append(xy.count)
  }

  /// Appends a ring, and closes it if it is open. Appends nothing for an empty array.
  mutating func append(
    ringOf array: ArcadeArray, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) {
    guard !array.elements.isEmpty else { return }
    let start = xy.count
    try append(pathOf: array, call)
    guard xy[start] != xy[xy.count - 1] else { return }
    xy.append(xy[start])
    z.append(z[start])
    m.append(m[start])
    ends[ends.count - 1] = xy.count
  }

  private mutating func append(_ value: ArcadeValue) throws(ArcadeFailure) {
    switch value {
    case .geometry(.point(let point)):
      guard point.x.isFinite, point.y.isFinite else { throw Self.notFinite }
      if let source = point.spatialReference {
        guard reference == nil || reference == source else {
          throw ArcadeFailure("the points of a geometry must be in one spatial reference")
        }
        reference = source
      }
      xy.append(SIMD2(point.x, point.y))
      z.append(point.z ?? .nan)
      m.append(point.m ?? .nan)
    case .array(let array):
      let numbers = array.elements
      guard (2...4).contains(numbers.count) else {
        throw ArcadeFailure("a vertex has 2 to 4 numbers, not \(numbers.count)")
      }
      guard let x = Self.finite(numbers[0]), let y = Self.finite(numbers[1]) else {
        throw Self.notFinite
      }
      xy.append(SIMD2(x, y))
      let rest = numbers[2...].map { Self.finite($0) ?? .nan }
      let isMeasure = hasM == true && hasZ != true
      z.append(isMeasure ? .nan : rest.first ?? .nan)
      m.append(isMeasure ? rest.first ?? .nan : rest.count > 1 ? rest[1] : .nan)
    default:
      throw ArcadeFailure("a vertex is an array of numbers or a point, not \(value.typeName)")
    }
  }

  static func finite(_ value: ArcadeValue) -> Double? {
    switch value {
    case .number(let number) where number.isFinite: number
    case .text(let text) where !text.isEmpty && ArcadeNumber.read(text).isFinite:
      ArcadeNumber.read(text)
    default: nil
    }
  }

  private static var notFinite: ArcadeFailure {
    ArcadeFailure("a coordinate is not a finite number")
  }
}

/// Groups closed rings in any order into parts. A counter-clockwise ring is a hole of the smallest
/// clockwise ring around it. Without a ring around it, it is an exterior ring.
struct ArcadeRings {
  private let vertices: VertexList
  private let rings: [Range<Int>]

  init(_ vertices: VertexList, _ ends: [Int]) {
    self.vertices = vertices
    rings = zip([0] + ends, ends).map { $0..<$1 }
  }

  func grouped(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> (vertices: VertexList, ringEnds: [Int], partEnds: [Int]) {
    let isExterior = rings.map { vertices.orientation(ofRing: $0) < 0 }
    let exteriors = rings.indices.filter { isExterior[$0] }
    let areas = rings.map { vertices.doubleArea(ofRing: $0).magnitude }
    var holes: [Int: [Int]] = [:]
    var isHole = rings.map { _ in false }
    if !exteriors.isEmpty, exteriors.count < rings.count {
      let boxes = rings.map {
        vertices.bounds($0).map { Box(low: $0.low, high: $0.high) } ?? .nowhere
      }
      for ring in rings.indices where !isExterior[ring] {
        try call.context.spend(steps: exteriors.count, bytes: 0)
        let candidates = exteriors.filter { boxes[$0].contains(boxes[ring]) }
          .sorted { areas[$0] < areas[$1] }
        for exterior in candidates {
          guard try contains(exterior, ring, call) else { continue }
          holes[exterior, default: []].append(ring)
          isHole[ring] = true
          break
        }
      }
    }
    var order: [Int] = []
    var partEnds: [Int] = []
    for ring in rings.indices where !isHole[ring] {
      order.append(ring)
      order += holes[ring] ?? []
      partEnds.append(order.count)
    }
    return arranged(order, partEnds)
  }

  /// Whether a ring is inside another ring, determined by its first vertex that is not on the other ring. A
  /// ring with all vertices on the other ring is inside.
  private func contains(
    _ outer: Int, _ inner: Int, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> Bool {
    let xy = vertices.xy
    for index in rings[inner] {
      try call.context.spend(steps: rings[outer].count, bytes: 0)
      let point = xy[index]
      var (isInside, isOnLine) = (false, false)
      for edge in rings[outer].dropLast() {
        let (a, b) = (xy[edge] - point, xy[edge + 1] - point)
        let side = a.x * b.y - a.y * b.x
        if side == 0, min(a.x, b.x) <= 0, max(a.x, b.x) >= 0, min(a.y, b.y) <= 0,
          max(a.y, b.y) >= 0
        {
          isOnLine = true
          break
        }
        if (a.y > 0) != (b.y > 0), (side > 0) == (b.y > 0) { isInside.toggle() }
      }
      if !isOnLine { return isInside }
    }
    return true
  }

  private func arranged(
    _ order: [Int], _ partEnds: [Int]
  ) -> (vertices: VertexList, ringEnds: [Int], partEnds: [Int]) {
    var indices: [Int] = []
    var ends: [Int] = []
    for ring in order {
      indices += rings[ring]
      ends.append(indices.count)
    }
    let list = VertexList(
      indices.map { vertices.xy[$0] }, z: vertices.z.map { z in indices.map { z[$0] } },
      m: vertices.m.map { m in indices.map { m[$0] } })
    return (list, ends, partEnds)
  }
}

/// A cache of the spatial references in programs. A lookup in PROJ takes a hundred times as long as
/// all other work for a point.
final class ArcadeReferences: Sendable {
  static let shared = ArcadeReferences()

  private static let limit = 256
  private let known = Mutex<[String: SpatialReference]>([:])

  func reference(_ definition: String) throws(ArcadeFailure) -> SpatialReference {
    if definition == "4326" { return .wgs84 }
    if let reference = known.withLock({ $0[definition] }) { return reference }
    // PROJ would search for a bare word in all names, which takes a second.
    guard definition.utf8.contains(where: { "[:".utf8.contains($0) }) || Int(definition) != nil
    else {
      let shown = String(definition.prefix(80)).printable
      throw ArcadeFailure("\"\(shown)\" is not a spatial reference; use a wkid or a wkt")
    }
    let reference = try ArcadeFunction.evaluate { () throws(GeometryError) in
      try SpatialReference(definition)
    }
    guard definition.utf8.count <= 10_000 else { return reference }
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[definition] = reference
    }
    return reference
  }
}
