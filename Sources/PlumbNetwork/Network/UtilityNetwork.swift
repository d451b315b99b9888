import PlumbCore
import PlumbGeometry
import Synchronization

/// An immutable network. Any number of threads may trace the network concurrently.
public final class UtilityNetwork: Sendable {
  /// The definition of the network.
  public let definition: UtilityNetworkDefinition

  let names: ElementIdentifiers
  let index: ElementIndex
  let graph: NetworkGraph
  let points: [SIMD2<Double>]
  let vertices: [SIMD2<Double>]
  let vertexEnds: [UInt32]
  let paths: [UInt8]
  let controllers: [UInt32: [SubnetworkController]]
  let containers: PairRows
  let content: PairRows
  let structures: PairRows
  /// The faults that were skipped when the network was built.
  package let faults: AssemblyFaults
  let scratches = Mutex<[TraceScratch]>([])
  let pointIndexes = Mutex<SpatialIndex?>(nil)

  init(
    definition: UtilityNetworkDefinition, names: ElementIdentifiers, index: ElementIndex,
    graph: NetworkGraph, points: [SIMD2<Double>], vertices: [SIMD2<Double>], vertexEnds: [UInt32],
    paths: [UInt8], controllers: [UInt32: [SubnetworkController]], containers: PairRows,
    content: PairRows, structures: PairRows, faults: AssemblyFaults
  ) {
    self.definition = definition
    self.names = names
    self.index = index
    self.graph = graph
    self.points = points
    self.vertices = vertices
    self.vertexEnds = vertexEnds
    self.paths = paths
    self.controllers = controllers
    self.containers = containers
    self.content = content
    self.structures = structures
    self.faults = faults
  }

  var catalog: TypeCatalog { names.catalog }

  /// The number of junctions in the graph: devices, junctions and assemblies.
  public var junctionCount: Int { names.junctions.count }
  /// The number of edges in the graph.
  public var edgeCount: Int { names.edges.count }
  /// The number of elements.
  public var elementCount: Int { junctionCount + edgeCount }
  /// The number of device terminals that begin or end a subnetwork.
  public var controllerCount: Int { controllers.count }

  /// All elements in element order: by source id, then by global id as bytes.
  public var elements: some RandomAccessCollection<NetworkElement> {
    (0..<elementCount).lazy.map { [index] in unsafe NetworkElement(index: index.order.base[$0]) }
  }

  /// Whether an element is an edge in the graph, with two ends, rather than a junction.
  public func isEdge(_ element: NetworkElement) -> Bool { Int(element.index) >= junctionCount }
}

// MARK: Properties of elements

extension UtilityNetwork {
  /// The properties of a feature.
  public struct Description: Sendable, Hashable {
    /// The id of the feature's source.
    public var sourceID: Int
    /// The name of the feature's source.
    public var sourceName: String
    /// The feature's id, unique in its source.
    public var globalID: String
    /// The feature's object id in the source's layer; nil if unknown.
    public var objectID: Int64?
    /// The code of the asset group.
    public var assetGroup: Int
    /// The name of the asset group.
    public var assetGroupName: String
    /// The code of the asset type in the group.
    public var assetType: Int
    /// The name of the asset type.
    public var assetTypeName: String
    /// The categories of the asset type, in the definition's order.
    public var categories: [String]
    /// The terminals of the asset type's terminal configuration; empty for none.
    public var terminals: [Terminal]
    /// The name of the current valid path; nil if there are no terminals.
    public var terminalPath: String?
  }

  /// Returns the properties of an element, with the names of its codes.
  public func describe(_ element: NetworkElement) -> Description {
    let row = Int(element.index)
    let info = typeInfo(row)
    let source = catalog.sources[info.source]
    return Description(
      sourceID: source.id, sourceName: source.name, globalID: names.globalID(row),
      objectID: isEdge(element)
        ? names.edges.objectID(row - junctionCount) : names.junctions.objectID(row),
      assetGroup: info.key.group, assetGroupName: info.groupName, assetType: info.key.type,
      assetTypeName: info.name, categories: info.categories.sorted().map { catalog.categories[$0] },
      terminals: info.layout?.terminals ?? [],
      terminalPath: info.layout.map { $0.pathNames[Int(paths[row])] })
  }

  func typeInfo(_ element: Int) -> TypeInfo { catalog.types[names.type(element)] }

  /// Returns the id of an element's source.
  public func sourceID(of element: NetworkElement) -> Int {
    typeInfo(Int(element.index)).key.sourceID
  }

  /// Returns the element's name in messages, `source:globalid`.
  public func name(of element: NetworkElement) -> String { names.name(Int(element.index)) }

  /// Returns an element's id, unique in its source.
  public func globalID(of element: NetworkElement) -> String { names.globalID(Int(element.index)) }

  /// Returns the value of an element's network attribute; null if the element has no value.
  ///
  /// - Throws: `unknownName` if there is no such attribute.
  public func attribute(
    _ name: String, of element: NetworkElement
  ) throws(NetworkError) -> FieldValue {
    value(try attributeIndex(name), Int(element.index))
  }

  func value(_ attribute: Int, _ element: Int) -> FieldValue {
    element < junctionCount
      ? names.junctions.attributes[attribute].value(element)
      : names.edges.attributes[attribute].value(element - junctionCount)
  }

  @inline(__always)
  func number(_ attribute: Int, _ element: Int) -> Double? {
    element < junctionCount
      ? names.junctions.attributes[attribute].number(element)
      : names.edges.attributes[attribute].number(element - junctionCount)
  }

  @inline(__always)
  func integer(_ attribute: Int, _ element: Int) -> Int64? {
    element < junctionCount
      ? names.junctions.attributes[attribute].integer(element)
      : names.edges.attributes[attribute].integer(element - junctionCount)
  }

  func attributeIndex(_ name: String) throws(NetworkError) -> Int {
    let attributes = definition.networkAttributes
    if let index = attributes.firstIndex(where: { $0.name == name }) { return index }
    let folded = attributes.indices.filter {
      attributes[$0].name.lowercased() == name.lowercased()
    }
    if folded.count == 1 { return folded[0] }
    throw NetworkError(
      .unknownName,
      "there is no network attribute \(name.printable)"
        + NameSuggestions.advice(name, among: attributes.map(\.name)))
  }

  /// Returns the point of a junction; nil for edges and for junctions without a shape.
  public func point(of element: NetworkElement) -> SIMD2<Double>? {
    guard !isEdge(element) else { return nil }
    let point = points[Int(element.index)]
    return point.x.isNaN ? nil : point
  }

  /// Returns the vertices of an edge; none for junctions and for edges without a shape.
  public func vertices(of element: NetworkElement) -> ArraySlice<SIMD2<Double>> {
    guard isEdge(element) else { return [] }
    let edge = Int(element.index) - junctionCount
    return vertices[(edge == 0 ? 0 : Int(vertexEnds[edge - 1]))..<Int(vertexEnds[edge])]
  }
}
