import PlumbCore

/// Collects the features of a network, in any order, and builds the network.
///
///     var builder = try NetworkBuilder(definition)
///     try builder.add(NetworkJunction(...))
///     try builder.add(NetworkEdge(...))
///     try builder.add(.connectivity(...))
///     let network = try builder.build()
///
/// An end of an edge that does not name its junction connects to the nearest junction within the
/// tolerance. If there is no such junction, the end connects to the ends of other edges within the
/// tolerance. A junction on an inner vertex of an edge connects mid-span.
public struct NetworkBuilder: Sendable {
  /// The options that determine how features connect.
  public struct Options: Sendable, Hashable {
    /// The maximum distance of coincident points, in the unit of the coordinates; 0 if coordinates have to be
    /// equal.
    public var tolerance: Double
    /// Whether features connect by location. If false, features connect only by explicit names and
    /// associations.
    public var connectsByLocation: Bool
    /// Whether faults of individual features are counted instead of thrown.
    package var isLenient = false

    /// Creates options. By default, features connect where they coincide exactly.
    public init(tolerance: Double = 0, connectsByLocation: Bool = true) {
      self.tolerance = tolerance
      self.connectsByLocation = connectsByLocation
    }
  }

  /// The definition that the features are checked against.
  public let definition: UtilityNetworkDefinition
  /// The options that determine how features connect.
  public let options: Options

  let catalog: TypeCatalog
  var junctions: FeatureColumns
  var edges: FeatureColumns
  var points: [SIMD2<Double>] = []
  /// For each junction, the path of its configuration; 255 for none.
  var paths: [UInt8] = []
  var controllers: [(junction: UInt32, controller: SubnetworkController)] = []
  var vertices: [SIMD2<Double>] = []
  var vertexEnds: [UInt32] = []
  var flows: [EdgeFlow] = []
  /// The connections of edge ends, two per edge.
  var ends: [EndRecord] = []
  var endNames = IdentifierColumn()
  var associations: [NetworkAssociation] = []

  /// - Throws: `badDefinition` if the definition has a duplicate name or id, or refers to undefined
  ///   items.
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

/// The connection given for an end of an edge.
struct EndRecord: Sendable {
  /// The index in the catalog's sources; -1 for none.
  var source: Int32 = -1
  /// The index in the builder's list of names.
  var name: UInt32 = 0
  var terminalID: Int?
}
