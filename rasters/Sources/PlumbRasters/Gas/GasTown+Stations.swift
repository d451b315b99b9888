import PlumbCore

// The stations that supply the network, and the valve boxes.
extension GasTown {
  /// Adds the regulating stations, each on the outer side of a corner.
  mutating func addStations() {
    let names = ["Claremont", "Claremont", "Kenilworth"]
    for (number, corner) in stationCorners.enumerated() {
      let outward = number == 0 ? -1.0 : 1.0
      let middle = streets.ground(streets.corners[corner])
      func place(_ metres: Double, aside: Double = 0) -> Vertex {
        let (east, north) = (0.974 * outward, -0.225 * outward)
        return Ground(
          x: middle.x + (metres * east - aside * north) / 1000,
          y: middle.y + (metres * north + aside * east) / 1000
        ).vertex
      }
      let open: [(name: String, value: FieldValue)] = [
        ("STATUS", .integer(1)), ("OPERABLE", .integer(1)),
      ]
      let outlet = network.add(.valve, place(24), open)
      let regulator = network.add(
        .regulator, place(28),
        [
          ("STATUS", .integer(1)), ("ISSUBNETWORKCONTROLLER", .integer(1)),
          ("CONTROLLERTERMINAL", .integer(2)), ("TIERNAME", .text("Pipe Distribution System")),
          ("SUBNETWORKNAME", .text(names[number])),
        ])
      let inlet = network.add(.valve, place(34), open)
      let supply = network.add(.supply, place(110))
      network.lay(.steelMain, outlet, joints[corner], diameter: 200, pressure: 400)
      // Flange to flange, without a pipe between them.
      network.associate(.junctions, regulator.at(2), outlet)
      network.lay(.steelMain, inlet, regulator.at(1), diameter: 150, pressure: 1500)
      network.lay(.steelMain, supply, inlet, diameter: 150, pressure: 1500)
      let station = network.add(.station, place(29, aside: 5))
      for content in [inlet, regulator, outlet] {
        network.associate(.containment, station, content)
      }
      let pad = network.add(.pad, place(28, aside: 2))
      network.associate(.attachment, pad, regulator)
    }
  }

  /// Adds boxes over some valves of mains.
  mutating func addValveBoxes() {
    let valves = network.devices.filter { feature in
      feature.fields.contains { $0.name == "ASSETGROUP" && $0.value == .integer(1) }
        && feature.fields.contains { $0.name == "ASSETTYPE" && $0.value == .integer(1) }
    }
    for valve in valves.dropFirst(6).enumerated().filter({ $0.offset % 8 == 0 }).map(\.element) {
      guard case .point(let place) = valve.shape, case .text(let id) = valve.fields[1].value
      else { continue }
      let aside = Vertex(x: place.x + 11, y: place.y + 7)
      guard network.isFree(aside) else { continue }
      let box = network.add(.valveBox, aside)
      network.associate(
        .attachment, box, GasNetwork.Joint(source: .device, id: id, place: place))
    }
  }
}
