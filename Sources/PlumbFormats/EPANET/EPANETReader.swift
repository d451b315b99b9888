import PlumbCore
import PlumbIO

extension EPANETNetwork {
  /// Reads an input file as EPANET 2.2 does. The state of links is their state at time 0.
  ///
  /// Sections may have any order and may be repeated. Headings are identified by their first four
  /// letters. As in EPANET, keywords are case-insensitive and may be abbreviated, and ids are
  /// case-sensitive. Unlike in EPANET, ids may have any length, links may precede their nodes, and
  /// a link may start and end at the same node.
  ///
  /// - Throws: a one-line error with the line number if an id is repeated, a link ends at an
  ///   unknown node, a column is missing or a number is malformed. Errors of nodes are reported
  ///   first, then errors of links, then errors of the other sections.
  /// - Complexity: O(bytes).
  package init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var reader = EPANETReader(bytes.bindMemory(to: UInt8.self))
    try reader.read()
    self = reader.network
  }
}

/// Reads one input file.
struct EPANETReader {
  /// The lines of one section, without its heading.
  struct Piece {
    var section: EPANETSection
    var range: Range<Int>
    /// The line number of the heading.
    var line: Int
  }

  /// The kinds of warnings. Warnings of one kind are reported once, with their number.
  enum WarningKind: Hashable {
    case section, headingWords, behindEnd, columns(EPANETSection), selfLoop, pointTwice,
      unknownReference
    case demandElsewhere, multiplier, pipeSetting, mapFile, tag, emptyTank, control, pattern
  }

  let bytes: UnsafeBufferPointer<UInt8>
  var network = EPANETNetwork()
  /// The current line.
  var lines: EPANETLines
  /// The initial levels of tanks, by the node's index.
  var levels: [Int: InitialState.Level] = [:]
  /// The pump speed patterns, by the link's index.
  var pumpPatterns: [Int: String] = [:]
  private let lineEnd: UInt8
  private var warningIndexes: [WarningKind: Int] = [:]

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    lineEnd = EPANETLines.lineEnd(of: bytes)
    lines = EPANETLines(bytes, 0..<0, lineEnd: lineEnd, after: 0)
  }

  mutating func read() throws(FormatError) {
    let pieces = try split()
    try each(pieces, .junctions) { reader throws(FormatError) in try reader.readJunction() }
    try each(pieces, .reservoirs, .tanks) { reader throws(FormatError) in try reader.readTank() }
    try checkTexts(network.nodes.lazy.map { ($0.id, $0.line) }, "node")
    try each(pieces, .pipes) { reader throws(FormatError) in try reader.readPipe() }
    try each(pieces, .pumps) { reader throws(FormatError) in try reader.readPump() }
    try each(pieces, .valves) { reader throws(FormatError) in try reader.readValve() }
    try checkTexts(network.links.lazy.map { ($0.id, $0.line) }, "link")
    try readStatuses(pieces)
    try readInitialState(pieces)
    try readDemands(pieces)
    try readPoints(pieces)
    try readVertices(pieces)
    try each(pieces, .options) { reader throws(FormatError) in try reader.readOption() }
    fillShortPipes()
    try each(pieces, .tags) { reader throws(FormatError) in try reader.readTag() }
    readTitle(pieces)
    network.warnings.sort { ($0.line, $0.message) < ($1.line, $1.message) }
  }

  /// Calls `body` for all non-blank lines of some sections, in the order of the file.
  mutating func each(
    _ pieces: [Piece], _ sections: EPANETSection...,
    read: (inout EPANETReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    for piece in pieces where sections.contains(piece.section) {
      open(piece)
      while lines.nextWords() { try read(&self) }
    }
  }

  mutating func open(_ piece: Piece) {
    lines = EPANETLines(bytes, piece.range, lineEnd: lineEnd, after: piece.line)
  }

  // MARK: Sections

  /// Splits the file at its headings.
  private mutating func split() throws(FormatError) -> [Piece] {
    try refuseWideEncodings()
    var pieces: [Piece] = []
    var section: EPANETSection?
    var hasHeading = false
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    lines = EPANETLines(bytes, start..<bytes.count, lineEnd: lineEnd, after: 0)
    var pieceStart = (position: 0, line: 0)
    var lineStart = start
    while lines.nextLine() {
      defer { lineStart = lines.position }
      guard let first = lines.firstByte, bytes[first] != UInt8(ascii: ";") else { continue }
      guard bytes[first] == UInt8(ascii: "[") else {
        guard hasHeading else { throw fault("there is text before the first [SECTION]") }
        continue
      }
      if let section {
        pieces.append(
          Piece(section: section, range: pieceStart.position..<lineStart, line: pieceStart.line))
      }
      hasHeading = true
      lines.splitIntoWords()
      section = EPANETSection(name: bytes[(first + 1)..<lines.words[0].upperBound])
      pieceStart = (lines.position, lines.line)
      if lines.words.count > 1 {
        warn(.headingWords, "the words after \(word(0)) are not read")
      }
      switch section {
      case .end?:
        warnOfRest()
        return pieces
      case nil:
        warn(.section, "the section \(word(0)) is unknown and not read")
        if network.unknownSection == nil { network.unknownSection = (word(0), lines.line) }
      default: break
      }
    }
    if let section {
      pieces.append(
        Piece(section: section, range: pieceStart.position..<bytes.count, line: pieceStart.line))
    }
    return pieces
  }

  private mutating func warnOfRest() {
    while lines.nextLine() {
      guard let first = lines.firstByte, bytes[first] != UInt8(ascii: ";") else { continue }
      warn(.behindEnd, "text after [END] is not read")
    }
  }

  private func refuseWideEncodings() throws(FormatError) {
    guard bytes.count >= 2 else { return }
    let isMarked = bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0xFE && bytes[1] == 0xFF
    if isMarked || bytes[0] == 0 || bytes[1] == 0 {
      throw FormatError("the file is UTF-16 or UTF-32 text; save it as UTF-8")
    }
  }

  /// Rejects ids that have different bytes but the same text, which is possible because bytes are decoded as
  /// UTF-8 or Latin-1.
  private func checkTexts(
    _ ids: some Sequence<(String, Int)>, _ what: String
  ) throws(FormatError) {
    var lineOfText: [String: Int] = [:]
    for (id, line) in ids where !id.utf8.allSatisfy({ $0 < 0x80 }) {
      if let first = lineOfText.updateValue(line, forKey: id) {
        throw FormatError(
          "the \(what) \(id.printable) is repeated in another encoding; it is also on line "
            + "\(first)",
          line: line)
      }
    }
  }

  // MARK: Words

  var wordCount: Int { lines.words.count }

  func wordBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[lines.words[index]])
  }

  /// The text of a word, for error messages.
  func word(_ index: Int) -> String {
    let bytes = wordBytes(index)
    let text = Self.text(UnsafeBufferPointer(rebasing: bytes.prefix(60))).printable
    return bytes.count > 60 ? text + "…" : text
  }

  /// Decodes bytes as UTF-8 if they are valid, otherwise as Latin-1.
  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return text
  }

  /// Whether a word starts with a keyword, which is given in upper case.
  func begins(_ index: Int, _ keyword: StaticString) -> Bool {
    let bytes = wordBytes(index)
    guard bytes.count >= keyword.utf8CodeUnitCount else { return false }
    for offset in 0..<keyword.utf8CodeUnitCount {
      let byte = bytes[offset]
      let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      guard (isLetter ? byte & ~0x20 : byte) == keyword.utf8Start[offset] else { return false }
    }
    return true
  }

  /// - Parameter what: the quantity, such as `length`, for error messages.
  func number(_ index: Int, _ what: StaticString) throws(FormatError) -> Double {
    let bytes = wordBytes(index)
    if let number = NumberText.parse(bytes) { return number }
    throw fault("the \(what) of \(word(0)) is not a number: \(word(index))")
  }

  func positive(_ index: Int, _ what: StaticString) throws(FormatError) -> Double {
    let number = try number(index, what)
    if number > 0 { return number }
    throw fault("the \(what) of \(word(0)) must be above 0: \(word(index))")
  }

  func notNegative(_ index: Int, _ what: StaticString) throws(FormatError) -> Double {
    let number = try number(index, what)
    if number >= 0 { return number }
    throw fault("the \(what) of \(word(0)) must not be below 0: \(word(index))")
  }

  /// - Parameter columns: the required columns, such as `an id and an elevation`.
  func need(_ count: Int, _ what: StaticString, _ columns: StaticString) throws(FormatError) {
    if wordCount >= count { return }
    throw fault("\(what) needs \(columns); \(word(0)) has \(wordCount) of \(count) columns")
  }

  mutating func warnOfColumns(behind count: Int, _ section: EPANETSection) {
    if wordCount <= count { return }
    warn(
      .columns(section),
      "columns after the \(count)th are not read in [\(section.rawValue.uppercased())]")
  }

  // MARK: Errors and warnings

  func fault(_ message: String) -> FormatError { FormatError(message, line: lines.line) }

  /// Creates an error that a misspelt heading may have caused.
  func missing(_ message: String) -> FormatError { fault(message + network.unknownSectionAdvice) }

  mutating func warn(_ kind: WarningKind, _ message: String) {
    if let index = warningIndexes[kind] {
      network.warnings[index].others += 1
    } else {
      warningIndexes[kind] = network.warnings.count
      network.warnings.append(EPANETNetwork.Warning(message: message, line: lines.line))
    }
  }
}
