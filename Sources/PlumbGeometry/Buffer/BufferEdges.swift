import PlumbCore

/// The chains of edges of a geometry: its lines, or its rings.
struct BufferEdges {
  struct Chain {
    var vertices: Range<Int>
    /// Whether the chain is a ring without ends, which continues from its last vertex to its second
    /// vertex.
    var isClosed: Bool
  }

  let xy: [SIMD2<Double>]
  let chains: [Chain]

  init(xy: [SIMD2<Double>], chains: [Chain]) { (self.xy, self.chains) = (xy, chains) }

  init(_ geometry: Geometry) {
    xy = geometry.vertices.xy
    let xy = xy
    switch geometry {
    case .point, .multipoint:
      chains = xy.indices.map { Chain(vertices: $0..<$0 + 1, isClosed: false) }
    case .polyline(let polyline):
      chains = polyline.parts.filter { !$0.isEmpty }.map { part in
        Chain(vertices: part, isClosed: part.count > 2 && xy[part.lowerBound] == xy[part.last!])
      }
    case .polygon(let polygon):
      chains = polygon.rings.filter { !$0.isEmpty }.map { Chain(vertices: $0, isClosed: true) }
    case .envelope:
      chains = xy.isEmpty ? [] : [Chain(vertices: 0..<xy.count, isClosed: true)]
    }
  }

  /// The number of edges, including edges of zero length.
  var count: Int { chains.reduce(0) { $0 + $1.vertices.count - 1 } }

  /// Calls `body` with both ends of each edge of nonzero length, until `body` returns false.
  ///
  /// - Returns: whether `body` returned true for all edges.
  @inline(__always)
  func allSatisfy<Failure: Error>(
    _ body: (SIMD2<Double>, SIMD2<Double>) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    for chain in chains {
      for index in chain.vertices.dropFirst() where xy[index - 1] != xy[index] {
        guard try body(xy[index - 1], xy[index]) else { return false }
      }
    }
    return true
  }
}

extension Polyline {
  /// Whether at least one part ends where it starts.
  var hasClosedPart: Bool {
    parts.contains { $0.count > 2 && vertices.xy[$0.lowerBound] == vertices.xy[$0.upperBound - 1] }
  }

  /// The same lines, with each closed line split in two at the vertex farthest from its start.
  ///
  /// GEOS 3.11 treats a closed line as a ring, and loses the buffer of a ring that folds back on
  /// itself. With round joins and caps, the split does not change the buffer.
  var withOpenParts: Polyline {
    guard hasClosedPart else { return self }
    let xy = vertices.xy
    var points: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in parts where !part.isEmpty {
      let start = xy[part.lowerBound]
      points += xy[part]
      if part.count > 2, start == xy[part.upperBound - 1] {
        let distances = part.map { index in
          let way = xy[index] - start
          return (way * way).sum()
        }
        if let farthest = distances.indices.max(by: { distances[$0] < distances[$1] }),
          distances[farthest] > 0
        {
          let tail = points.count - (part.count - farthest)
          ends.append(tail + 1)
          points.insert(points[tail], at: tail)
        }
      }
      ends.append(points.count)
    }
    return Polyline(VertexList(points), partEnds: ends, spatialReference: spatialReference)
  }
}
