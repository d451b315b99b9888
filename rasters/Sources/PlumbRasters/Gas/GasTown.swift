import PlumbCore

/// Lays a gas network along streets.
struct GasTown {
  let streets: Streets
  var network = GasNetwork()
  var random: SplitMix64
  /// The joint at each corner.
  private(set) var joints: [GasNetwork.Joint] = []
  /// The block of the three-way valve's third leg, and the valve's corner.
  private var spareLeg: (block: Int, corner: Int)?
  /// The number of the other legs of the three-way valve that have been laid.
  private var threeWayLegs = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed &+ 71)
    streets = Streets(seed: seed, random: &random)
    // Lay the shapes first, so that moved features are not placed on them.
    placeCorners()
    addStations()
    for index in streets.blocks.indices { layBlock(index) }
    for (index, block) in boundary.enumerated() { layBoundary(block, isSteel: index == 0) }
    addValveBoxes()
  }

  static let closed: [(name: String, value: FieldValue)] = [
    ("STATUS", .integer(0)), ("OPERABLE", .integer(1)),
  ]

  // MARK: Corners

  private mutating func placeCorners() {
    spareLeg = threeWayCorner()
    let crossing = boundary.flatMap { [$0.from, $0.to] } + stationCorners
    for (index, corner) in streets.corners.enumerated() {
      let legs = corner.degree + crossing.count { $0 == index }
      let place = streets.ground(corner).vertex
      switch legs {
      case 0: joints.append(GasNetwork.Joint(source: .junction, id: "", place: place))
      case 1: joints.append(network.add(.endCap, place))
      case 2: joints.append(network.add(.coupling, place))
      case 3 where index == spareLeg?.corner:
        joints.append(
          network.add(
            .threeWayValve, place,
            [("STATUS", .integer(1)), ("TERMINALCONFIGURATION", .text("A and B"))]))
      case 3: joints.append(network.add(.tee, place))
      default: joints.append(network.add(.cross, place))
      }
    }
  }

  /// The blocks between the zones that have a pipe: the first and the last.
  private var boundary: [Streets.Block] {
    [streets.crossings.first, streets.crossings.last].compactMap { $0 }
  }

  /// The westernmost and easternmost corners of the north, and the easternmost corner of the south.
  var stationCorners: [Int] {
    func pick(_ zone: Int, _ isEast: Bool, _ row: Int) -> Int? {
      streets.corners.indices
        .filter { streets.corners[$0].zone == zone && streets.corners[$0].degree > 1 }
        .min { a, b in
          func key(_ index: Int) -> (Int, Int) {
            let corner = streets.corners[index]
            return (isEast ? -corner.column : corner.column, abs(corner.row - row))
          }
          return key(a) < key(b)
        }
    }
    return [pick(0, false, 13), pick(0, true, 8), pick(1, true, 2)].compactMap { $0 }
  }

  /// A corner with three legs in the north, one of which is on a loop.
  private func threeWayCorner() -> (block: Int, corner: Int)? {
    let kept = Set(boundary.flatMap { [$0.from, $0.to] } + stationCorners)
    for (index, block) in streets.blocks.enumerated() {
      let corner = streets.corners[block.from]
      if corner.degree == 3, corner.zone == 0, corner.row >= 8, !kept.contains(block.from),
        streets.isLoop(index)
      {
        return (index, block.from)
      }
    }
    return nil
  }

  // MARK: Mains

  private mutating func layBlock(_ index: Int) {
    let block = streets.blocks[index]
    var line = GasMain(block: block)
    let isSteel = random.unit() < 0.12
    let valves = random.unit()
    let isOperable = random.unit() > 0.05
    let customers = Int(5 * random.unit())
    if valves < 0.34 { line.valves.append(0.1) }
    if valves > 0.24 && valves < 0.58 { line.valves.append(0.9) }
    for slot in 0..<customers {
      let share = 0.2 + 0.6 * (Double(slot) + 0.15 + 0.7 * random.unit()) / Double(customers)
      line.taps.append(share)
    }
    let from = leg(block.from, index)
    let to = leg(block.to, index)
    line.status = [("STATUS", .integer(1)), ("OPERABLE", .integer(isOperable ? 1 : 0))]
    let isOffset = index % 60 == 7
    line.lay(
      in: &network, streets, from, to, type: isSteel ? .steelMain : .plasticMain,
      diameter: isSteel ? 160 : 110)
    for tap in line.tapped { serve(tap.joint, block, tap.share) }
    if isOffset, let saddle = line.saddle(in: &network, streets) {
      serve(saddle.joint, block, saddle.share)
    }
  }

  private mutating func layBoundary(_ block: Streets.Block, isSteel: Bool) {
    var line = GasMain(block: block)
    line.valves = [0.5]
    line.status = Self.closed
    line.lay(
      in: &network, streets, joints[block.from], joints[block.to],
      type: isSteel ? .steelMain : .plasticMain, diameter: 160)
  }

  /// The joint to which an end of a block connects.
  private mutating func leg(_ corner: Int, _ block: Int) -> GasNetwork.Joint {
    guard let spareLeg, spareLeg.corner == corner else { return joints[corner] }
    if spareLeg.block == block { return joints[corner].at(3) }
    threeWayLegs += 1
    return joints[corner].at(threeWayLegs)
  }
}

extension Ground {
  /// The nearest vertex.
  var vertex: Vertex { Vertex(longitude: 18.5 + x / 92.38, latitude: y / 110.92 - 34) }
}
