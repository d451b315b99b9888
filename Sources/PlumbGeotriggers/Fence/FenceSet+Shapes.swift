import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// The areas that are used, but may not hold what was meant: rings that cross, or have no area.
  ///
  /// - Complexity: O(*n* log *n*) in the vertices.
  public func shapeWarnings(workers: Workers = Workers()) -> [FenceWarning] {
    guard region == nil else { return [] }
    let unusable = Set(warnings.map(\.fence))
    let areas = fences.indices.filter {
      fences[$0].geometry.dimension == 2 && !unusable.contains($0)
    }
    let flaws = GeometryEngine.flaws(of: areas.map { fences[$0].geometry }, workers: workers)
    return flaws.map { flaw in
      let fence = fences[areas[flaw.index]]
      return FenceWarning(
        fence: areas[flaw.index], id: fence.label,
        message: "its area is not well formed: "
          + flaw.reason)
    }
  }
}

extension Fence {
  /// What warnings call it: its id, and its name where that says more.
  fileprivate var label: String { name.isEmpty || name == id ? id : "\(id) (\(name))" }
}
