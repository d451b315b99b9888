import PlumbCore

/// Isolation valves of a water network, each on a link beside one of its ends: a delimited table
/// with the columns `link` and `node`, as WNTR writes it. Other columns are passed over.
public struct EPANETValveLayer: Sendable {
  public struct Valve: Sendable, Hashable {
    /// Indexes in the network.
    public var link: Int
    public var node: Int
    /// The first line, which is the header's, is 1.
    public var line: Int
  }

  /// As the file has them.
  public private(set) var valves: [Valve] = []

  /// - Throws: one line that names the line: links and nodes that the network does not have, nodes
  ///   that are no end of the link, repeated valves, missing columns.
  public init(_ bytes: UnsafeRawBufferPointer, of network: EPANETNetwork) throws(FormatError) {
    let text = bytes.bindMemory(to: UInt8.self)
    var position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var line = 1
    var header: DelimitedHeader?
    var columns = (link: 0, node: 0)
    var lineOfValve: [[Int]: Int] = [:]
    while position < text.count {
      let scanner = RecordScanner(text, delimiter: header?.delimiter)
      let end = scanner.record(from: position).end
      let record = Self.withoutLineEnd(UnsafeBufferPointer(rebasing: text[position..<end]))
      let here = line
      line += text[position..<end].count { $0 == 0x0A }
      position = end
      if record.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      guard let delimiter = header?.delimiter else {
        let delimiter = DelimitedHeader.guessDelimiter(record)
        let names = DelimitedRow.fields(record, delimiter: delimiter).map { $0.trimmingSpaces() }
        columns = (
          try Self.column("link", in: names, line: here),
          try Self.column("node", in: names, line: here)
        )
        header = DelimitedHeader(
          delimiter: delimiter, names: names, bytes: [], lineEnd: [], hasByteOrderMark: false,
          lineCount: 1)
        continue
      }
      let fields = DelimitedRow.fields(record, delimiter: delimiter)
      guard fields.count > max(columns.link, columns.node) else {
        throw FormatError(
          "a valve needs a link and a node; the row has \(fields.count) columns", line: here)
      }
      let valve = try Self.valve(
        fields[columns.link].trimmingSpaces(), fields[columns.node].trimmingSpaces(), network, here)
      if let first = lineOfValve.updateValue(here, forKey: [valve.link, valve.node]) {
        let name = "\(network.links[valve.link].id)@\(network.nodes[valve.node].id)".printable
        throw FormatError(
          "the valve \(name) is repeated; it stands on line \(first) too", line: here)
      }
      valves.append(valve)
    }
    if header == nil {
      throw FormatError("the valve layer is empty; it needs the columns link,node")
    }
  }

  private static func valve(
    _ link: String, _ node: String, _ network: EPANETNetwork, _ line: Int
  ) throws(FormatError) -> Valve {
    guard let linkIndex = network.link(link) else {
      throw FormatError(
        "the network has no link \(shown(link))\(network.unknownSectionAdvice)", line: line)
    }
    guard let nodeIndex = network.node(node) else {
      throw FormatError(
        "the network has no node \(shown(node))\(network.unknownSectionAdvice)", line: line)
    }
    let ends = (network.links[linkIndex].start, network.links[linkIndex].end)
    guard nodeIndex == ends.0 || nodeIndex == ends.1 else {
      throw FormatError(
        "the node \(shown(node)) is no end of the link \(shown(link)), which has "
          + "\(shown(network.nodes[ends.0].id)) and \(shown(network.nodes[ends.1].id))", line: line)
    }
    return Valve(link: linkIndex, node: nodeIndex, line: line)
  }

  private static func column(
    _ name: String, in names: [String], line: Int
  ) throws(FormatError) -> Int {
    let found = names.indices.filter { names[$0].lowercased() == name }
    if found.count == 1 { return found[0] }
    throw FormatError(
      "the valve layer has \(found.isEmpty ? "no" : "more than one") column \(name)", line: line)
  }

  private static func withoutLineEnd(
    _ record: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var count = record.count
    while count > 0, record[count - 1] == 0x0A || record[count - 1] == 0x0D { count -= 1 }
    return UnsafeBufferPointer(rebasing: record[..<count])
  }

  private static func shown(_ id: String) -> String {
    let text = id.printable
    return text.count > 60 ? text.prefix(60) + "…" : text
  }
}
