import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// Returns warnings about areas that are used, but may not be what the user intended. The rings
  /// of such areas cross, have zero area, or extend around the Earth in the longer direction.
  ///
  /// - Complexity: O(*n* log *n*) in the number of vertices.
  public func shapeWarnings(workers: Workers = Workers()) -> [FenceWarning] {
    guard region == nil else { return [] }
    let unusable = Set(warnings.map(\.fence))
    let areas = fences.indices.filter {
      fences[$0].geometry.dimension == 2 && !unusable.contains($0)
    }
    let flaws = GeometryEngine.flaws(of: areas.map { fences[$0].geometry }, workers: workers)
    var found = flaws.map { flaw in
      let fence = fences[areas[flaw.index]]
      return FenceWarning(
        fence: areas[flaw.index], id: fence.label,
        message: "its area is not well formed: "
          + flaw.reason)
    }
    let long = LongEdges(in: reference)
    for index in areas {
      guard let reason = long.reason(of: fences[index].geometry) else { continue }
      found.append(FenceWarning(fence: index, id: fences[index].label, message: reason))
    }
    return found
  }
}

extension FenceSet {
  /// A one-line warning if the transformation of locations to the fences' CRS may be less accurate than the
  /// CRSs allow; nil if there is none.
  public var transformationWarning: String? {
    guard region == nil, !reference.isEquivalent(to: .wgs84) else { return nil }
    let corners = fences.flatMap { $0.geometry.envelope.corners }
    return Transformation.warning(from: .wgs84, to: reference, around: corners, in: reference)
  }
}

extension Fence {
  /// The fence's label in warnings, which contains the id, and the name if it is different.
  fileprivate var label: String { name.isEmpty || name == id ? id : "\(id) (\(name))" }
}
