import PlumbCore
import PlumbIO

// The formats of lines are specified in appendix C of the EPANET 2.2 user manual. Columns in
// parentheses are optional, as in EPANET 2.2 and 2.3.
extension EPANETReader {
  // MARK: Nodes

  /// Reads a line with the columns id, (elevation, (demand, (pattern))).
  mutating func readJunction() throws(FormatError) {
    let elevation = wordCount > 1 ? try number(1, "elevation") : 0
    let demand = wordCount > 2 ? try number(2, "demand") : 0
    warnOfColumns(behind: 4, .junctions)
    try addNode(.junction, elevation: elevation, demand: demand)
  }

  /// Reads a line of a reservoir or a tank. A reservoir has the columns id, (head, (pattern)). A
  /// tank has the columns id, elevation, initial, minimum and maximum level, diameter, (minimum
  /// volume, (curve, (overflow))).
  ///
  /// As in EPANET, the number of columns distinguishes tanks from reservoirs, regardless of the section, and
  /// a tank without a diameter is a reservoir.
  mutating func readTank() throws(FormatError) {
    let elevation = wordCount > 1 ? try number(1, "elevation") : 0
    guard wordCount > 3 else { return try addNode(.reservoir, elevation: elevation) }
    try need(6, "a tank", "an id, an elevation, three levels and a diameter")
    let level = try notNegative(2, "initial level")
    _ = try notNegative(3, "minimum level")
    _ = try notNegative(4, "maximum level")
    let diameter = try notNegative(5, "diameter")
    if wordCount > 6 { _ = try notNegative(6, "minimum volume") }
    warnOfColumns(behind: 9, .tanks)
    if diameter == 0 {
      warn(.emptyTank, "the tank \(word(0)) has no diameter and counts as a reservoir")
    }
    if diameter > 0 {
      // A volume curve `*` means no curve.
      let curve = wordCount > 7 && word(7) != "*" ? Self.text(wordBytes(7)) : nil
      levels[network.nodes.count] = InitialState.Level(level: level, curve: curve)
    }
    try addNode(diameter == 0 ? .reservoir : .tank, elevation: elevation)
  }

  private mutating func addNode(
    _ kind: EPANETNetwork.NodeKind, elevation: Double, demand: Double = 0
  ) throws(FormatError) {
    let id = wordBytes(0)
    if id.isEmpty { throw fault("a node has an empty id") }
    if network.nodeTable.isFull { throw fault("the file has more than 2³¹ nodes") }
    if let first = network.nodeTable.insert(id) {
      throw fault(
        "the node \(word(0)) is repeated; it is also on line \(network.nodes[first].line)")
    }
    network.nodes.append(
      EPANETNetwork.Node(
        id: Self.text(id), kind: kind, elevation: elevation, demand: demand, point: nil,
        line: lines.line))
  }

  // MARK: Links

  /// Reads a line with the columns id, node, node, (length, (diameter, (roughness, (minor loss |
  /// status | minor loss, status)))).
  mutating func readPipe() throws(FormatError) {
    try need(3, "a pipe", "an id and two nodes")
    var link = try startLink(.pipe)
    if wordCount > 3 { link.length = try positive(3, "length") }
    if wordCount > 4 { link.diameter = try positive(4, "diameter") }
    if wordCount > 5 { link.roughness = try positive(5, "roughness") }
    if wordCount == 7, let status = pipeStatus(6) {
      link.status = status
    } else if wordCount > 6 {
      link.minorLoss = try notNegative(6, "minor loss")
    }
    if wordCount > 7 {
      guard let status = pipeStatus(7) else {
        throw fault("the status of \(word(0)) is not Open, Closed or CV: \(word(7))")
      }
      link.status = status
    }
    warnOfColumns(behind: 8, .pipes)
    try addLink(link)
  }

  private func pipeStatus(_ index: Int) -> EPANETNetwork.Status? {
    if begins(index, "CV") { return .checkValve }
    if begins(index, "CLOSED") { return .closed }
    return begins(index, "OPEN") ? .open : nil
  }

  /// Fills in the defaults of EPANET 2.3 for pipes whose lines omit optional columns.
  mutating func fillShortPipes() {
    let isMetric = network.flowUnits.isMetric
    let roughness =
      switch network.headLoss {
      case .hazenWilliams: 130.0
      case .darcyWeisbach: 0.0005
      case .chezyManning: 0.01
      }
    for index in network.links.indices where network.links[index].kind == .pipe {
      if network.links[index].length == 0 { network.links[index].length = isMetric ? 100 : 330 }
      if network.links[index].diameter == 0 { network.links[index].diameter = isMetric ? 254 : 10 }
      if network.links[index].roughness == 0 { network.links[index].roughness = roughness }
    }
  }

  /// Reads a line with the columns id, node, node, followed by keywords with values, or by numbers
  /// as in EPANET 1.
  mutating func readPump() throws(FormatError) {
    try need(3, "a pump", "an id and two nodes")
    var link = try startLink(.pump)
    var speed = 1.0
    var curve: String?
    if wordCount > 3, NumberText.parse(wordBytes(3)) != nil {
      for index in 4..<max(4, wordCount) { _ = try number(index, "curve") }
    } else {
      for index in stride(from: 3, to: wordCount, by: 2) {
        let known: [StaticString] = ["HEAD", "POWER", "PATT", "SPEE"]
        guard let keyword = known.firstIndex(where: { begins(index, $0) }) else {
          throw fault(
            "a parameter of \(word(0)) is not HEAD, POWER, SPEED or PATTERN: \(word(index))")
        }
        guard index + 1 < wordCount else {
          throw fault("\(word(index)) of \(word(0)) has no value")
        }
        switch keyword {
        case 0: curve = Self.text(wordBytes(index + 1))
        case 1: _ = try positive(index + 1, "power")
        case 2: pumpPatterns[network.links.count] = Self.text(wordBytes(index + 1))
        case 3: speed = try notNegative(index + 1, "speed")
        default: break
        }
      }
    }
    link.setting = speed
    // A pump with speed 0 does not allow flow.
    if speed == 0 { link.status = .closed }
    try addLink(link, curve: curve)
  }

  /// Reads a line with the columns id, node, node, diameter, type, (setting, (minor loss,
  /// (curve))).
  mutating func readValve() throws(FormatError) {
    try need(5, "a valve", "an id, two nodes, a diameter and a type")
    var link = try startLink(.valve)
    link.diameter = try positive(3, "diameter")
    guard let type = valveType(4) else {
      let types = EPANETNetwork.ValveType.allCases.map(\.rawValue).joined(separator: ", ")
      throw fault("the type of \(word(0)) is not one of \(types): \(word(4))")
    }
    link.valveType = type
    link.status = .active
    var curve: String?
    if type == .generalPurpose {
      if wordCount > 5 { curve = Self.text(wordBytes(5)) }
      link.status = .open
    } else {
      link.setting = wordCount > 5 ? try number(5, "setting") : 0
    }
    if wordCount > 6 { link.minorLoss = try notNegative(6, "minor loss") }
    if type == .positionalControl, wordCount > 7 { curve = Self.text(wordBytes(7)) }
    warnOfColumns(behind: type == .positionalControl ? 8 : 7, .valves)
    try addLink(link, curve: curve)
  }

  private func valveType(_ index: Int) -> EPANETNetwork.ValveType? {
    if begins(index, "PRV") { return .pressureReducing }
    if begins(index, "PSV") { return .pressureSustaining }
    if begins(index, "PBV") { return .pressureBreaker }
    if begins(index, "FCV") { return .flowControl }
    if begins(index, "TCV") { return .throttleControl }
    if begins(index, "GPV") { return .generalPurpose }
    return begins(index, "PCV") ? .positionalControl : nil
  }

  private func startLink(
    _ kind: EPANETNetwork.LinkKind
  ) throws(FormatError) -> EPANETNetwork.Link {
    EPANETNetwork.Link(
      id: Self.text(wordBytes(0)), kind: kind, start: try end(1, kind), end: try end(2, kind),
      length: 0, diameter: 0, roughness: 0, minorLoss: 0, status: .open, line: lines.line)
  }

  private func end(_ index: Int, _ kind: EPANETNetwork.LinkKind) throws(FormatError) -> Int {
    if let node = network.nodeTable.index(of: wordBytes(index)) { return node }
    throw missing(
      "the \(kind.rawValue) \(word(0)) ends at an unknown node: \(word(index))")
  }

  private mutating func addLink(
    _ link: EPANETNetwork.Link, curve: String? = nil
  ) throws(FormatError) {
    if link.id.isEmpty { throw fault("a link has an empty id") }
    if network.linkTable.isFull { throw fault("the file has more than 2³¹ links") }
    if let first = network.linkTable.insert(wordBytes(0)) {
      throw fault(
        "the link \(word(0)) is repeated; it is also on line \(network.links[first].line)")
    }
    if link.start == link.end {
      warn(.selfLoop, "the \(link.kind.rawValue) \(word(0)) begins and ends at \(word(1))")
    }
    if let curve { network.curves[network.links.count] = curve }
    network.links.append(link)
  }
}
