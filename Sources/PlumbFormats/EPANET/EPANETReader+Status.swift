import PlumbCore
import PlumbIO

extension EPANETReader {
  /// The change that a line of `[STATUS]` makes.
  private enum Change {
    case open, closed, active
    case setting(Double)
  }

  /// The maximum number of ranges of links. The number is limited, because each range requires a
  /// scan over all links.
  private static let rangeLimit = 1000

  /// Reads lines with a link and a value, or with the first and the last link of a range and a
  /// value.
  ///
  /// If the ids of both ends of a range start with a number above 0, ids are compared by their
  /// leading numbers. Otherwise, ids are compared by their bytes. Later lines override earlier
  /// lines.
  mutating func readStatuses(_ pieces: [Piece]) throws(FormatError) {
    var rangeCount = 0
    var numbers: [Int] = []
    try each(pieces, .status) { reader throws(FormatError) in
      guard reader.wordCount == 2 || reader.wordCount == 3 else {
        throw reader.fault("a status needs a link, or two links for a range, and a value")
      }
      let change = try reader.change(reader.wordCount - 1)
      if reader.wordCount == 2 {
        return try reader.apply(change, to: try reader.link(0))
      }
      rangeCount += 1
      if rangeCount > Self.rangeLimit {
        throw reader.fault("[STATUS] has more than \(Self.rangeLimit) ranges of links")
      }
      if numbers.isEmpty {
        let table = reader.network.linkTable
        numbers = (0..<table.count).map { Self.leadingNumber(table.id($0)) }
      }
      reader.applyToRange(change, numbers)
    }
  }

  private func change(_ index: Int) throws(FormatError) -> Change {
    if begins(index, "OPEN") { return .open }
    if begins(index, "CLOSED") { return .closed }
    if begins(index, "ACTIVE") { return .active }
    guard let setting = NumberText.parse(wordBytes(index)) else {
      throw fault(
        "the status of \(word(0)) is neither Open nor Closed nor a number: \(word(index))")
    }
    guard setting >= 0 else {
      throw fault("the setting of \(word(0)) must not be below 0: \(word(index))")
    }
    return .setting(setting)
  }

  private func link(_ index: Int) throws(FormatError) -> Int {
    if let link = network.linkTable.index(of: wordBytes(index)) { return link }
    throw missing("[STATUS] refers to an unknown link: \(word(index))")
  }

  private mutating func apply(_ change: Change, to index: Int) throws(FormatError) {
    let link = network.links[index]
    if link.status == .checkValve {
      throw fault("the check valve \(word(0)) cannot have another status")
    }
    switch (change, link.kind, link.valveType) {
    case (.setting, .valve, .generalPurpose?):
      throw fault("the valve \(word(0)) follows a curve and cannot have a setting")
    case (.setting, .pipe, _):
      warn(.pipeSetting, "the pipe \(word(0)) cannot have a setting; the setting is ignored")
    case (.active, .pipe, _), (.active, .pump, _):
      throw fault("only a valve can be active: \(word(0))")
    default: set(change, index)
    }
  }

  private mutating func applyToRange(_ change: Change, _ numbers: [Int]) {
    let (first, last) = (wordBytes(0), wordBytes(1))
    let (low, high) = (Self.leadingNumber(first[...]), Self.leadingNumber(last[...]))
    for index in network.links.indices {
      let isIn =
        if low > 0, high > 0 {
          numbers[index] >= low && numbers[index] <= high
        } else {
          !network.linkTable.id(index).lexicographicallyPrecedes(first)
            && !last.lexicographicallyPrecedes(network.linkTable.id(index))
        }
      if isIn, network.links[index].status != .checkValve { set(change, index) }
    }
  }

  /// Applies the parts of a change that apply to the kind of link, and ignores the rest.
  private mutating func set(_ change: Change, _ index: Int) {
    let link = network.links[index]
    switch (change, link.kind) {
    case (.open, .pump):
      network.links[index].status = .open
      network.links[index].setting = 1
    case (.open, _): network.links[index].status = .open
    case (.closed, _): network.links[index].status = .closed
    case (.active, .valve) where link.valveType != .generalPurpose:
      network.links[index].status = .active
    case (.setting(let speed), .pump):
      network.links[index].status = speed == 0 ? .closed : .open
      network.links[index].setting = speed
    case (.setting(let setting), .valve) where link.valveType != .generalPurpose:
      network.links[index].status = .active
      network.links[index].setting = setting
    default: break
    }
  }

  /// The leading whole number of an id, as C's `atol` parses it; 0 if the id does not start with a
  /// digit.
  static func leadingNumber(_ id: some Sequence<UInt8>) -> Int {
    var number = 0
    for byte in id {
      let digit = byte &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(digit))
      if overflow || carry { return .max }
      number = sum
    }
    return number
  }
}
