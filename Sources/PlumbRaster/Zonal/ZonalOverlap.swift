/// The cells that several files of a raster contain. For each of these cells, the first file with a
/// value is used.
struct ZonalOverlap {
  /// The windows of these cells that earlier files contain, and the windows that later files
  /// contain.
  var earlier: [CellWindow] = []
  var later: [CellWindow] = []
  /// The cells whose values have been read from earlier files.
  private var known: Set<SIMD2<Int>> = []

  func isEarlier(row: Int, column: Int) -> Bool {
    earlier.contains { $0.contains(row: row, column: column) }
  }

  func isKnown(row: Int, column: Int) -> Bool { known.contains(SIMD2(column, row)) }

  /// Adds a cell that has a value in the current file.
  mutating func add(row: Int, column: Int) {
    if later.contains(where: { $0.contains(row: row, column: column) }) {
      known.insert(SIMD2(column, row))
    }
  }
}
