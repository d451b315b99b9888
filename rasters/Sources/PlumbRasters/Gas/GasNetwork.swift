import PlumbCore

/// A gas network: mains along streets, services to customers, and the stations that supply it.
struct GasNetwork {
  private(set) var devices: [MapFeature] = []
  private(set) var junctions: [MapFeature] = []
  private(set) var pipes: [MapFeature] = []
  private(set) var assemblies: [MapFeature] = []
  private(set) var structures: [MapFeature] = []
  private(set) var associations: [GasAssociation] = []
  private var counts: [String: Int] = [:]
  /// The places that are occupied by a feature or a vertex.
  private var taken: Set<Vertex> = []

  /// A feature at which pipes end.
  struct Joint {
    var source: GasSource
    var id: String
    var place: Vertex
    /// nil if the feature has no terminals.
    var terminal: Int?

    /// The same device at another terminal.
    func at(_ terminal: Int) -> Joint {
      Joint(source: source, id: id, place: place, terminal: terminal)
    }
  }

  /// Whether a place is unoccupied.
  func isFree(_ place: Vertex) -> Bool { !taken.contains(place) }

  /// Marks a place as occupied.
  mutating func take(_ place: Vertex) { taken.insert(place) }

  @discardableResult mutating func add(
    _ type: GasType, _ place: Vertex, _ more: [(name: String, value: FieldValue)] = []
  ) -> Joint {
    taken.insert(place)
    let id = nextID(type.letter)
    let feature = MapFeature(
      shape: .point(place), fields: fields(type, id, number(in: type.source)) + more)
    switch type.source {
    case .device: devices.append(feature)
    case .assembly: assemblies.append(feature)
    case .structure: structures.append(feature)
    case .junction, .pipe: junctions.append(feature)
    }
    return Joint(source: type.source, id: id, place: place)
  }

  /// A pipe between two joints, through some places. If an end is at a terminal, it is an
  /// association, because a place does not identify the terminal.
  @discardableResult mutating func lay(
    _ type: GasType, _ from: Joint, _ to: Joint, through places: [Vertex] = [], diameter: Int,
    pressure: Int
  ) -> Joint {
    let line = [from.place] + places + [to.place]
    taken.formUnion(places)
    let id = nextID(type.letter)
    let length = (Measure.length(line) * 1000).rounded(places: 1)
    pipes.append(
      MapFeature(
        shape: .lines([line]),
        fields: fields(type, id, pipes.count + 1) + [
          ("LENGTH_M", .real(length)), ("DIAMETER_MM", .integer(Int64(diameter))),
          ("PRESSURE_KPA", .integer(Int64(pressure))),
        ]))
    let pipe = Joint(source: .pipe, id: id, place: from.place)
    if from.terminal != nil { associate(.fromEnd, from, pipe) }
    if to.terminal != nil { associate(.toEnd, to, pipe) }
    return pipe
  }

  mutating func associate(
    _ kind: GasAssociation.Kind, _ from: Joint, _ to: Joint, percentAlong: Double? = nil
  ) {
    associations.append(
      GasAssociation(kind: kind, from: from, to: to, percentAlong: percentAlong))
  }

  private mutating func nextID(_ letter: String) -> String {
    counts[letter, default: 0] += 1
    let number = String(counts[letter, default: 0])
    return letter + String(repeating: "0", count: max(0, 4 - number.count)) + number
  }

  private func number(in source: GasSource) -> Int {
    switch source {
    case .device: devices.count + 1
    case .assembly: assemblies.count + 1
    case .structure: structures.count + 1
    case .junction: junctions.count + 1
    case .pipe: pipes.count + 1
    }
  }

  private func fields(
    _ type: GasType, _ id: String, _ number: Int
  ) -> [(name: String, value: FieldValue)] {
    [
      ("OBJECTID", .integer(Int64(number))), ("GLOBALID", .text(id)),
      ("ASSETGROUP", .integer(Int64(type.group))), ("ASSETTYPE", .integer(Int64(type.type))),
    ]
  }
}
