/// Determines which cells an area includes, and their weights.
package struct InclusionRule: Sendable, Hashable {
  /// The cells that an area includes.
  package enum Cells: String, Sendable, Hashable, CaseIterable {
    /// All cells that the area covers at least partly, weighted by the covered fraction.
    case exact
    /// Cells whose centre is in the area. A centre on an edge belongs to the area below the edge or
    /// to the right of it.
    case center
    /// All cells that the area covers at least partly, with equal weights.
    case allTouched
  }

  /// The cells that an area includes.
  package var cells = Cells.exact
  /// Cells with a smaller covered fraction do not count.
  package var threshold = 0.0

  package init() {}

  /// Whether all cells are weighted by their coverage.
  package var isExact: Bool { cells == .exact && threshold <= 0 }
}
