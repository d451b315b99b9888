import PlumbCore

extension GasTown {
  /// Adds a service from a tap to a meter next to the street.
  mutating func serve(_ tap: GasNetwork.Joint, _ block: Streets.Block, _ share: Double) {
    let side = random.unit() < 0.5 ? 1.0 : -1.0
    let reach = 10 + 9 * random.unit()
    let kind = random.unit()
    let isIndustrial = random.unit() < 0.04
    let hasHouseLine = isIndustrial || random.unit() < 0.05
    let isLocked = random.unit() < 0.006
    let (ahead, behind) = (
      streets.ground(block, share + 0.01), streets.ground(block, share - 0.01)
    )
    let length = ahead.distance(to: behind)
    let middle = tap.place.ground
    func place(_ metres: Double) -> Vertex {
      let step = side * metres / 1000 / length
      return Ground(
        x: middle.x - (ahead.y - behind.y) * step, y: middle.y + (ahead.x - behind.x) * step
      ).vertex
    }
    let places = [place(3), place(reach), place(reach + 6)]
    guard places.allSatisfy(network.isFree) else { return }
    let open: (name: String, value: FieldValue) = ("STATUS", .integer(1))
    let meter = network.add(
      isIndustrial ? .industrialMeter : .meter, places[1],
      [open] + (isLocked ? [("TERMINALCONFIGURATION", .text("Locked off"))] : []))
    var start = tap
    let diameter = isIndustrial ? 63 : 32
    if kind < 0.75 {
      let stop =
        kind < 0.2 || isIndustrial
        ? network.add(.serviceValve, places[0], [open, ("OPERABLE", .integer(1))])
        : network.add(.excessFlowValve, places[0], [open])
      network.lay(.service, tap, stop, diameter: diameter, pressure: 400)
      start = stop
    }
    network.lay(.service, start, meter.at(1), diameter: diameter, pressure: 400)
    if hasHouseLine {
      let end = network.add(.appliance, places[2])
      network.lay(.houseLine, meter.at(2), end, diameter: 25, pressure: 2)
    }
  }
}
