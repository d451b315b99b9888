import PlumbCore
import PlumbGeometry
import PlumbNetwork

extension OpenedNetwork {
  /// The maximum number of elements of a network for which near misses are determined on opening.
  private static let searchLimit = 200_000

  /// Returns the network with added warnings about points that touch no line, near misses and
  /// unconnected controllers.
  ///
  /// - Parameter tolerance: the distance within which elements were connected.
  package func checked(tolerance: Double) -> OpenedNetwork {
    var result = self
    result.nearness = max(4 * tolerance, halfMetre)
    let loose = network.looseParts(
      nearness: network.elementCount > Self.searchLimit ? 0 : result.nearness)
    if let line = warning(of: loose) { result.warnings.append(line) }
    return result
  }

  /// Half a metre in the unit of the coordinates; a fraction of the extent if the unit is unknown.
  private var halfMetre: Double {
    if let reference = spatialReference {
      let factor = reference.unit.factor
      guard factor > 0, factor.isFinite else { return 0 }
      return (reference.isGeographic ? 0.5 / 6_371_008.8 : 0.5) / factor
    }
    var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
    for element in network.elements {
      for vertex in network.vertices(of: element) {
        (low, high) = (pointwiseMin(low, vertex), pointwiseMax(high, vertex))
      }
    }
    let size = high - low
    return size.x.isFinite && size.y.isFinite ? (size * size).sum().squareRoot() * 1e-5 : 0
  }

  private func warning(of loose: UnconnectedParts) -> String? {
    func count(_ number: Int, _ one: String, _ more: String) -> String {
      number == 1 ? "1 \(one)" : "\(number) \(more)"
    }
    var parts: [String] = []
    if let first = loose.points.first {
      parts.append(
        count(loose.points.count, "point touches no line", "points touch no line")
          + " (\(network.name(of: first))\(loose.points.count > 1 ? ", …" : ""))")
    }
    if let first = loose.controllers.first {
      parts.append(
        count(
          loose.controllers.count, "controller is off the network",
          "controllers are off the network")
          + " (\(network.name(of: first))\(loose.controllers.count > 1 ? ", …" : ""))")
    }
    if let first = loose.nearMisses.first {
      parts.append(
        count(loose.nearMisses.count, "near miss", "near misses")
          + " (\(text(of: first))\(loose.nearMisses.count > 1 ? ", …" : ""))")
    }
    return parts.isEmpty ? nil : "\(path.printable): \(parts.joined(separator: "; "))"
  }

  /// Returns a description such as `pipe:P ends 0.02 from valve:V`.
  package func text(of miss: UnconnectedParts.NearMiss) -> String {
    let verb = network.isEdge(miss.element) ? "ends" : "lies"
    return "\(network.name(of: miss.element)) \(verb) \(miss.distance) from "
      + "\(network.name(of: miss.neighbor)) at \(miss.point.x),\(miss.point.y)"
  }
}
