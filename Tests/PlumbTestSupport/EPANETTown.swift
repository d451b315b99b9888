/// A town's water network for EPANET: nodes and the pipes between them.
///
/// The pipes have the lengths 10, 20, 30 and so on. Nodes that are not sources are junctions.
public struct EPANETTown {
  /// Each string is a chain of nodes with the pipes between them, such as `R-P1-A-P2-B`.
  private let chains: [[String]]
  private let reservoirs: [String]
  private let tanks: [String]
  private let closed: [String]
  private let links: String
  private let coordinates: String

  /// - Parameters:
  ///   - closed: the closed pipes.
  ///   - links: lines after the pipes, in EPANET's format. The lines may begin other sections.
  ///   - coordinates: lines of the section of coordinates.
  public init(
    _ chains: String..., reservoirs: [String] = ["R"], tanks: [String] = [],
    closed: [String] = [], links: String = "", coordinates: String = ""
  ) {
    self.chains = chains.map { $0.split(separator: "-").map(String.init) }
    (self.reservoirs, self.tanks, self.closed) = (reservoirs, tanks, closed)
    (self.links, self.coordinates) = (links, coordinates)
  }

  /// The file, without a newline at the end.
  public var text: String {
    var junctions: [String] = []
    var pipes: [String] = []
    for chain in chains {
      for point in stride(from: 0, to: chain.count, by: 2) {
        let node = chain[point]
        if !junctions.contains(node), !reservoirs.contains(node), !tanks.contains(node) {
          junctions.append(node)
        }
        guard point > 0 else { continue }
        let pipe = chain[point - 1]
        let line = "\(pipe) \(chain[point - 2]) \(node) \(10 * (pipes.count + 1)) 100 100"
        pipes.append(line + (closed.contains(pipe) ? " 0 Closed" : ""))
      }
    }
    var sections = [
      ("JUNCTIONS", junctions.map { "\($0) 1" }), ("RESERVOIRS", reservoirs.map { "\($0) 10" }),
      ("TANKS", tanks.map { "\($0) 5 1 0 2 10 0" }),
      ("PIPES", pipes + (links.isEmpty ? [] : [links])),
    ]
    if !coordinates.isEmpty { sections.append(("COORDINATES", [coordinates])) }
    return sections.filter { !$0.1.isEmpty }
      .map { "[\($0.0)]\n" + $0.1.joined(separator: "\n") }.joined(separator: "\n")
  }
}
