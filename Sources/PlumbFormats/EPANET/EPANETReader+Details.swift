import PlumbCore
import PlumbIO

extension EPANETReader {
  // MARK: Demands

  /// Reads lines with a junction, a demand, and optionally a pattern and a category. The first
  /// demand of a junction replaces its demand in `[JUNCTIONS]`. Further demands are added.
  mutating func readDemands(_ pieces: [Piece]) throws(FormatError) {
    guard pieces.contains(where: { $0.section == .demands }) else { return }
    var isReplaced = [Bool](repeating: false, count: network.nodes.count)
    try each(pieces, .demands) { reader throws(FormatError) in
      try reader.need(2, "a demand", "a junction and a number")
      let demand = try reader.number(1, "demand")
      guard let index = reader.network.nodeTable.index(of: reader.wordBytes(0)) else {
        if reader.begins(0, "MULTIPLY") {
          return reader.warn(.multiplier, "the multiplier of demands is not read")
        }
        throw reader.missing("[DEMANDS] refers to an unknown node: \(reader.word(0))")
      }
      guard reader.network.nodes[index].kind == .junction else {
        return reader.warn(
          .demandElsewhere, "the demand of \(reader.word(0)), which is not a junction, is not read")
      }
      reader.network.nodes[index].demand =
        isReplaced[index] ? reader.network.nodes[index].demand + demand : demand
      isReplaced[index] = true
    }
  }

  // MARK: Points

  /// Reads lines with a node, x and y. If a node has several lines, the last line is used.
  mutating func readPoints(_ pieces: [Piece]) throws(FormatError) {
    try each(pieces, .coordinates) { reader throws(FormatError) in
      let point = try reader.point()
      guard let index = reader.network.nodeTable.index(of: reader.wordBytes(0)) else {
        return reader.warn(
          .unknownReference, "[COORDINATES] refers to an unknown node: \(reader.word(0))")
      }
      if reader.network.nodes[index].point != nil {
        reader.warn(
          .pointTwice, "the coordinates of \(reader.word(0)) are repeated; the last ones are used")
      }
      reader.network.nodes[index].point = point
    }
  }

  /// Reads lines with a link, x and y. The vertices of a link are in the order of the lines.
  mutating func readVertices(_ pieces: [Piece]) throws(FormatError) {
    var links: [Int] = []
    var points: [SIMD2<Double>] = []
    try each(pieces, .vertices) { reader throws(FormatError) in
      let point = try reader.point()
      guard let index = reader.network.linkTable.index(of: reader.wordBytes(0)) else {
        return reader.warn(
          .unknownReference, "[VERTICES] refers to an unknown link: \(reader.word(0))")
      }
      links.append(index)
      points.append(point)
    }
    if points.isEmpty { return }
    var starts = [Int](repeating: 0, count: network.links.count + 1)
    for link in links { starts[link + 1] += 1 }
    for link in network.links.indices { starts[link + 1] += starts[link] }
    var next = starts
    var sorted = [SIMD2<Double>](repeating: .zero, count: points.count)
    for (link, point) in zip(links, points) {
      sorted[next[link]] = point
      next[link] += 1
    }
    network.vertices = sorted
    network.vertexStarts = starts
  }

  private func point() throws(FormatError) -> SIMD2<Double> {
    try need(3, "a point", "an id, x and y")
    return SIMD2(try number(1, "x"), try number(2, "y"))
  }

  // MARK: Options

  mutating func readOption() throws(FormatError) {
    if begins(0, "UNIT") {
      try need(2, "the unit of flow", "a name")
      if begins(1, "SI") {
        network.flowUnits = .litresPerSecond
        return
      }
      network.flowUnits = try choice(EPANETNetwork.FlowUnits.self, "UNITS")
    } else if begins(0, "HEADL") {
      try need(2, "the head loss", "a formula")
      network.headLoss = try choice(EPANETNetwork.HeadLoss.self, "HEADLOSS")
    } else if begins(0, "MAP"), wordCount > 1 {
      warn(.mapFile, "coordinates in the map file \(word(1)) are not read")
    }
  }

  private func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ type: Choice.Type, _ option: StaticString
  ) throws(FormatError) -> Choice {
    let name = Self.text(wordBytes(1)).uppercased()
    if let choice = Choice.allCases.first(where: { name.hasPrefix($0.rawValue) }) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw fault("\(option) is not one of \(names): \(word(1))")
  }

  // MARK: Tags and title

  /// Reads a line with NODE or LINK, an id and a tag. EPANET itself does not read tags.
  mutating func readTag() throws(FormatError) {
    guard wordCount > 2, begins(0, "NODE") || begins(0, "LINK") else {
      return warn(.tag, "a tag needs NODE or LINK, an id and text; this line is not read")
    }
    let isNode = begins(0, "NODE")
    let table = isNode ? network.nodeTable : network.linkTable
    guard let index = table.index(of: wordBytes(1)) else {
      return warn(
        .unknownReference,
        "[TAGS] refers to a \(isNode ? "node" : "link") that does not exist: \(word(1))")
    }
    let tag = (2..<wordCount).map { Self.text(wordBytes($0)) }.joined(separator: " ")
    if isNode { network.nodeTags[index] = tag } else { network.linkTags[index] = tag }
  }

  mutating func readTitle(_ pieces: [Piece]) {
    for piece in pieces where piece.section == .title {
      open(piece)
      while lines.nextWords() {
        network.title.append(
          Self.text(UnsafeBufferPointer(rebasing: bytes[lines.content])).trimmingBlanks())
      }
    }
  }
}

extension String {
  fileprivate func trimmingBlanks() -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
    guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
      let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(unicodeScalars[first...last])
  }
}
