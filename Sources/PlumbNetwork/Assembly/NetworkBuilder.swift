import PlumbCore

/// Takes the features of a network, in any order, and makes the network.
///
///     var builder = try NetworkBuilder(definition)
///     try builder.add(NetworkJunction(...))
///     try builder.add(NetworkEdge(...))
///     try builder.add(.connectivity(...))
///     let network = try builder.build()
///
/// What an edge's ends connect to, unless they name it: the nearest junction within the tolerance,
/// else the ends of other edges there. A junction on an inner vertex of an edge connects mid-span.
public struct NetworkBuilder: Sendable {
  /// How features connect.
  public struct Options: Sendable, Hashable {
    /// How far apart points may be that are one, in the unit of the coordinates; 0 for equal ones.
    public var tolerance: Double
    /// False: only what names or associates connects.
    public var connectsByLocation: Bool
    /// Whether faults of single features are counted, and not thrown.
    package var isLenient = false

    /// Options of a network whose features connect where they coincide exactly, unless said
    /// otherwise.
    public init(tolerance: Double = 0, connectsByLocation: Bool = true) {
      self.tolerance = tolerance
      self.connectsByLocation = connectsByLocation
    }
  }

  /// What the features are checked against.
  public let definition: UtilityNetworkDefinition
  /// How features connect.
  public let options: Options

  let catalog: TypeCatalog
  var junctions: FeatureColumns
  var edges: FeatureColumns
  var points: [SIMD2<Double>] = []
  /// Of each junction: its configuration's path, 255 for none.
  var paths: [UInt8] = []
  var controllers: [(junction: UInt32, controller: SubnetworkController)] = []
  var vertices: [SIMD2<Double>] = []
  var vertexEnds: [UInt32] = []
  var flows: [EdgeFlow] = []
  /// Two for each edge.
  var ends: [EndRecord] = []
  var endNames = IdentifierColumn()
  var associations: [NetworkAssociation] = []

  /// - Throws: `badDefinition` where the definition has a name or id twice, or refers to what it
  ///   does not have.
  public init(
    _ definition: UtilityNetworkDefinition, options: Options = Options()
  ) throws(NetworkError) {
    guard options.tolerance >= 0, options.tolerance.isFinite else {
      throw NetworkError(.badParameters, "the tolerance \(options.tolerance) is not 0 or more")
    }
    self.definition = definition
    self.options = options
    catalog = try TypeCatalog(definition)
    junctions = FeatureColumns(definition.networkAttributes)
    edges = FeatureColumns(definition.networkAttributes)
  }
}

/// What an end of an edge says it connects to.
struct EndRecord: Sendable {
  /// Among the catalog's sources; -1 for none named.
  var source: Int32 = -1
  /// In the builder's list of names.
  var name: UInt32 = 0
  var terminalID: Int?
}
