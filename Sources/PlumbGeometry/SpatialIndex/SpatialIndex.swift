import PlumbCore

/// Finds which of many boxes intersect a window, contain a point or are nearest to a point.
///
/// The boxes are fixed: the index is a tree packed into one array, with sixteen children per node
/// and its leaves in the order of a Hilbert curve. The index takes about 38 bytes per box. Items
/// are the indices of the boxes in the list from which the index was created. All boxes and queries
/// are in one CRS.
///
/// Boxes are closed, so that a box that only touches a window intersects it. An empty box (with a
/// NaN bound, or with a minimum above its maximum) is never found. Bounds may be infinite.
///
/// ```swift
/// let index = SpatialIndex(parcels.map(\.envelope))
/// let hits = index.items(intersecting: window)
/// let nearest = index.nearest(to: SIMD2(500_000, 4_649_776), count: 3)
/// ```
public struct SpatialIndex: Sendable {
  /// The number of children of a node.
  static let nodeSize = 16

  /// The number of boxes, including empty boxes.
  public let count: Int
  /// The boxes of all levels, leaves first, as (xMin, yMin, −xMax, −yMax).
  private let boxes: TrivialBuffer<SIMD4<Double>>
  /// The item of each leaf box.
  private let items: TrivialBuffer<Int32>
  /// The start of each level in `boxes`, the leaves first, and the end of the last level.
  private let levels: TrivialBuffer<Int>

  /// - Precondition: fewer than 2³¹ boxes.
  public init(_ envelopes: [Envelope], workers: Workers = Workers()) {
    self.init(count: envelopes.count, workers: workers) { envelopes[$0] }
  }

  /// Indexes envelopes that are computed on several threads.
  ///
  /// - Precondition: fewer than 2³¹ boxes.
  package init(
    count: Int, workers: Workers = Workers(), envelope: @Sendable (_ item: Int) -> Envelope
  ) {
    self.init(count: count, workers: workers) { index in
      let envelope = envelope(index)
      return SIMD4(envelope.xMin, envelope.yMin, -envelope.xMax, -envelope.yMax)
    }
  }

  /// - Precondition: `low` and `high` have the same count, below 2³¹.
  public init(low: [SIMD2<Double>], high: [SIMD2<Double>], workers: Workers = Workers()) {
    precondition(low.count == high.count, "low and high differ in count")
    self.init(count: low.count, workers: workers) { index in
      SIMD4(lowHalf: low[index], highHalf: -high[index])
    }
  }

  /// Indexes the bounding boxes of geometries; empty geometries are never found.
  ///
  /// - Precondition: fewer than 2³¹ geometries.
  public init(_ geometries: [Geometry], workers: Workers = Workers()) {
    self.init(count: geometries.count, workers: workers) { geometries[$0].envelope }
  }

  /// - Parameter box: a function that returns the box of an item as (xMin, yMin, −xMax, −yMax).
  init(count: Int, workers: Workers, box: @Sendable (Int) -> SIMD4<Double>) {
    precondition(count <= Int32.max, "too many boxes")
    self.count = count
    let source = TrivialBuffer<SIMD4<Double>>(count: count)
    workers.runRanges(count, grain: 4096) { _, range in
      for index in range { source.base[index] = box(index) }
    }
    let order = Self.leafOrder(source, workers)
    let sizes = Self.levelSizes(leaves: order.count)
    levels = TrivialBuffer(sizes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) })
    boxes = TrivialBuffer(count: sizes.reduce(0, +))
    items = TrivialBuffer(count: order.count)
    let (levels, nodes, leaves) = (levels, boxes, items)
    workers.runRanges(order.count, grain: 16384) { _, range in
      let (boxes, items) = (nodes.base, leaves.base)
      for position in range {
        let item = Int(order.base[position] & 0xffff_ffff)
        items[position] = Int32(truncatingIfNeeded: item)
        boxes[position] = source.base[item]
      }
    }
    for level in 1..<max(1, sizes.count) {
      workers.runRanges(sizes[level], grain: 4096) { _, range in
        let (children, nodes) = (nodes.base + levels[level - 1], nodes.base + levels[level])
        for node in range {
          let first = node * Self.nodeSize
          var union = children[first]
          for child in first + 1..<max(first + 1, min(first + Self.nodeSize, sizes[level - 1])) {
            union = pointwiseMin(union, children[child])
          }
          nodes[node] = union
        }
      }
    }
  }

  /// The number of boxes on each level, from the leaves up to the level that fits into one node.
  private static func levelSizes(leaves: Int) -> [Int] {
    guard leaves > 0 else { return [] }
    var sizes = [leaves]
    while let last = sizes.last, last > nodeSize {
      sizes.append((last + nodeSize - 1) / nodeSize)
    }
    return sizes
  }

  /// The boxes that are not empty, in the order of the Hilbert curve, with their indices in the
  /// lower 32 bits.
  private static func leafOrder(
    _ boxes: TrivialBuffer<SIMD4<Double>>, _ workers: Workers
  ) -> TrivialBuffer<UInt64> {
    let centre: @Sendable (Int) -> SIMD2<Double> = { index in
      let box = boxes.base[index]
      return box.lowHalf * 0.5 - box.highHalf * 0.5
    }
    let grain = 16384
    let jobs = (boxes.count + grain - 1) / grain
    let starts = TrivialBuffer<Int>(count: jobs + 1, zeroed: true)
    workers.runRanges(boxes.count, grain: grain) { _, range in
      var kept = 0
      let source = boxes.base
      for index in range where !isEmpty(source[index]) { kept += 1 }
      starts.base[range.lowerBound / grain + 1] = kept
    }
    for job in 0..<jobs { starts[job + 1] += starts[job] }
    let curve = CurveOrder(count: boxes.count, point: centre)
    let words = TrivialBuffer<UInt64>(count: starts[jobs])
    workers.runRanges(boxes.count, grain: grain) { _, range in
      let source = boxes.base
      var next = starts.base[range.lowerBound / grain]
      for index in range where !isEmpty(source[index]) {
        let position = curve.position(centre(index))
        words.base[next] = UInt64(position) << 32 | UInt64(truncatingIfNeeded: index)
        next += 1
      }
    }
    return curve.sorted(words, finest: nodeSize, workers: workers, point: centre)
  }

  /// Whether a box contains no point, because a bound is NaN or the bounds are reversed.
  @inline(__always)
  static func isEmpty(_ box: SIMD4<Double>) -> Bool {
    !(box.x <= -box.z && box.y <= -box.w)
  }

  /// Calls a closure with the tree in the form that inner loops use, valid only during the call.
  @inline(__always)
  func withTree<Result, Failure: Error>(
    _ body: (BoxTree) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(
      BoxTree(
        boxes: boxes.base, items: items.base, levels: levels.base, height: levels.count - 1))
  }
}
