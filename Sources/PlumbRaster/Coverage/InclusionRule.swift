/// The rule for which cells an area includes, and with what weight.
package struct InclusionRule: Sendable, Hashable {
  /// The cells that an area includes.
  package enum Cells: String, Sendable, Hashable, CaseIterable {
    /// Each cell, by the fraction of it that the area covers.
    case exact
    /// Cells whose centre is in the area; a centre on an edge is in the area below it, and to the right of it.
    case center
    /// Cells of which the area covers a part.
    case allTouched
  }

  /// The cells that an area includes.
  package var cells = Cells.exact
  /// The covered fraction below which a cell does not count.
  package var threshold = 0.0

  package init() {}

  /// Whether all cells are weighted by their coverage.
  package var isExact: Bool { cells == .exact && threshold <= 0 }
}
