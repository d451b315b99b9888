/// Rivers of the synthetic Cape, traced over its heights.
///
/// Water takes the cheapest path to the sea, to the bottom of a deep depression or to the edge of
/// the map: low ground is cheap, a climb is expensive. There is a river wherever enough land drains
/// through a cell. Only the cells of a path that are lower than all preceding cells are kept, so
/// that every vertex is lower than the previous one; where the land rises again, a river cuts
/// straight through.
struct Rivers {
  private let relief: Relief
  private let ways: CheapestWays
  /// The land that drains through a cell, in cells; high cells have more rain and a greater weight.
  private var flow: [Double]
  private var donors: [[Int]]
  /// The Strahler order of the channel at each cell, 0 if there is none.
  private var orders: [Int]

  /// The minimum flow of a channel.
  private static let channel = 330.0
  /// The flow at a river's source.
  private static let source = 60.0
  /// The length in kilometres from which a tributary is a separate river.
  private static let ownLength = 15.0

  init(_ relief: Relief, _ hollows: Hollows) {
    self.relief = relief
    let (lattice, heights, isSea) = (relief.lattice, relief.heights, relief.isSea)
    var ends: [(cell: Int, cost: Double)] = []
    for cell in 0..<lattice.count {
      if isSea[cell] {
        ends.append((cell, 0))
      } else if lattice.isEdge(cell) {
        ends.append((cell, 80 + heights[cell]))
      }
    }
    ends += hollows.bottoms.map { (cell: $0, cost: 0) }
    ways = CheapestWays(lattice, to: ends) { from, to in
      if isSea[from] { return nil }
      let climb = max(0, heights[to] - heights[from])
      let length = lattice.center(from).ground.distance(to: lattice.center(to).ground)
      return length * (1 + heights[to] / 25) + climb * 6
    }
    flow = heights.map { 1 + $0 / 300 }
    donors = Array(repeating: [], count: lattice.count)
    orders = Array(repeating: 0, count: lattice.count)
    for cell in ways.order.reversed() {
      let next = ways.next[cell]
      if flow[cell] >= Self.channel, !isSea[cell] {
        let above = donors[cell].map { orders[$0] }
        let top = above.max() ?? 0
        orders[cell] = max(1, above.filter { $0 == top }.count > 1 ? top + 1 : top)
      }
      if next >= 0 {
        flow[next] += flow[cell]
        donors[next].append(cell)
      }
    }
    for cell in donors.indices {
      donors[cell].sort { flow[$0] != flow[$1] ? flow[$0] > flow[$1] : $0 < $1 }
    }
  }

  /// The rivers with the most water; tributaries come after the river that they join.
  func features() -> [MapFeature] {
    var bed = Bed(relief, ways)
    var chosen: [(order: Int, lines: [[Int]])] = []
    for river in rivers() where chosen.count < Self.names.count {
      let lines = river.stems.compactMap { bed.descend($0) }
      if !lines.isEmpty { chosen.append((river.order, lines)) }
    }
    return zip(Self.names, chosen).map { name, river in
      let lines = river.lines.map { bed.simplify($0).map(relief.lattice.center) }
      return MapFeature(
        shape: .lines(lines),
        fields: [
          ("NAME", .text(name)), ("ORDER", .integer(Int64(river.order))),
          ("LENGTH_KM", .real(lines.map(Measure.length).reduce(0, +).rounded(places: 2))),
        ])
    }
  }

  /// A river: cells from source to mouth of its main stem and its branches; the last cell of a branch is
  /// in the stem or in an earlier branch.
  private struct River {
    var stems: [[Int]]
    var order: Int
    var flow: Double
  }

  /// All rivers, those with the most water first, and tributaries after the river that they join.
  private func rivers() -> [River] {
    var result: [River] = []
    for cell in ways.order where !relief.isSea[cell] && orders[cell] > 0 {
      let next = ways.next[cell]
      if next < 0 || relief.isSea[next] { collect(cell, &result) }
    }
    return result.filter { length($0.stems[0]) > 7 }.sorted { $0.flow > $1.flow }
  }

  private func collect(_ mouth: Int, _ result: inout [River]) {
    var river = River(stems: [], order: orders[mouth], flow: flow[mouth])
    var pending = [mouth]
    var tributaries: [Int] = []
    while let start = pending.popLast() {
      let stem = self.stem(start)
      if !river.stems.isEmpty, length(stem) > Self.ownLength {
        tributaries.append(start)
        continue
      }
      river.stems.append(stem)
      for cell in stem.dropLast(ways.next[start] < 0 ? 0 : 1) {
        pending += donors[cell].dropFirst().filter { orders[$0] > 0 }
      }
    }
    result.append(river)
    for tributary in tributaries { collect(tributary, &result) }
  }

  /// The cells from the source down to `mouth` and the cell into which it flows.
  private func stem(_ mouth: Int) -> [Int] {
    var cells = ways.next[mouth] < 0 ? [mouth] : [ways.next[mouth], mouth]
    var cell = mouth
    while let donor = donors[cell].first, flow[donor] >= Self.source {
      cells.append(donor)
      cell = donor
    }
    return cells.reversed()
  }

  private func length(_ cells: [Int]) -> Double { Measure.length(cells.map(relief.lattice.center)) }

  /// The names are invented, as are the rivers.
  private static let names = [
    "Klaarwater", "Bergwind", "Heuningrant", "Rooikloof", "Elandsvlei", "Langbos", "Witstroom",
    "Vinkrivier", "Swartklip", "Olifantspad", "Geelhout", "Stilvlei", "Kraanvoël", "Sandpoort",
    "Bloukrans", "Proteakloof", "Jakkalsdans", "Waboomspruit",
  ]
}
