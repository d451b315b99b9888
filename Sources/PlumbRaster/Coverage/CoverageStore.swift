/// The cells of a grid that areas cover, area after area. Cells that are covered completely are
/// stored as runs, so that the size of a large area's coverage depends on its outline.
package struct CoverageStore: Sendable {
  /// Consecutive cells in a row that are covered completely.
  package struct Run: Sendable, Hashable {
    /// The row of the cells, counted from 0.
    package var row: Int32
    /// The first column.
    package var start: Int32
    /// The column after the last one.
    package var end: Int32

    /// Creates a run of cells.
    package init(row: Int32, start: Int32, end: Int32) {
      (self.row, self.start, self.end) = (row, start, end)
    }
  }

  /// A cell that is covered partially.
  package struct Cell: Sendable, Hashable {
    /// The row of the cell, counted from 0.
    package var row: Int32
    /// The column of the cell, counted from 0.
    package var column: Int32
    /// The covered fraction of the cell, between 0 and 1.
    package var fraction: Double

    /// Creates a partially covered cell.
    package init(row: Int32, column: Int32, fraction: Double) {
      (self.row, self.column, self.fraction) = (row, column, fraction)
    }
  }

  /// Whether the coverage of an area is usable, and if not, the reason.
  package enum Condition: Sendable, Hashable {
    /// The coverage is complete.
    case valid
    /// A vertex is not finite, or the area is empty.
    case unusable
    /// The rings overlap or cross, so that some cells would count twice. The area must be repaired.
    case inconsistent
  }

  /// The coverage of one area.
  package struct Area: Sendable {
    /// The range of the area's runs, by row and column.
    package var runs: Range<Int>
    /// The range of the area's partially covered cells, by row and column.
    package var cells: Range<Int>
    /// The planar size of the area in cells, including parts outside of the grid.
    package var size: Double
    /// Whether the area can be used.
    package var condition: Condition
    /// The cells that contain the area; empty if it is outside of the grid.
    package var window: CellWindow
  }

  /// The areas in the order in which they were added.
  package internal(set) var areas: [Area] = []
  /// The runs of all areas.
  package internal(set) var runs: [Run] = []
  /// The partially covered cells of all areas.
  package internal(set) var cells: [Cell] = []

  /// The weight of each partially covered cell in statistics; empty if cells are weighted by their
  /// coverage.
  package internal(set) var weights: [Double] = []
  /// Whether cells are weighted by their coverage.
  package let isExact: Bool

  /// Creates an empty store.
  ///
  /// - Parameter isExact: whether cells are weighted by their coverage.
  package init(isExact: Bool = true) { self.isExact = isExact }

  /// The runs and cells of areas from a file.
  package struct Content: Sendable {
    /// The runs of all areas, by row and column within an area.
    package var runs: [Run] = []
    /// The partially covered cells of all areas, by row and column within an area.
    package var cells: [Cell] = []
    /// The weights of the cells, unless cells are weighted by their coverage.
    package var weights: [Double] = []
    private var areas: [Area] = []
    /// Whether cells are weighted by their coverage.
    package let isExact: Bool

    /// Creates content without areas.
    package init(isExact: Bool) { self.isExact = isExact }

    /// Ends an area. The runs and cells that were added after the previous area belong to it.
    package mutating func endArea(size: Double, condition: Condition, window: CellWindow) {
      areas.append(
        Area(
          runs: (areas.last?.runs.upperBound ?? 0)..<runs.count,
          cells: (areas.last?.cells.upperBound ?? 0)..<cells.count, size: size,
          condition: condition, window: window))
    }

    /// The coverage of the areas.
    package var store: CoverageStore {
      var store = CoverageStore(isExact: isExact)
      (store.areas, store.runs, store.cells, store.weights) = (areas, runs, cells, weights)
      return store
    }
  }

  /// The size of the stored coverage in bytes.
  package var byteCount: Int {
    areas.count * MemoryLayout<Area>.stride + runs.count * MemoryLayout<Run>.stride
      + cells.count * MemoryLayout<Cell>.stride + weights.count * MemoryLayout<Double>.stride
  }

  /// The sum of the covered fractions of an area's cells.
  package func total(of area: Int) -> Double {
    let area = areas[area]
    let whole = runs[area.runs].reduce(0) { $0 + Int($1.end - $1.start) }
    return Double(whole) + cells[area.cells].reduce(0) { $0 + $1.fraction }
  }
}
