import PlumbCore
import PlumbNetwork

/// A network drawn as text.
///
///     C1--v1--s--k1--y--C2
///         |
///         e>>f
///
/// A name is a junction at its position, with its kind in the first letter: `C` a controller, `v` a
/// valve, `w` a valve with terminals 1 and 2, `k` a device that conducts flow only from terminal 1
/// to 2, `m` a meter; all others are tees. `-` and `|` are pipes, `>` and `<` one-way pipes. Pipes
/// to the left of a device or above it are at terminal 1, the others at 2. A pipe is named by its
/// ends, the left or upper one first: `C1-v1`. Its length attribute is its number of characters.
struct Sketch {
  private struct Spot {
    var name: String
    var row: Int
    var columns: Range<Int>
  }

  private struct Pipe {
    var from: Spot
    var to: Spot
    var flow: EdgeFlow
    var length: Int
  }

  /// Attributes of elements by name, and paths and subnetworks of devices.
  var attributes: [String: [String: FieldValue]] = [:]
  var terminalPaths: [String: String] = [:]
  var subnetworks: [String: String] = [:]
  var tiers: [String: Int] = [:]
  var hoses: Set<String> = []
  var definition = TestNetwork.definition()
  private var spots: [Spot] = []
  private var pipes: [Pipe] = []

  init(_ text: String) {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    for (row, signs) in rows.enumerated() {
      var column = 0
      while column < signs.count {
        guard signs[column].isLetter else {
          column += 1
          continue
        }
        let start = column
        while column < signs.count, signs[column].isLetter || signs[column].isNumber { column += 1 }
        spots.append(Spot(name: String(signs[start..<column]), row: row, columns: start..<column))
      }
    }
    for spot in spots { addPipes(from: spot, rows) }
  }

  private mutating func addPipes(from spot: Spot, _ rows: [[Character]]) {
    let signs = rows[spot.row]
    var column = spot.columns.upperBound
    while column < signs.count, "-<>".contains(signs[column]) { column += 1 }
    let run = signs[spot.columns.upperBound..<column]
    if !run.isEmpty,
      let other = spots.first(where: { $0.row == spot.row && $0.columns.lowerBound == column })
    {
      let flow: EdgeFlow = run.contains(">") ? .forward : run.contains("<") ? .backward : .bothWays
      pipes.append(Pipe(from: spot, to: other, flow: flow, length: run.count))
    }
    for column in spot.columns {
      var row = spot.row + 1
      while row < rows.count, column < rows[row].count, rows[row][column] == "|" { row += 1 }
      guard row > spot.row + 1 else { continue }
      if let other = spots.first(where: { $0.row == row && $0.columns.contains(column) }) {
        pipes.append(
          Pipe(from: spot, to: other, flow: .bothWays, length: row - spot.row - 1))
      }
    }
  }

  func builder(shuffledBy random: (any RandomNumberGenerator)? = nil) throws -> NetworkBuilder {
    var builder = try NetworkBuilder(definition)
    for spot in spots { try builder.add(junction(spot)) }
    for pipe in pipes { try builder.add(edge(pipe)) }
    return builder
  }

  func network() throws -> UtilityNetwork { try builder().build() }

  private func hasTerminals(_ name: String) -> Bool { name.first == "k" || name.first == "w" }

  private func source(_ name: String) -> Int {
    "Cvkw".contains(name.first ?? " ") ? TestNetwork.device : TestNetwork.junction
  }

  private func junction(_ spot: Spot) -> NetworkJunction {
    let type =
      switch spot.name.first {
      case "C": TestNetwork.Device.controller.rawValue
      case "v": TestNetwork.Device.valve.rawValue
      case "k": TestNetwork.Device.oneWay.rawValue
      case "w": TestNetwork.Device.gate.rawValue
      case "m": 2
      default: 1
      }
    return NetworkJunction(
      sourceID: source(spot.name), globalID: spot.name, assetGroup: 1, assetType: type,
      point: SIMD2(Double(spot.columns.lowerBound), -Double(spot.row)),
      attributes: TestNetwork.attributes(attributes[spot.name] ?? [:]),
      terminalPath: terminalPaths[spot.name],
      controllers: spot.name.first == "C"
        ? [
          TestNetwork.controller(
            subnetworks[spot.name].map { [$0] } ?? [], tier: tiers[spot.name] ?? 1)
        ] : [])
  }

  private func edge(_ pipe: Pipe) -> NetworkEdge {
    func end(_ spot: Spot, isFrom: Bool) -> EdgeEnd {
      EdgeEnd(
        ElementName(sourceID: source(spot.name), globalID: spot.name),
        terminalID: hasTerminals(spot.name) ? (isFrom ? 2 : 1) : nil)
    }
    let name = "\(pipe.from.name)-\(pipe.to.name)"
    var values = attributes[name] ?? [:]
    values["length"] = values["length"] ?? .integer(Int64(pipe.length))
    return NetworkEdge(
      sourceID: TestNetwork.pipe, globalID: name, assetGroup: 1,
      assetType: hoses.contains(name) ? 2 : 1,
      vertices: [
        SIMD2(Double(pipe.from.columns.lowerBound), -Double(pipe.from.row)),
        SIMD2(Double(pipe.to.columns.lowerBound), -Double(pipe.to.row)),
      ], attributes: TestNetwork.attributes(values), from: end(pipe.from, isFrom: true),
      to: end(pipe.to, isFrom: false), flow: pipe.flow)
  }
}

extension UtilityTraceParameters {
  /// A trace in the tier of the tests.
  static func test(
    _ type: TraceType, _ starts: [TraceLocation], _ configuration: TraceConfiguration? = nil
  ) -> UtilityTraceParameters {
    UtilityTraceParameters(
      type, startingLocations: starts, tier: "Distribution", traceConfiguration: configuration)
  }
}

extension TraceConfiguration {
  /// Valves are filter barriers, and the elements that they isolate are also returned.
  static var isolating: TraceConfiguration {
    var configuration = TraceConfiguration()
    configuration.filter.barriers = .category("Isolating")
    configuration.includeIsolatedFeatures = true
    return configuration
  }
}
