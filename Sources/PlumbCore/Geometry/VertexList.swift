/// Vertices in order: x and y always, z and m where the geometry has them.
public struct VertexList: Sendable, Hashable {
  /// x (easting or longitude) and y (northing or latitude) of each vertex.
  public private(set) var xy: [SIMD2<Double>]
  /// Heights, one a vertex; nil without.
  public private(set) var z: [Double]?
  /// Measures, one a vertex; nil without. NaN is a vertex without a measure.
  public private(set) var m: [Double]?

  /// - Precondition: `z` and `m` have as many elements as `xy`, where given.
  public init(_ xy: [SIMD2<Double>] = [], z: [Double]? = nil, m: [Double]? = nil) {
    precondition(z.map { $0.count == xy.count } ?? true, "as many heights as vertices")
    precondition(m.map { $0.count == xy.count } ?? true, "as many measures as vertices")
    self.xy = xy
    self.z = z
    self.m = m
  }

  public var count: Int { xy.count }
  public var isEmpty: Bool { xy.isEmpty }

  /// The same vertices without z, without m, or both.
  public func removing(z removesZ: Bool, m removesM: Bool) -> VertexList {
    VertexList(xy, z: removesZ ? nil : z, m: removesM ? nil : m)
  }

  /// Some of the vertices.
  public subscript(range: Range<Int>) -> VertexList {
    VertexList(Array(xy[range]), z: z.map { Array($0[range]) }, m: m.map { Array($0[range]) })
  }

  /// Turns the order of some of the vertices round.
  mutating func reverse(_ range: Range<Int>) {
    xy[range].reverse()
    z?[range].reverse()
    m?[range].reverse()
  }

  /// Repeats a vertex at another place of the list.
  mutating func insert(copyOf source: Int, at index: Int) {
    xy.insert(xy[source], at: index)
    if let value = z?[source] { z?.insert(value, at: index) }
    if let value = m?[source] { m?.insert(value, at: index) }
  }

  /// The least window round the vertices that are numbers; nil when there is none.
  package func bounds(_ range: Range<Int>? = nil) -> (low: SIMD2<Double>, high: SIMD2<Double>)? {
    var low = SIMD2<Double>(repeating: .infinity)
    var high = -low
    for place in xy[range ?? 0..<count] {
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
    }
    return low.x <= high.x && low.y <= high.y ? (low, high) : nil
  }

  /// Twice the area inside a closed ring, positive when it runs counter-clockwise.
  package func doubleArea(ofRing range: Range<Int>) -> Double {
    guard range.count > 3 else { return 0 }
    return xy.withUnsafeBufferPointer { xy in
      let origin = xy[range.lowerBound]
      var sum = 0.0
      var last = SIMD2<Double>(0, 0)
      for index in range.dropFirst() {
        let next = xy[index] - origin
        sum += last.x * next.y - last.y * next.x
        last = next
      }
      return sum
    }
  }
}
