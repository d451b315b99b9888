import PlumbCore

/// The main of a block: its shape, its valves and the taps of services.
struct GasMain {
  let block: Streets.Block
  /// The positions of valves along the block, 0 to 1.
  var valves: [Double] = []
  /// The positions of service taps along the block, 0 to 1.
  var taps: [Double] = []
  /// The fields of each valve.
  var status: [(name: String, value: FieldValue)] = []
  /// The taps laid so far.
  private(set) var tapped: [(joint: GasNetwork.Joint, share: Double)] = []
  /// The last pipe and the positions of its vertices along the block.
  private var last: (pipe: GasNetwork.Joint, shares: [Double], places: [Vertex])?

  init(block: Streets.Block) { self.block = block }

  /// Lays the main. Taps are junctions at its vertices; the main is divided only at valves.
  mutating func lay(
    in network: inout GasNetwork, _ streets: Streets, _ from: GasNetwork.Joint,
    _ to: GasNetwork.Joint, type: GasType, diameter: Int
  ) {
    let stops = (taps + [1.0 / 3, 2.0 / 3] + valves).sorted()
    var start = from
    var shares = [0.0]
    var places: [Vertex] = []
    for stop in stops {
      let place = streets.ground(block, stop).vertex
      guard network.isFree(place) else { continue }
      if valves.contains(stop) {
        let joint = network.add(.valve, place, status)
        network.lay(type, start, joint, through: places, diameter: diameter, pressure: 400)
        (start, shares, places) = (joint, [stop], [])
        continue
      }
      if taps.contains(stop) { tapped.append((network.add(.tap, place), stop)) }
      network.take(place)
      shares.append(stop)
      places.append(place)
    }
    let pipe = network.lay(type, start, to, through: places, diameter: diameter, pressure: 400)
    last = (pipe, shares + [1], [start.place] + places + [to.place])
  }

  /// A tap next to the last pipe that was surveyed a metre off the pipe: an association connects
  /// them.
  func saddle(
    in network: inout GasNetwork, _ streets: Streets
  ) -> (joint: GasNetwork.Joint, share: Double)? {
    guard let last, last.places.count > 2 else { return nil }
    let middle = last.places.count / 2
    let share = (last.shares[middle - 1] + last.shares[middle]) / 2
    let on = Vertex.middle(last.places[middle - 1], last.places[middle])
    let aside = Vertex(x: on.x + 7, y: on.y + 7)
    guard network.isFree(aside) else { return nil }
    let lengths = zip(last.places, last.places.dropFirst()).map { a, b in
      let (x, y) = (Double(b.x - a.x), Double(b.y - a.y))
      return (x * x + y * y).squareRoot()
    }
    let before = lengths[..<(middle - 1)].reduce(0, +) + lengths[middle - 1] / 2
    let joint = network.add(.tap, aside)
    network.associate(
      .midSpan, joint, last.pipe,
      percentAlong: (before / lengths.reduce(0, +)).rounded(places: 6))
    return (joint, share)
  }
}
