import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbNetwork

extension OpenedNetwork {
  /// Where a trace meets a feature that was identified on a map.
  public struct IdentifiedLocation: Sendable {
    /// Of an edge: the point along it that is nearest to the point that was asked. Of a device with
    /// several terminals: without one.
    public var location: TraceLocation
    /// Those to choose from; empty where there is nothing to choose.
    public var terminals: [Terminal]

    /// The location at one of the terminals, by name or number; as it is when there is nothing to
    /// choose.
    ///
    /// - Throws: `terminalMissing` with the terminals there are.
    public func at(terminal name: String) throws(NetworkError) -> TraceLocation {
      guard !terminals.isEmpty else { return location }
      let terminal =
        terminals.first { $0.name == name }
        ?? terminals.first { $0.name.lowercased() == name.lowercased() }
        ?? terminals.first { String($0.id) == name }
      guard let terminal else {
        let names = terminals.map(\.name.printable).joined(separator: ", ")
        throw NetworkError(
          .terminalMissing, "there is no terminal \(name.printable); there are \(names)")
      }
      var location = location
      location.terminalID = terminal.id
      return location
    }
  }

  /// Turns a feature that was identified on a map into a starting location or a barrier.
  ///
  /// - Parameters:
  ///   - feature: as the map gave it.
  ///   - point: where the map was asked; nearest on an edge counts from there.
  ///   - source: the network source that has the feature, by name; nil where only one has its id.
  ///   - idField: the field of the feature's global id, in any case.
  /// - Throws: when the feature has no id, or the network no element of that id, or several.
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
        along: location.element, nearestTo: try own(point))
      return IdentifiedLocation(location: location, terminals: [])
    }
    let terminals = network.describe(location.element).terminals
    return IdentifiedLocation(location: location, terminals: terminals.count > 1 ? terminals : [])
  }

  /// A point in the network's reference.
  private func own(_ point: Point) throws -> SIMD2<Double> {
    guard let spatialReference, point.spatialReference != nil,
      case .point(let own) = try GeometryEngine.project(.point(point), to: spatialReference)
    else { return SIMD2(point.x, point.y) }
    return SIMD2(own.x, own.y)
  }
}
