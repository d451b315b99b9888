/// Vertices in order, with x and y, and optionally z and m.
public struct VertexList: Sendable, Hashable {
  /// x (easting or longitude) and y (northing or latitude) of each vertex.
  public private(set) var xy: [SIMD2<Double>]
  /// Heights, one per vertex; nil if there are none.
  public private(set) var z: [Double]?
  /// Measures, one per vertex; nil if there are none. NaN marks a vertex without a measure.
  public private(set) var m: [Double]?

  /// - Precondition: `z` and `m`, if given, have as many elements as `xy`.
  public init(_ xy: [SIMD2<Double>] = [], z: [Double]? = nil, m: [Double]? = nil) {
    precondition(
      z.map { $0.count == xy.count } ?? true, "there must be as many heights as vertices")
    precondition(
      m.map { $0.count == xy.count } ?? true, "there must be as many measures as vertices")
    self.xy = xy
    self.z = z
    self.m = m
  }

  /// The number of vertices.
  public var count: Int { xy.count }
  /// Whether there are no vertices.
  public var isEmpty: Bool { xy.isEmpty }

  /// The same vertices without z, without m, or both.
  public func removing(z removesZ: Bool, m removesM: Bool) -> VertexList {
    VertexList(xy, z: removesZ ? nil : z, m: removesM ? nil : m)
  }

  /// A range of the vertices.
  public subscript(range: Range<Int>) -> VertexList {
    VertexList(Array(xy[range]), z: z.map { Array($0[range]) }, m: m.map { Array($0[range]) })
  }

  /// Reverses the order of a range of vertices.
  mutating func reverse(_ range: Range<Int>) {
    xy[range].reverse()
    z?[range].reverse()
    m?[range].reverse()
  }

  /// Reserves capacity for `count` vertices in total.
  mutating func reserve(_ count: Int) {
    xy.reserveCapacity(count)
    z?.reserveCapacity(count)
    m?.reserveCapacity(count)
  }

  /// Appends a range of the vertices of another list, which has z and m if this list has them.
  mutating func append(_ other: VertexList, _ range: Range<Int>) {
    xy.append(contentsOf: other.xy[range])
    if let values = other.z?[range] { z?.append(contentsOf: values) }
    if let values = other.m?[range] { m?.append(contentsOf: values) }
  }

  /// The extent of the coordinates that are not NaN; nil if there are none.
  package func bounds(_ range: Range<Int>? = nil) -> (low: SIMD2<Double>, high: SIMD2<Double>)? {
    var low = SIMD2<Double>(repeating: .infinity)
    var high = -low
    for point in xy[range ?? 0..<count] {
      low = pointwiseMin(low, point)
      high = pointwiseMax(high, point)
    }
    return low.x <= high.x && low.y <= high.y ? (low, high) : nil
  }
}
