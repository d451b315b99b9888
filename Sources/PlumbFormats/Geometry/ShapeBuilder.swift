import PlumbCore
import PlumbIO

/// Vertices, rings and parts, while a codec reads them, and the shape that they make.
///
/// The members of a collection go into one shape; they must all be points, lines or areas.
struct ShapeBuilder {
  enum Kind: String, CaseIterable {
    case points, lines, areas
  }

  /// Collections within collections; deeper input is an error.
  static let nestingLimit = 32

  private(set) var kind: Kind?
  private(set) var xy: [SIMD2<Double>] = []
  private(set) var z: [Double]?
  private(set) var m: [Double]?
  private(set) var ringEnds: [Int] = []
  private(set) var partEnds: [Int] = []
  private var single: Point?
  private(set) var isCollection = false
  /// The kind that is wanted of a collection; nil for the only one.
  private let wanted: Kind?

  init(only wanted: Kind? = nil) { self.wanted = wanted }

  /// Whether a member of a kind is wanted.
  func takes(_ kind: Kind) -> Bool { wanted == nil || wanted == kind }

  var vertices: VertexList { VertexList(xy, z: z, m: m) }

  /// Starts a shape, or one more of a collection.
  ///
  /// - Throws: when it is of another kind than those before it.
  mutating func begin(_ next: Kind, offset: Int) throws(FormatError) {
    if let kind, kind != next {
      throw FormatError(
        "a collection of \(kind.rawValue) and \(next.rawValue) is not one shape; "
          + "give one with points, lines or areas alone", offset: offset)
    }
    kind = next
  }

  /// What comes now goes into one shape, which is never a single point.
  mutating func beginCollection() { isCollection = true }

  /// Says that vertices have heights or measures, though there may be none.
  mutating func declare(z hasZ: Bool, m hasM: Bool) {
    if hasZ, z == nil { z = Array(repeating: .nan, count: xy.count) }
    if hasM, m == nil { m = Array(repeating: .nan, count: xy.count) }
  }

  /// Makes room for the first vertices; asked for again and again it would make arrays grow in
  /// small steps.
  mutating func reserve(_ count: Int) {
    xy.reserveCapacity(count)
    z?.reserveCapacity(count)
    m?.reserveCapacity(count)
  }

  /// A vertex without a height among some that have one gets NaN; measures likewise.
  mutating func append(_ point: SIMD2<Double>, z height: Double? = nil, m measure: Double? = nil) {
    declare(z: height != nil, m: measure != nil)
    xy.append(point)
    z?.append(height ?? .nan)
    m?.append(measure ?? .nan)
  }

  /// Takes a shape that is one point.
  mutating func take(_ point: Point) {
    single = point
    declare(z: point.z != nil, m: point.m != nil)
    if !point.isEmpty { append(point.xy, z: point.z, m: point.m) }
  }

  /// Closes the ring at hand.
  mutating func endRing() {
    let start = ringEnds.last ?? 0
    if start < xy.count, xy[start] != xy[xy.count - 1] {
      append(xy[start], z: z?[start], m: m?[start])
    }
    ringEnds.append(xy.count)
  }

  /// Ends a line, or an area with all its rings.
  mutating func endPart() {
    partEnds.append(kind == .areas ? ringEnds.count : xy.count)
  }

  /// Puts the rings in another order and makes parts of them.
  ///
  /// - Parameters:
  ///   - order: each ring's index, once.
  ///   - partEnds: where each part ends in `order`.
  mutating func arrange(rings order: [Int], partEnds: [Int]) {
    self.partEnds = partEnds
    guard order != Array(ringEnds.indices) else { return }
    let old = self
    let count = xy.count
    (xy, ringEnds) = ([], [])
    if z != nil { z = [] }
    if m != nil { m = [] }
    reserve(count)
    for ring in order {
      let range = old.range(ofRing: ring)
      xy.append(contentsOf: old.xy[range])
      if let heights = old.z?[range] { z?.append(contentsOf: heights) }
      if let measures = old.m?[range] { m?.append(contentsOf: measures) }
      ringEnds.append(xy.count)
    }
  }

  /// A ring's vertices.
  func range(ofRing ring: Int) -> Range<Int> {
    (ring == 0 ? 0 : ringEnds[ring - 1])..<ringEnds[ring]
  }

  /// The shape; nil when none was begun.
  func geometry(_ reference: SpatialReference?) -> Geometry? {
    switch kind {
    case nil: return nil
    case .points:
      if !isCollection, var point = single {
        point.spatialReference = reference
        return .point(point)
      }
      return .multipoint(Multipoint(vertices, spatialReference: reference))
    case .lines:
      return .polyline(Polyline(vertices, partEnds: partEnds, spatialReference: reference))
    case .areas:
      return .polygon(
        Polygon(
          vertices, ringEnds: ringEnds, partEnds: partEnds, spatialReference: reference))
    }
  }
}
