import PlumbCore
import PlumbIO

// Links are initialized as in the functions `demands` and `controls` of EPANET 2.2's hydraulic
// engine at time 0.
extension EPANETReader {
  /// Applies pump patterns and simple controls to the state of links at time 0.
  ///
  /// Rules are not applied, and neither are controls that act later or depend on the pressure at a
  /// junction. A warning states their number.
  mutating func readInitialState(_ pieces: [Piece]) throws(FormatError) {
    var state = InitialState()
    let (patterns, curves) = (Set(pumpPatterns.values), Set(levels.values.compactMap(\.curve)))
    try each(pieces, .times) { reader throws(FormatError) in reader.readTime(&state) }
    if !patterns.isEmpty {
      try each(pieces, .patterns) { reader throws(FormatError) in
        let id = Self.text(reader.wordBytes(0))
        guard patterns.contains(id) else { return }
        let factors = (1..<reader.wordCount).map { NumberText.parse(reader.wordBytes($0)) }
        guard !factors.contains(nil) else {
          return reader.warn(
            .pattern,
            "a factor of the pattern \(reader.word(0)) is not a number; the line is not read"
          )
        }
        state.patterns[id, default: []] += factors.compactMap { $0 }
      }
    }
    if !curves.isEmpty {
      try each(pieces, .curves) { reader throws(FormatError) in
        let id = Self.text(reader.wordBytes(0))
        guard curves.contains(id), reader.wordCount > 2,
          let x = NumberText.parse(reader.wordBytes(1)),
          let y = NumberText.parse(reader.wordBytes(2))
        else { return }
        state.curves[id, default: []].append(SIMD2(x, y))
      }
    }
    followPatterns(state)
    try readControls(pieces, state)
    for index in network.links.indices where network.links[index].kind == .pump {
      // A pump with speed 0 does not allow flow.
      if network.links[index].setting == 0 { network.links[index].status = .closed }
    }
  }

  private mutating func followPatterns(_ state: InitialState) {
    for (index, pattern) in pumpPatterns {
      guard let factor = state.factor(pattern) else { continue }
      network.links[index].setting = factor
      if factor > 0 { network.links[index].status = .open }
    }
  }

  // MARK: Times

  /// Parses a time as EPANET's function `hour` does. A time is a number with or without a unit, or
  /// hours, minutes and seconds separated by colons, optionally followed by AM or PM.
  ///
  /// - Returns: the time in hours; nil if the word is not a time.
  private func hours(_ index: Int, unit: Int?) -> Double? {
    let parts = wordBytes(index).split(separator: UInt8(ascii: ":"))
    let numbers = parts.map { NumberText.parse(UnsafeBufferPointer(rebasing: $0)) }
    guard (1...3).contains(parts.count), !numbers.contains(nil) else { return nil }
    let values = numbers.compactMap { $0 } + [0, 0]
    let time = values[0] + values[1] / 60 + values[2] / 3600
    guard let unit else { return time >= 0 ? time : nil }
    if parts.count == 1 {
      if begins(unit, "SEC") { return time / 3600 }
      if begins(unit, "MIN") { return time / 60 }
      if begins(unit, "HOU") { return time }
      if begins(unit, "DAY") { return time * 24 }
    }
    guard time >= 0, time < 13 else { return nil }
    if begins(unit, "AM") { return time >= 12 ? time - 12 : time }
    if begins(unit, "PM") { return time >= 12 ? time : time + 12 }
    return nil
  }

  /// The maximum time in hours, which is a century.
  private static let longest = 876_600.0

  private mutating func readTime(_ state: inout InitialState) {
    let last = wordCount - 1
    guard last >= 1 else { return }
    let isPattern = begins(0, "PATT")
    guard isPattern || begins(0, "STAR") else { return }
    guard let time = hours(last, unit: nil) ?? hours(last - 1, unit: last), time >= 0,
      time < Self.longest
    else {
      return warn(.control, "the time is not understood and not read: \(word(0)) \(word(1))")
    }
    let seconds = Int(time * 3600 + 0.5)
    if !isPattern {
      state.startClock = seconds % InitialState.secondsPerDay
    } else if begins(1, "TIME") {
      // As in EPANET, a step of 0 means one hour.
      state.patternStep = seconds == 0 ? 3600 : seconds
    } else if begins(1, "STAR") {
      state.patternStart = seconds
    }
  }

  // MARK: Controls

  /// Reads controls. As in EPANET, words are identified by their position. The forms of a control
  /// are
  ///
  /// - `LINK` link, status or setting, `IF NODE` node, `ABOVE` or `BELOW`, level
  /// - `LINK` link, status or setting, `AT TIME` or `AT CLOCKTIME`, time, optionally a unit
  private mutating func readControls(
    _ pieces: [Piece], _ state: InitialState
  ) throws(FormatError) {
    var (later, rules): (Int, Int) = (0, 0)
    var line: Int?
    func note(_ reader: EPANETReader) { line = min(line ?? .max, reader.lines.line) }
    try each(pieces, .controls) { reader throws(FormatError) in
      // Since EPANET 2.3, a control may be disabled.
      if reader.wordCount > 6, reader.begins(reader.wordCount - 1, "DISABLED") { return }
      guard let holds = reader.holdsAtStart(state), reader.applyControl(ifHolds: holds) else {
        return reader.warn(
          .control,
          "the control of \(reader.word(min(1, reader.wordCount - 1))) is not understood "
            + "and not applied")
      }
      if !holds {
        later += 1
        note(reader)
      }
    }
    try each(pieces, .rules) { reader throws(FormatError) in
      guard reader.begins(0, "RULE") else { return }
      rules += 1
      note(reader)
    }
    guard let line else { return }
    func count(_ number: Int, _ word: String) -> String? {
      number == 0 ? nil : "\(number) \(word)\(number == 1 ? "" : "s")"
    }
    let both = [count(later, "control"), count(rules, "rule")].compactMap { $0 }
    network.warnings.append(
      EPANETNetwork.Warning(
        message:
          "\(both.joined(separator: " and ")) \(later + rules == 1 ? "does" : "do") not act at "
          + "time 0 and \(later + rules == 1 ? "is" : "are") not applied", line: line))
  }

  /// Whether a control acts at time 0; nil if the control cannot be parsed.
  private func holdsAtStart(_ state: InitialState) -> Bool? {
    guard wordCount >= 6 else { return nil }
    let isTime = begins(4, "TIME")
    if isTime || begins(4, "CLOCKTIME") {
      guard let time = hours(5, unit: wordCount > 6 ? 6 : nil), time >= 0, time < Self.longest
      else {
        return nil
      }
      let seconds = Int(time * 3600)
      return isTime ? seconds == 0 : seconds % InitialState.secondsPerDay == state.startClock
    }
    guard wordCount >= 8, let node = network.nodeTable.index(of: wordBytes(5)),
      let level = NumberText.parse(wordBytes(7))
    else { return nil }
    let isBelow = begins(6, "BELOW")
    guard isBelow || begins(6, "ABOVE") else { return nil }
    switch network.nodes[node].kind {
    case .junction: return false
    // EPANET compares volumes, and the volume of a reservoir is the same at all levels.
    case .reservoir: return true
    case .tank:
      guard let tank = levels[node] else { return nil }
      let (now, wanted) = (state.volume(tank, at: tank.level), state.volume(tank, at: level))
      return isBelow ? now <= wanted : now >= wanted
    }
  }

  /// - Returns: false if the control cannot be parsed.
  private mutating func applyControl(ifHolds holds: Bool) -> Bool {
    guard let index = network.linkTable.index(of: wordBytes(1)) else { return false }
    let link = network.links[index]
    guard link.status != .checkValve else { return false }
    let isPump = link.kind == .pump
    if begins(2, "OPEN") || begins(2, "CLOSED") {
      guard holds else { return true }
      let isOpen = begins(2, "OPEN")
      network.links[index].status = isOpen ? .open : .closed
      if isPump { network.links[index].setting = isOpen ? 1 : 0 }
      return true
    }
    guard link.valveType != .generalPurpose, let setting = NumberText.parse(wordBytes(2)),
      link.kind == .valve || setting >= 0
    else { return false }
    guard holds else { return true }
    switch link.kind {
    case .pipe: network.links[index].status = setting == 0 ? .closed : .open
    case .pump:
      network.links[index].status = setting == 0 ? .closed : .open
      network.links[index].setting = setting
    case .valve:
      network.links[index].status = .active
      network.links[index].setting = setting
    }
    return true
  }
}
