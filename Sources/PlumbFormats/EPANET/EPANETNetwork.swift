/// What an EPANET input file (`.inp`) says of a water network's layout: its nodes and links, what
/// is closed, and where they lie.
///
/// Nodes have ids of their own, links too; a node and a link may share one. Lengths, diameters and
/// elevations are in the file's units: see `flowUnits`.
package struct EPANETNetwork: Sendable {
  /// The lines of `[TITLE]`.
  package internal(set) var title: [String] = []
  package internal(set) var flowUnits = FlowUnits.gallonsPerMinute
  package internal(set) var headLoss = HeadLoss.hazenWilliams
  /// Junctions, reservoirs and tanks as the file has them, section by section.
  package internal(set) var nodes: [Node] = []
  /// Pipes, pumps and valves as the file has them, section by section.
  package internal(set) var links: [Link] = []
  /// The curve that a pump's head or a general purpose valve's loss follows, by the link's index.
  package internal(set) var curves: [Int: String] = [:]
  /// What `[TAGS]` says, by the node's index.
  package internal(set) var nodeTags: [Int: String] = [:]
  /// What `[TAGS]` says, by the link's index.
  package internal(set) var linkTags: [Int: String] = [:]
  /// What was read but may not be meant, and what was not read at all.
  package internal(set) var warnings: [Warning] = []

  /// The first heading that no section has.
  var unknownSection: (name: String, line: Int)?

  /// For the end of an error that may come from a heading that was misspelt; empty without one.
  package var unknownSectionAdvice: String {
    guard let (name, line) = unknownSection else { return "" }
    return "; its section \(name) on line \(line) is not known and was not read"
  }

  var nodeTable = IDTable()
  var linkTable = IDTable()
  /// Vertices of all links, link by link.
  var vertices: [SIMD2<Double>] = []
  /// Where each link's vertices begin, and where the last one's end; empty without any.
  var vertexStarts: [Int] = []

  init() {}

  /// The index of the node of that id, letter for letter.
  /// - Complexity: O(1).
  package func node(_ id: String) -> Int? { nodeTable.index(of: id) }

  /// The index of the node whose id has these bytes in the file.
  func node(_ id: ArraySlice<UInt8>) -> Int? {
    id.withUnsafeBufferPointer { nodeTable.index(of: $0) }
  }

  /// The index of the link of that id, letter for letter.
  /// - Complexity: O(1).
  package func link(_ id: String) -> Int? { linkTable.index(of: id) }

  /// The index of the link whose id has these bytes in the file.
  func link(_ id: ArraySlice<UInt8>) -> Int? {
    id.withUnsafeBufferPointer { linkTable.index(of: $0) }
  }

  /// The points between a link's ends, from its start on; x, then y.
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
    /// A reservoir's head.
    package var elevation: Double
    /// A junction's base demands in all; 0 for others.
    package var demand: Double
    /// x, then y; nil without coordinates.
    package var point: SIMD2<Double>?
    /// The first line is 1.
    package var line: Int
  }

  package enum LinkKind: String, Sendable, CaseIterable {
    case pipe, pump, valve
  }

  /// What a link lets through at time 0: as its section, `[STATUS]`, the pattern of a pump's speed and
  /// the simple controls that hold then say.
  package enum Status: String, Sendable, CaseIterable {
    case open, closed
    /// A valve at work: it throttles as its type and setting say.
    case active
    /// A pipe that lets water through from its start to its end only.
    case checkValve
  }

  package enum ValveType: String, Sendable, CaseIterable {
    case pressureReducing = "PRV"
    case pressureSustaining = "PSV"
    case pressureBreaker = "PBV"
    case flowControl = "FCV"
    case throttleControl = "TCV"
    case generalPurpose = "GPV"
    /// Since EPANET 2.3.
    case positionalControl = "PCV"
  }

  package struct Link: Sendable, Hashable {
    package var id: String
    package var kind: LinkKind
    /// Indexes of nodes; both may be the same.
    package var start: Int
    package var end: Int
    /// 0 for pumps and valves.
    package var length: Double
    /// 0 for pumps.
    package var diameter: Double
    /// 0 for pumps and valves.
    package var roughness: Double
    package var minorLoss: Double
    package var status: Status
    package var valveType: ValveType?
    /// A valve's setting or a pump's relative speed; nil for pipes, and for valves that follow a
    /// curve.
    package var setting: Double?
    /// The first line is 1.
    package var line: Int
  }

  /// The unit of flow, which says the other units too.
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
    /// Since EPANET 2.3.
    case cubicMetresPerSecond = "CMS"

    /// Whether lengths are metres and diameters millimetres, and not feet and inches.
    package var isMetric: Bool {
      switch self {
      case .cubicFeetPerSecond, .gallonsPerMinute, .acreFeetPerDay, .millionGallonsPerDay,
        .imperialMillionGallonsPerDay:
        false
      default: true
      }
    }
  }

  /// The formula that pipes' roughness belongs to.
  package enum HeadLoss: String, Sendable, CaseIterable {
    case hazenWilliams = "H-W"
    case darcyWeisbach = "D-W"
    case chezyManning = "C-M"
  }

  /// Something of the file that was passed over or taken in a way to know of.
  package struct Warning: Sendable, Hashable, CustomStringConvertible {
    package var message: String
    /// The first line is 1.
    package var line: Int
    /// How many more of the kind follow.
    package var others = 0

    package var description: String {
      "\(message) (line \(line)\(others > 0 ? ", and \(others) more" : ""))"
    }
  }
}
