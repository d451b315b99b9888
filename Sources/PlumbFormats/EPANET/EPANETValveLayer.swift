import PlumbCore
import PlumbIO

/// The isolation valves of a water network, each on a link at one of the link's ends. Valves are
/// read from a delimited table with the columns `link` and `node`, as written by WNTR. The columns
/// `status` (`open` or `closed`) and `operable` (`1`, `true` or `yes`; `0`, `false` or `no`) are
/// optional. Other columns are not read.
package struct EPANETValveLayer: Sendable {
  package struct Valve: Sendable, Hashable {
    /// The indices of the link and the node in the network.
    package var link: Int
    package var node: Int
    /// The value of `status`; nil if the table has no such column.
    package var isClosed: Bool?
    package var isOperable = true
    /// The line number; the header is line 1.
    package var line: Int
  }

  /// The valves, in the file's order.
  package private(set) var valves: [Valve] = []
  /// The names of the columns that were not read, in the order of the file.
  package private(set) var otherColumns: [String] = []

  /// - Throws: a one-line error with the line number for unknown links and nodes, nodes that are not an end
  ///   of the link, repeated valves and missing columns.
  package init(_ bytes: UnsafeRawBufferPointer, of network: EPANETNetwork) throws(FormatError) {
    let text = bytes.bindMemory(to: UInt8.self)
    var position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 1
    var header: DelimitedHeader?
    var named: UInt8?
    var columns = Columns()
    var lineOfValve: [[Int]: Int] = [:]
    while position < text.count {
      let scanner = RecordScanner(text, delimiter: header?.delimiter ?? named)
      let end = scanner.record(from: position).end
      let record = Self.withoutLineEnd(UnsafeBufferPointer(rebasing: text[position..<end]))
      let currentLine = line
      line += text[position..<end].count { $0 == 0x0A }
      position = end
      if record.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      guard let read = header else {
        if currentLine == 1, let separator = DelimitedPreamble.separator(of: record) {
          named = separator
        } else if let parsedHeader = try Self.header(record, delimiter: named, line: currentLine) {
          columns = try Columns(parsedHeader.names, line: currentLine)
          otherColumns = columns.others(of: parsedHeader.names)
          header = parsedHeader
        }
        continue
      }
      let fields = DelimitedRow.rawFields(record, delimiter: read.delimiter)
      guard fields.count <= read.names.count else {
        throw FormatError(
          "the row has \(fields.count) columns, but the header has \(read.names.count); put quotes "
            + "around a field that contains the delimiter", line: currentLine)
      }
      guard fields.count > columns.last else {
        throw FormatError(
          "a valve needs \(columns.needs); the row has \(fields.count) columns", line: currentLine)
      }
      let text = { (column: Int) in
        String(decoding: fields[column], as: UTF8.self).trimmingSpaces()
      }
      var valve = try Self.valve(fields[columns.link], fields[columns.node], network, currentLine)
      if let status = columns.status {
        valve.isClosed = try Self.word(
          text(status), "status", [("open", false), ("closed", true)], currentLine)
      }
      if let operable = columns.operable {
        valve.isOperable = try Self.word(
          text(operable), "operable",
          [
            ("0", false), ("1", true), ("true", true), ("false", false), ("yes", true),
            ("no", false),
          ], currentLine)
      }
      if let first = lineOfValve.updateValue(currentLine, forKey: [valve.link, valve.node]) {
        let name = "\(network.links[valve.link].id)@\(network.nodes[valve.node].id)".printable
        throw FormatError(
          "the valve \(name) is repeated; it is also on line \(first)", line: currentLine)
      }
      valves.append(valve)
    }
    if header == nil {
      throw FormatError("the valve layer is empty; it needs the columns link,node")
    }
  }

  /// The column names in a record; nil for a comment, which starts with `#` and contains none of the known
  /// column names.
  private static func header(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8?, line: Int
  ) throws(FormatError) -> DelimitedHeader? {
    let header = try DelimitedHeader(row: record, delimiter: delimiter)
    let isComment =
      DelimitedPreamble.isMarked(record) && (try? Columns(header.names, line: line)) == nil
    return isComment ? nil : header
  }

  /// - Parameters:
  ///   - link: the id of the link as bytes of the network's file, with or without surrounding
  ///     spaces.
  ///   - node: the id of the node, in the same form.
  private static func valve(
    _ link: [UInt8], _ node: [UInt8], _ network: EPANETNetwork, _ line: Int
  ) throws(FormatError) -> Valve {
    let (link, node) = (trimmed(link), trimmed(node))
    guard let linkIndex = network.link(link) else {
      throw FormatError(
        "the network has no link \(shown(link))\(network.unknownSectionAdvice)", line: line,
        remedies: encodingAdvice(link))
    }
    guard let nodeIndex = network.node(node) else {
      throw FormatError(
        "the network has no node \(shown(node))\(network.unknownSectionAdvice)", line: line,
        remedies: encodingAdvice(node))
    }
    let ends = (network.links[linkIndex].start, network.links[linkIndex].end)
    guard nodeIndex == ends.0 || nodeIndex == ends.1 else {
      throw FormatError(
        "the node \(shown(node)) is not an end of the link \(shown(link)), which has "
          + "\(shown(network.nodes[ends.0].id)) and \(shown(network.nodes[ends.1].id))", line: line)
    }
    return Valve(link: linkIndex, node: nodeIndex, line: line)
  }

  /// Parses a keyword field, ignoring case.
  private static func word(
    _ text: String, _ column: String, _ words: [(String, Bool)], _ line: Int
  ) throws(FormatError) -> Bool {
    if let known = words.first(where: { $0.0 == text.lowercased() }) { return known.1 }
    let what = text.isEmpty ? "is empty" : "is \(shown(text))"
    throw FormatError(
      "the \(column) \(what): expected \(words.dropLast().map(\.0).joined(separator: ", ")) or "
        + (words.last?.0 ?? ""), line: line)
  }

  private static func withoutLineEnd(
    _ record: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var count = record.count
    while count > 0, record[count - 1] == 0x0A || record[count - 1] == 0x0D { count -= 1 }
    return UnsafeBufferPointer(rebasing: record[..<count])
  }

  private static func encodingAdvice(_ id: ArraySlice<UInt8>) -> [MessageTemplate] {
    let isUTF8 = id.withUnsafeBufferPointer { UTF8Text.isValid($0) }
    return isUTF8 ? [] : ["the id is not UTF-8: name the encoding with \(.encoding)"]
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  private static func shown(_ id: ArraySlice<UInt8>) -> String {
    shown(id.withUnsafeBufferPointer { EPANETReader.text($0) })
  }

  private static func shown(_ id: String) -> String {
    let text = id.printable
    return text.count > 60 ? text.prefix(60) + "…" : text
  }
}

extension EPANETValveLayer {
  /// The positions of the columns that are read.
  private struct Columns {
    var link = 0
    var node = 0
    var status: Int?
    var operable: Int?

    init() {}

    init(_ names: [String], line: Int) throws(FormatError) {
      func column(_ name: String, isNeeded: Bool) throws(FormatError) -> Int? {
        let found = names.indices.filter { names[$0].lowercased() == name }
        if found.count == 1 || (found.isEmpty && !isNeeded) { return found.first }
        throw FormatError(
          "the valve layer has \(found.isEmpty ? "no" : "more than one") column \(name)", line: line
        )
      }
      link = try column("link", isNeeded: true) ?? 0
      node = try column("node", isNeeded: true) ?? 0
      status = try column("status", isNeeded: false)
      operable = try column("operable", isNeeded: false)
    }

    private var all: [(name: String, index: Int)] {
      [("a link", link), ("a node", node)] + (status.map { [("a status", $0)] } ?? [])
        + (operable.map { [("whether it is operable", $0)] } ?? [])
    }

    var last: Int { all.map(\.index).max() ?? 0 }

    /// The required columns, in words.
    var needs: String {
      let names = all.map(\.name)
      return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    func others(of names: [String]) -> [String] {
      let read = all.map(\.index)
      return names.indices.filter { !read.contains($0) && !names[$0].isEmpty }.map { names[$0] }
    }
  }
}
