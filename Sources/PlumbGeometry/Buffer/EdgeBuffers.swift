import CGEOS
import PlumbCore

/// A planar buffer made of its edges' own: slower than GEOS's in one go, and without its faults where
/// a line folds back on itself.
struct EdgeBuffers {
  private let edges: BufferEdges
  private let area: Geometry?
  private let distance: Double
  private let options: PlanarBufferOptions
  private let context: GEOSContext

  /// Pieces that are joined at once, so that memory is bounded by the result.
  private static let atOnce = 4096

  /// - Parameter edges: those of the geometry, or others that are as good; nil for its own.
  init(
    _ geometry: Geometry, _ edges: BufferEdges? = nil, distance: Double,
    _ options: PlanarBufferOptions, _ context: GEOSContext
  ) {
    self.edges = edges ?? BufferEdges(geometry)
    area = geometry.dimension == 2 ? geometry : nil
    (self.distance, self.options, self.context) = (distance, options, context)
  }

  func shape() throws(GeometryError) -> GEOSShape {
    var pieces = Pieces(context, atOnce: Self.atOnce)
    for chain in edges.chains {
      // Edges without length lead nowhere.
      var places: [SIMD2<Double>] = []
      for place in edges.xy[chain.vertices] where places.last != place { places.append(place) }
      try add(places, isClosed: chain.isClosed, to: &pieces)
    }
    guard let area else { return try pieces.joined() }
    let shape = try context.shape(of: area)
    if distance > 0 {
      try pieces.append(shape)
      return try pieces.joined()
    }
    let border = try pieces.joined()
    return try context.own(
      GEOSDifference_r(context.handle, shape.pointer, border.pointer), "a difference")
  }

  private func add(
    _ places: [SIMD2<Double>], isClosed: Bool, to pieces: inout Pieces
  ) throws(GeometryError) {
    guard places.count > 1 else {
      if let place = places.first { try pieces.append(buffer([place], options)) }
      return
    }
    let isClosed = isClosed && places.count > 2
    let reach = distance.magnitude
    var flat = options
    flat.cap = .flat
    for index in places.indices.dropLast() {
      var (a, b) = (places[index], places[index + 1])
      let way = (b - a) / ((b - a) * (b - a)).sum().squareRoot() * reach
      if options.cap == .square, !isClosed {
        if index == 0 { a -= way }
        if index == places.count - 2 { b += way }
      }
      try pieces.append(buffer([a, b], flat))
    }
    // The last vertex of a closed chain is its first again.
    for index in places.indices.dropFirst(isClosed ? 1 : 0) {
      let isEnd = !isClosed && (index == 0 || index == places.count - 1)
      var round = options
      round.cap = .round
      if isEnd ? options.cap == .round : options.join == .round {
        try pieces.append(buffer([places[index]], round))
      } else if !isEnd {
        let next = index == places.count - 1 ? places[1] : places[index + 1]
        // Where the chain turns straight back the edges' own ends are all there is.
        if places[index - 1] != next {
          try pieces.append(buffer([places[index - 1], places[index], next], flat))
        }
      }
    }
  }

  private func buffer(
    _ places: [SIMD2<Double>], _ options: PlanarBufferOptions
  ) throws(GeometryError) -> GEOSShape {
    let geometry: Geometry =
      places.count == 1
      ? .point(Point(x: places[0].x, y: places[0].y)) : .polyline(Polyline(VertexList(places)))
    return try context.buffer(
      context.shape(of: geometry), distance: distance.magnitude, options)
  }
}

/// Areas that are joined whenever there are many.
private struct Pieces: ~Copyable {
  private var members: [OpaquePointer?] = []
  private let context: GEOSContext
  private let atOnce: Int

  init(_ context: GEOSContext, atOnce: Int) { (self.context, self.atOnce) = (context, atOnce) }

  deinit { context.destroy(members) }

  mutating func append(_ shape: consuming GEOSShape) throws(GeometryError) {
    members.append(shape.take())
    if members.count >= atOnce {
      let joined = try joined()
      members.append(joined.take())
    }
  }

  mutating func joined() throws(GeometryError) -> GEOSShape {
    let all = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    return try context.own(GEOSUnaryUnion_r(context.handle, all.pointer), "a union")
  }
}
