import PlumbCore
import PlumbIO

/// Collects vertices, rings and parts while a codec reads them, and builds the geometry.
///
/// The members of a collection form one geometry. They must all be points, all be lines, or all be
/// areas.
struct ShapeBuilder {
  enum Kind: String, CaseIterable {
    case points, lines, areas
  }

  /// The maximum nesting of collections. Deeper nesting is an error.
  static let nestingLimit = 32

  private(set) var kind: Kind?
  private(set) var xy: [SIMD2<Double>] = []
  private(set) var z: [Double]?
  private(set) var m: [Double]?
  private(set) var ringEnds: [Int] = []
  private(set) var partEnds: [Int] = []
  private var single: Point?
  private(set) var isCollection = false
  /// The kind of members to read from a mixed collection; nil to read all members, which must be of one kind.
  private let wanted: Kind?

  init(only wanted: Kind? = nil) { self.wanted = wanted }

  /// Whether members of the given kind are to be read.
  func accepts(_ kind: Kind) -> Bool { wanted == nil || wanted == kind }

  var vertices: VertexList { VertexList(xy, z: z, m: m) }

  /// Starts a geometry, or another member of a collection.
  ///
  /// - Throws: if the kind of the geometry differs from the kind of the previous members.
  mutating func begin(_ next: Kind, offset: Int) throws(FormatError) {
    if let kind, kind != next {
      throw FormatError(
        "a collection of \(kind.rawValue) and \(next.rawValue) cannot become one geometry; "
          + "use a collection of only points, only lines or only areas", offset: offset)
    }
    kind = next
  }

  /// Starts a collection, which becomes one geometry but never a single point.
  mutating func beginCollection() { isCollection = true }

  /// Declares that vertices have heights or measures, even if there are no vertices.
  mutating func declare(z hasZ: Bool, m hasM: Bool) {
    if hasZ, z == nil { z = Array(repeating: .nan, count: xy.count) }
    if hasM, m == nil { m = Array(repeating: .nan, count: xy.count) }
  }

  /// Reserves memory for the first vertices. Must not be called repeatedly, because this would make the
  /// arrays grow in small steps.
  mutating func reserve(_ count: Int) {
    xy.reserveCapacity(count)
    z?.reserveCapacity(count)
    m?.reserveCapacity(count)
  }

  /// Appends a vertex. If only some vertices have a height or a measure, the value of the other
  /// vertices is NaN.
  mutating func append(_ point: SIMD2<Double>, z height: Double? = nil, m measure: Double? = nil) {
    declare(z: height != nil, m: measure != nil)
    xy.append(point)
    z?.append(height ?? .nan)
    m?.append(measure ?? .nan)
  }

  /// Sets a geometry that is a single point.
  mutating func add(_ point: Point) {
    single = point
    declare(z: point.z != nil, m: point.m != nil)
    if !point.isEmpty { append(point.xy, z: point.z, m: point.m) }
  }

  /// Closes the current ring.
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

  /// Reorders the rings and groups them into parts.
  ///
  /// - Parameters:
  ///   - order: the index of each ring, once.
  ///   - partEnds: the end of each part in `order`.
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

  /// The vertices of a ring.
  func range(ofRing ring: Int) -> Range<Int> {
    (ring == 0 ? 0 : ringEnds[ring - 1])..<ringEnds[ring]
  }

  /// The geometry; nil if no geometry was started.
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
