/// The layout of a water network in an EPANET input file (`.inp`), with its nodes and links, their
/// initial state, and their locations.
///
/// Ids are unique among nodes and among links. A node and a link may have the same id. Lengths,
/// diameters and elevations are in the file's units, which `flowUnits` determines.
package struct EPANETNetwork: Sendable {
  /// The lines of `[TITLE]`.
  package internal(set) var title: [String] = []
  package internal(set) var flowUnits = FlowUnits.gallonsPerMinute
  package internal(set) var headLoss = HeadLoss.hazenWilliams
  /// Junctions, reservoirs and tanks in the file's order, section by section.
  package internal(set) var nodes: [Node] = []
  /// Pipes, pumps and valves in the file's order, section by section.
  package internal(set) var links: [Link] = []
  /// The name of a pump's head curve or a general purpose valve's head loss curve, by the link's index.
  package internal(set) var curves: [Int: String] = [:]
  /// The tags of nodes from `[TAGS]`, by the node's index.
  package internal(set) var nodeTags: [Int: String] = [:]
  /// The tags of links from `[TAGS]`, by the link's index.
  package internal(set) var linkTags: [Int: String] = [:]
  /// Possible mistakes in the file, and parts that were not read.
  package internal(set) var warnings: [Warning] = []

  /// The first unknown section heading.
  var unknownSection: (name: String, line: Int)?

  /// The text that is appended to an error message if a misspelt heading may have caused the error;
  /// empty if all headings are known.
  package var unknownSectionAdvice: String {
    guard let (name, line) = unknownSection else { return "" }
    return "; the section \(name) on line \(line) is unknown and was not read"
  }

  var nodeTable = IDTable()
  var linkTable = IDTable()
  /// The vertices of all links, link by link.
  var vertices: [SIMD2<Double>] = []
  /// The start of each link's vertices in `vertices`, followed by the end of the last link's
  /// vertices; empty if no link has vertices.
  var vertexStarts: [Int] = []

  init() {}

  /// The index of the node with an id, case-sensitive.
  /// - Complexity: O(1).
  package func node(_ id: String) -> Int? { nodeTable.index(of: id) }

  /// The index of the node whose id has these bytes in the file.
  func node(_ id: ArraySlice<UInt8>) -> Int? {
    id.withUnsafeBufferPointer { nodeTable.index(of: $0) }
  }

  /// The index of the link with an id, case-sensitive.
  /// - Complexity: O(1).
  package func link(_ id: String) -> Int? { linkTable.index(of: id) }

  /// The index of the link whose id has these bytes in the file.
  func link(_ id: ArraySlice<UInt8>) -> Int? {
    id.withUnsafeBufferPointer { linkTable.index(of: $0) }
  }

  /// The vertices between the two ends of a link as x and y, in order from the link's start.
  package func vertices(ofLink link: Int) -> ArraySlice<SIMD2<Double>> {
    guard !vertexStarts.isEmpty else { return [] }
    return vertices[vertexStarts[link]..<vertexStarts[link + 1]]
  }
}

extension EPANETNetwork {
  package enum NodeKind: String, Sendable, CaseIterable {
    case junction, reservoir, tank
  }

  package struct Node: Sendable, Hashable {
    package var id: String
    package var kind: NodeKind
    /// The elevation; for a reservoir, the head.
    package var elevation: Double
    /// The sum of a junction's base demands; 0 for other nodes.
    package var demand: Double
    /// The location, x and y; nil if the node has no coordinates.
    package var point: SIMD2<Double>?
    /// The line number; the first line is 1.
    package var line: Int
  }

  package enum LinkKind: String, Sendable, CaseIterable {
    case pipe, pump, valve
  }

  /// The state of a link at time 0. It is determined by the link's section, `[STATUS]`, the pattern of a
  /// pump's speed, and the simple controls that apply at time 0.
  package enum Status: String, Sendable, CaseIterable {
    case open, closed
    /// An active valve, which throttles the flow according to its type and setting.
    case active
    /// A pipe that allows flow from its start to its end only.
    case checkValve
  }

  package enum ValveType: String, Sendable, CaseIterable {
    case pressureReducing = "PRV"
    case pressureSustaining = "PSV"
    case pressureBreaker = "PBV"
    case flowControl = "FCV"
    case throttleControl = "TCV"
    case generalPurpose = "GPV"
    /// Supported since EPANET 2.3.
    case positionalControl = "PCV"
  }

  package struct Link: Sendable, Hashable {
    package var id: String
    package var kind: LinkKind
    /// The indices of the nodes at the two ends, which may be the same node.
    package var start: Int
    package var end: Int
    /// The length; 0 for pumps and valves.
    package var length: Double
    /// The diameter; 0 for pumps.
    package var diameter: Double
    /// The roughness; 0 for pumps and valves.
    package var roughness: Double
    package var minorLoss: Double
    package var status: Status
    package var valveType: ValveType?
    /// A valve's setting or a pump's relative speed; nil for pipes, and for valves that follow a curve.
    package var setting: Double?
    /// The line number; the first line is 1.
    package var line: Int
  }

  /// The unit of flow, which determines the other units.
  package enum FlowUnits: String, Sendable, CaseIterable {
    case cubicFeetPerSecond = "CFS"
    case gallonsPerMinute = "GPM"
    case acreFeetPerDay = "AFD"
    case millionGallonsPerDay = "MGD"
    case imperialMillionGallonsPerDay = "IMGD"
    case litresPerSecond = "LPS"
    case litresPerMinute = "LPM"
    case cubicMetresPerHour = "CMH"
    case cubicMetresPerDay = "CMD"
    case megalitresPerDay = "MLD"
    /// Supported since EPANET 2.3.
    case cubicMetresPerSecond = "CMS"

    /// Whether lengths are in metres and diameters in millimetres, rather than in feet and inches.
    var isMetric: Bool {
      switch self {
      case .cubicFeetPerSecond, .gallonsPerMinute, .acreFeetPerDay, .millionGallonsPerDay,
        .imperialMillionGallonsPerDay:
        false
      default: true
      }
    }
  }

  /// The head loss formula, which determines the meaning of roughness.
  package enum HeadLoss: String, Sendable, CaseIterable {
    case hazenWilliams = "H-W"
    case darcyWeisbach = "D-W"
    case chezyManning = "C-M"
  }

  /// A warning about a part of the file that was ignored, or whose interpretation the user should know.
  package struct Warning: Sendable, Hashable, CustomStringConvertible {
    package var message: String
    /// The line number; the first line is 1.
    package var line: Int
    /// The number of further warnings of the same kind.
    package var others = 0

    package var description: String {
      "\(message) (line \(line)\(others > 0 ? ", and \(others) more" : ""))"
    }
  }
}
