/// The sources of the gas network, by their ids in its definition.
enum GasSource: Int {
  case structure = 3
  case device = 9
  case junction = 10
  case assembly = 11
  case pipe = 12
}

/// A kind of features, by its codes in the definition.
struct GasType {
  var source: GasSource
  var group: Int
  var type: Int
  /// The prefix of global ids.
  var letter: String

  private init(_ source: GasSource, _ group: Int, _ type: Int, _ letter: String) {
    self.source = source
    self.group = group
    self.type = type
    self.letter = letter
  }

  static let valve = GasType(.device, 1, 1, "V")
  static let serviceValve = GasType(.device, 1, 2, "V")
  static let threeWayValve = GasType(.device, 1, 3, "W")
  static let excessFlowValve = GasType(.device, 2, 1, "X")
  static let meter = GasType(.device, 3, 1, "M")
  static let industrialMeter = GasType(.device, 3, 2, "M")
  static let regulator = GasType(.device, 4, 1, "R")

  static let tee = GasType(.junction, 1, 1, "J")
  static let cross = GasType(.junction, 1, 2, "J")
  static let coupling = GasType(.junction, 1, 3, "J")
  static let endCap = GasType(.junction, 1, 4, "J")
  static let tap = GasType(.junction, 2, 1, "T")
  static let supply = GasType(.junction, 2, 2, "J")
  static let appliance = GasType(.junction, 2, 3, "J")

  static let plasticMain = GasType(.pipe, 1, 1, "P")
  static let steelMain = GasType(.pipe, 1, 2, "P")
  static let service = GasType(.pipe, 2, 1, "S")
  static let houseLine = GasType(.pipe, 3, 1, "H")

  static let station = GasType(.assembly, 1, 1, "A")
  static let pad = GasType(.structure, 1, 1, "B")
  static let valveBox = GasType(.structure, 1, 2, "B")
}

/// A connection that is not by coordinates, or the association of a feature with its container or structure.
struct GasAssociation {
  /// Esri's numbers.
  enum Kind: Int {
    case junctions = 1
    case containment, attachment, fromEnd, midSpan, toEnd
  }

  var kind: Kind
  /// The container, the structure, or the junction of a junction and an edge.
  var from: GasNetwork.Joint
  var to: GasNetwork.Joint
  var percentAlong: Double?

  static let header =
    "ASSOCIATIONTYPE,FROMNETWORKSOURCEID,FROMGLOBALID,FROMTERMINALID,TONETWORKSOURCEID,"
    + "TOGLOBALID,TOTERMINALID,PERCENTALONG"

  /// The row in the CSV file.
  var row: String {
    let cells = [
      "\(kind.rawValue)", "\(from.source.rawValue)", from.id, from.terminal.map { "\($0)" } ?? "",
      "\(to.source.rawValue)", to.id, to.terminal.map { "\($0)" } ?? "",
      percentAlong.map { "\($0)" } ?? "",
    ]
    return cells.joined(separator: ",")
  }
}
