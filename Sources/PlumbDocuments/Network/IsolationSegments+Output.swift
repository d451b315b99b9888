import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbNetwork

extension IsolationSegments {
  /// Returns the segments as JSON, one segment per line:
  /// `{"segments":[{"nodes":["J1"],"links":["P1"],"valves":["P1@J1"]}]}`.
  ///
  /// EPANET elements are written by id, other elements as `source:globalid`. For a valve along an
  /// edge, the fraction along the edge follows, as in `pipe:7@0.3`.
  public func json(in opened: OpenedNetwork) -> [UInt8] {
    var json = TraceJSON(opened.network)
    json.append("{\"segments\":[")
    for segment in 0..<count {
      json.append(segment > 0 ? ",\n{\"nodes\":" : "\n{\"nodes\":")
      json.list(junctions(of: segment)) { $0.text(opened.segmentName(TraceLocation($1))) }
      json.append(",\"links\":")
      json.list(edges(of: segment)) { $0.text(opened.segmentName(TraceLocation($1))) }
      json.append(",\"valves\":")
      json.list(valves(of: segment)) { $0.text(opened.segmentName($1)) }
      json.append("}")
    }
    json.append("\n]}\n")
    return json.bytes
  }

  /// Returns the segments as CSV, with a row for each element of each segment: `segment` from 1,
  /// `kind` as `node`, `link` or `valve`, and `id` as in JSON. A valve has a row for each segment
  /// that it bounds.
  public func csv(in opened: OpenedNetwork) -> [UInt8] {
    let text = TextBuffer()
    text.append("segment,kind,id\n")
    for segment in 0..<count {
      func append(_ kind: String, _ location: TraceLocation) {
        text.append("\(segment + 1),\(kind),")
        DelimitedRow.append(
          opened.segmentName(location), delimiter: UInt8(ascii: ","), to: text)
        text.append(0x0A)
      }
      for element in junctions(of: segment) { append("node", TraceLocation(element)) }
      for element in edges(of: segment) { append("link", TraceLocation(element)) }
      for valve in valves(of: segment) { append("valve", valve) }
    }
    return Array(text.bytes)
  }
}

extension OpenedNetwork {
  fileprivate func segmentName(_ location: TraceLocation) -> String {
    let known = network.describe(location.element)
    let name = form == .epanet ? known.globalID : "\(known.sourceName):\(known.globalID)"
    if let fraction = location.fractionAlongEdge { return "\(name)@\(fraction)" }
    guard let id = location.terminalID, known.terminals.count > 1 else { return name }
    return "\(name):\(known.terminals.first { $0.id == id }?.name ?? String(id))"
  }
}
