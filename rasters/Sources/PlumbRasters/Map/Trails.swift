#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Walks in the mountains: the fastest paths on foot (Tobler's hiking function).
struct Trails {
  private let relief: Relief

  init(_ relief: Relief) { self.relief = relief }

  func features() -> [MapFeature] {
    Self.list.map { trail in
      let (start, end) = (
        relief.lattice.index(of: trail.start), relief.lattice.index(of: trail.end)
      )
      let cells = ways(to: end, near: start).way(from: start)
      let heights = cells.map { relief.heights[$0] }
      let climb = zip(heights, heights.dropFirst()).reduce(0) { $0 + max(0, $1.1 - $1.0) }
      let line = cells.map(relief.lattice.center)
      return MapFeature(
        shape: .lines([line]),
        fields: [
          ("NAME", .text(trail.name)),
          ("LENGTH_KM", .real(Measure.length(line).rounded(places: 2))),
          ("CLIMB_M", .integer(Int64(climb.rounded()))),
        ])
    }
  }

  /// The distance of each walk from its end never exceeds twice the distance at its start.
  private func ways(to end: Int, near start: Int) -> CheapestWays {
    let lattice = relief.lattice
    let middle = lattice.center(end).ground
    let reach = 2 * middle.distance(to: lattice.center(start).ground) + 1
    return CheapestWays(lattice, to: [(end, 0)]) { from, to in
      let (a, b) = (lattice.center(from).ground, lattice.center(to).ground)
      if relief.isSea[from] || a.distance(to: middle) > reach { return nil }
      let length = a.distance(to: b)
      let slope = (relief.heights[to] - relief.heights[from]) / (1000 * length)
      return length / (6 * exp(-3.5 * abs(slope + 0.05)))
    }
  }

  private struct Trail {
    var name: String
    var start: Vertex
    var end: Vertex

    init(_ name: String, _ start: (Double, Double), _ end: (Double, Double)) {
      self.name = name
      self.start = Vertex(longitude: start.0, latitude: start.1)
      self.end = Vertex(longitude: end.0, latitude: end.1)
    }
  }

  private static let list = [
    Trail("Platteklip Gorge", (18.412, -33.945), (18.405, -33.968)),
    Trail("Skeleton Gorge", (18.436, -33.988), (18.408, -33.970)),
    Trail("Constantiaberg", (18.415, -34.045), (18.385, -34.056)),
    Trail("Silvermine Ridge", (18.400, -34.085), (18.432, -34.110)),
    Trail("Cape Point", (18.455, -34.260), (18.482, -34.342)),
    Trail("Swartkop", (18.425, -34.195), (18.440, -34.232)),
    Trail("Jonkershoek Panorama", (18.915, -33.965), (18.975, -33.985)),
    Trail("Helderberg", (18.860, -34.062), (18.880, -34.035)),
    Trail("Paarl Rock", (18.955, -33.770), (18.925, -33.735)),
    Trail("Kogelberg", (18.935, -34.335), (18.965, -34.270)),
    Trail("Franschhoek Ridge", (19.118, -33.915), (19.165, -33.945)),
    Trail("Du Toit's Peak", (19.035, -33.720), (19.100, -33.735)),
    Trail("Sneeukop", (18.930, -34.120), (18.995, -34.060)),
    Trail("Tygerberg", (18.610, -33.885), (18.600, -33.862)),
  ]
}
