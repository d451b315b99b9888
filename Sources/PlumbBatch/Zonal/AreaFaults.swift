import PlumbCore

/// Counts the areas that had to be repaired, and the areas without statistics.
struct AreaFaults {
  private var repairs = 0
  private var bad = 0
  private var transforms = 0

  /// Adds the number of groups with areas that had to be repaired, and the number of areas that
  /// could not be joined.
  mutating func add(_ groups: (repairs: Int, faults: Int)) {
    repairs += groups.repairs
    bad += groups.faults
  }

  /// Adds the repairs and faults of features that have been placed on each grid.
  mutating func add(_ placed: [ZonalAreas]) {
    guard let first = placed.first else { return }
    repairs += first.repairCount
    bad += first.faults.count { $0 == .badArea }
    transforms += first.faults.indices.count { index in
      placed.contains { $0.faults[index] == .transformFailed }
    }
  }

  /// A line for each kind of fault that occurred.
  var warnings: [MessageTemplate] {
    var lines: [MessageTemplate] = []
    if repairs > 0 {
      lines.append(
        "\(repairs) area\(repairs == 1 ? " was" : "s were") repaired, because edges cross")
    }
    if bad > 0 {
      lines.append(
        "\(bad) feature\(bad == 1 ? " has" : "s have") no area that can be used: no shape, a damaged shape, or a "
          + "collection of shapes of several kinds (points, lines, areas)")
    }
    if transforms > 0 {
      lines.append(
        "\(transforms) area\(transforms == 1 ? "" : "s") cannot be transformed to a raster's CRS")
    }
    return lines
  }
}
