import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbNetwork

extension OpenedNetwork {
  /// The location in a network of a feature that was identified on a map.
  public struct IdentifiedLocation: Sendable {
    /// The location in the network. On an edge, the location is the point of the edge nearest to
    /// the identified point. For a device with several terminals, the location has no terminal.
    public var location: TraceLocation
    /// The terminals to choose from; empty if there is no choice.
    public var terminals: [Terminal]

    /// Returns the location at the terminal with the given name or number. Returns the location
    /// unchanged if there is no choice of terminals.
    ///
    /// - Throws: `terminalMissing` with the existing terminals.
    public func at(terminal name: String) throws(NetworkError) -> TraceLocation {
      guard !terminals.isEmpty else { return location }
      let terminal =
        terminals.first { $0.name == name }
        ?? terminals.first { $0.name.lowercased() == name.lowercased() }
        ?? terminals.first { String($0.id) == name }
      guard let terminal else {
        throw NetworkError(
          .terminalMissing,
          "there is no terminal \(name.printable)"
            + NameSuggestions.list(terminals.map(\.name.printable)))
      }
      var location = location
      location.terminalID = terminal.id
      return location
    }
  }

  /// Converts a feature identified on a map to a starting location or a barrier.
  ///
  /// - Parameters:
  ///   - feature: the feature as the map returned it.
  ///   - point: the identified point, which determines the location along an edge.
  ///   - source: the name of the feature's network source; nil if only one source has the feature's id.
  ///   - idField: the field of the feature's global id, case-insensitive.
  /// - Throws: if the feature has no id, or the network has no element or several elements with the
  ///   id.
  public func location(
    of feature: IdentifiedFeature, near point: Point, source: String? = nil,
    idField: String = "GLOBALID"
  ) throws -> IdentifiedLocation {
    let id = feature.attributes.first { $0.name.lowercased() == idField.lowercased() }?.value
    guard let id, id != .null else {
      throw NetworkError(
        .unknownElement, "the identified feature has no field \(idField.printable) with an id")
    }
    let name = (source.map { $0 + ":" } ?? "") + id.text
    var location = TraceLocation(try ElementReference(network).element(name))
    guard !network.isEdge(location.element) else {
      location.fractionAlongEdge = network.fraction(
        along: location.element, nearestTo: try layerPoint(point))
      return IdentifiedLocation(location: location, terminals: [])
    }
    let terminals = network.describe(location.element).terminals
    return IdentifiedLocation(location: location, terminals: terminals.count > 1 ? terminals : [])
  }

  /// The point in the network's CRS.
  private func layerPoint(_ point: Point) throws -> SIMD2<Double> {
    guard let spatialReference, point.spatialReference != nil,
      case .point(let projected) = try GeometryEngine.project(.point(point), to: spatialReference)
    else { return SIMD2(point.x, point.y) }
    return SIMD2(projected.x, projected.y)
  }
}
