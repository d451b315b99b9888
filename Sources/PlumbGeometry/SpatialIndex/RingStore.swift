import PlumbCore

/// The rings of many polygons in flat arrays, and the chains of edges of the large polygons.
struct RingStore: Sendable {
  /// The rings of a polygon.
  struct Shape {
    /// The bounding box of the exterior rings, as (xMin, yMin, −xMax, −yMax); parts of holes
    /// outside the box are ignored.
    var box = SIMD4<Double>(.infinity, .infinity, .infinity, .infinity)
    var firstRing: Int
    var ringCount: Int32
    /// The polygon's index among the polygons that have chains; −1 if it has no chains.
    var large: Int32
  }

  /// The position of a large polygon's chains in `chains`, and of its levels in `levels`.
  struct Large {
    var firstChain: Int
    var firstLevel: Int
    var height: Int
  }

  let x: TrivialBuffer<Double>
  let y: TrivialBuffer<Double>
  /// The start of each ring in `x` and `y`, and the end of the last ring.
  let ringStarts: TrivialBuffer<Int>
  let shapes: TrivialBuffer<Shape>
  let large: TrivialBuffer<Large>
  let chains: TrivialBuffer<Chain>
  let nodes: TrivialBuffer<ChainNode>
  /// For each polygon that has chains, the start of each of its levels in `nodes`, and the end of
  /// the last level.
  let levels: TrivialBuffer<Int>

  /// Copies the polygons' rings.
  ///
  /// - Throws: an error for the first polygon with a coordinate that is not finite.
  init(_ polygons: [Polygon], workers: Workers) throws(GeometryError) {
    let sizes = Self.sizes(polygons, workers)
    let shapes = TrivialBuffer<Shape>(count: polygons.count)
    let firstVertices = TrivialBuffer<Int>(count: polygons.count)
    var (vertices, rings) = (0, 0)
    var largePolygons: [Int] = []
    for index in 0..<polygons.count {
      let size = sizes.base[index]
      let isLarge = size.vertices > PolygonLocator.maximumVerticesWithoutChains
      shapes.base[index] = Shape(
        firstRing: rings, ringCount: size.rings,
        large: isLarge ? Int32(truncatingIfNeeded: largePolygons.count) : -1)
      if isLarge { largePolygons.append(index) }
      firstVertices.base[index] = vertices
      vertices += size.vertices
      rings += Int(size.rings)
    }
    let x = TrivialBuffer<Double>(count: vertices)
    let y = TrivialBuffer<Double>(count: vertices)
    let ringStarts = TrivialBuffer<Int>(count: rings + 1)
    ringStarts.base[rings] = vertices
    // For few vertices, several threads would take longer than one thread.
    let grain = vertices < 200_000 ? max(1, polygons.count) : 512
    let failures = TrivialBuffer<Int>(count: (polygons.count + grain - 1) / grain)
    polygons.withUnsafeBufferPointer { polygons in
      let polygons = SharedPointer(polygons)
      workers.runRanges(polygons.pointer.count, grain: grain) { _, range in
        let polygons = polygons.pointer
        var failure = -1
        for index in range {
          let isFinite = Self.copy(
            polygons[index], firstVertices.base[index], x.base, y.base,
            ringStarts.base + shapes.base[index].firstRing, &shapes.base[index].box)
          if !isFinite && failure < 0 { failure = index }
        }
        failures.base[range.lowerBound / grain] = failure
      }
    }
    if let failure = failures.pointer.first(where: { $0 >= 0 }) {
      throw GeometryError("a coordinate is not a finite number", member: failure)
    }
    (self.x, self.y, self.ringStarts, self.shapes) = (x, y, ringStarts, shapes)
    (large, chains, levels) = Self.layOutChains(largePolygons, shapes, ringStarts)
    nodes = TrivialBuffer(count: levels.count > 0 ? levels.base[levels.count - 1] : 0)
    let store = self
    workers.run(largePolygons.count) { [largePolygons] _, job in
      store.buildChains(job, largePolygons[job])
    }
  }

  private struct Size {
    var vertices: Int
    var rings: Int32
  }

  private static func sizes(_ polygons: [Polygon], _ workers: Workers) -> TrivialBuffer<Size> {
    let result = TrivialBuffer<Size>(count: polygons.count)
    polygons.withUnsafeBufferPointer { polygons in
      let polygons = SharedPointer(polygons)
      workers.runRanges(polygons.pointer.count, grain: 2048) { _, range in
        let polygons = polygons.pointer
        for index in range {
          var size = Size(vertices: 0, rings: 0)
          forEachRing(of: polygons[index]) { ring, _ in
            // A ring of one vertex is stored as an edge of zero length.
            size.vertices += max(2, ring.count)
            size.rings += 1
          }
          result.base[index] = size
        }
      }
    }
    return result
  }

  /// Calls `body` with the vertices of each ring, except empty rings and the holes of an empty
  /// exterior ring.
  @inline(__always)
  private static func forEachRing(
    of polygon: Polygon, _ body: (_ vertices: Range<Int>, _ isExterior: Bool) -> Void
  ) {
    let ringEnds = polygon.ringEnds
    var (ring, start) = (0, 0)
    for partEnd in polygon.partEnds {
      let first = ring
      var hasExterior = false
      while ring < partEnd {
        let end = ringEnds[ring]
        if ring == first { hasExterior = end > start }
        if hasExterior && end > start { body(start..<end, ring == first) }
        start = end
        ring += 1
      }
    }
  }

  /// Copies one polygon and returns whether all its coordinates are finite.
  private static func copy(
    _ polygon: Polygon, _ firstVertex: Int, _ x: UnsafeMutablePointer<Double>,
    _ y: UnsafeMutablePointer<Double>, _ ringStarts: UnsafeMutablePointer<Int>,
    _ box: inout SIMD4<Double>
  ) -> Bool {
    var low = SIMD2<Double>(repeating: .infinity)
    var high = -low
    // The sum is 0 unless a coordinate is not finite.
    var zero = SIMD2<Double>(0, 0)
    var next = firstVertex
    var ring = 0
    polygon.vertices.xy.withUnsafeBufferPointer { xy in
      forEachRing(of: polygon) { range, isExterior in
        ringStarts[ring] = next
        ring += 1
        for vertex in range {
          let point = xy[vertex]
          x[next] = point.x
          y[next] = point.y
          zero += point * 0
          next += 1
        }
        if isExterior {
          for point in xy[range] {
            low.replace(with: point, where: point .< low)
            high.replace(with: point, where: point .> high)
          }
        }
        if range.count == 1 {
          x[next] = x[next - 1]
          y[next] = y[next - 1]
          next += 1
        }
      }
    }
    box = SIMD4(lowHalf: low, highHalf: -high)
    return zero == SIMD2(0, 0)
  }

  private static func layOutChains(
    _ polygons: [Int], _ shapes: TrivialBuffer<Shape>, _ ringStarts: TrivialBuffer<Int>
  ) -> (TrivialBuffer<Large>, TrivialBuffer<Chain>, TrivialBuffer<Int>) {
    var (large, chains, levels): ([Large], [Chain], [Int]) = ([], [], [])
    var nodes = 0
    for polygon in polygons {
      let shape = shapes.base[polygon]
      let firstChain = chains.count
      for ring in 0..<shape.ringCount {
        let start = ringStarts.base[shape.firstRing + Int(ring)]
        let edges = ringStarts.base[shape.firstRing + Int(ring) + 1] - start - 1
        for first in stride(from: 0, to: edges, by: ChainNode.edges) {
          chains.append(
            Chain(
              first: start + first, edges: Int32(min(ChainNode.edges, edges - first)), ring: ring))
        }
      }
      let sizes = ChainNode.levelSizes(chains: chains.count - firstChain)
      large.append(Large(firstChain: firstChain, firstLevel: levels.count, height: sizes.count))
      for size in sizes {
        levels.append(nodes)
        nodes += size
      }
      levels.append(nodes)
    }
    return (TrivialBuffer(large), TrivialBuffer(chains), TrivialBuffer(levels))
  }

  private func buildChains(_ index: Int, _ polygon: Int) {
    let large = large.base[index]
    let firstRing = shapes.base[polygon].firstRing
    let firstNode = levels.base[large.firstLevel]
    ChainNode.build(
      nodes.base + firstNode,
      over: UnsafeBufferPointer(
        start: chains.base + large.firstChain,
        count: levels.base[large.firstLevel + 1] - firstNode),
      x: x.base, y: y.base
    ) { ring in
      ringStarts.base[firstRing + Int(ring)]..<ringStarts.base[firstRing + Int(ring) + 1]
    }
  }
}
