/// The cells that several files of a raster contain. The first file with a value in any of the requested bands
/// provides the values of a cell in all bands.
struct ZonalOverlap {
  /// The windows of the cells that earlier files also contain.
  var earlier: [CellWindow] = []
  /// The windows of the cells that later files also contain.
  var later: [CellWindow] = []
  /// The number of the current file.
  var file = 0
  /// The files of the cells that have a value.
  private var files: [SIMD2<Int>: Int] = [:]
  /// Whether a file could not be read in one of several bands. The files of cells are then unknown in all bands.
  var hasReadError = false
  /// Whether `files` contains all cells before values are read, because there are several bands.
  private(set) var isComplete = false

  func isEarlier(row: Int, column: Int) -> Bool {
    earlier.contains { $0.contains(row: row, column: column) }
  }

  /// Whether another file provides the values of a cell.
  func isElsewhere(row: Int, column: Int) -> Bool {
    files[SIMD2(column, row)].map { $0 != file } ?? false
  }

  /// Adds a cell that has a value in the current file.
  mutating func add(row: Int, column: Int) {
    guard !isComplete, later.contains(where: { $0.contains(row: row, column: column) }) else {
      return
    }
    let cell = SIMD2(column, row)
    if files[cell] == nil { files[cell] = file }
  }

  /// Marks the files of all cells as known.
  mutating func complete() { isComplete = true }
}

/// Finds the cells of a tile that have a value in a band and that later files also contain.
struct ZonalOverlapScan: ValidityVisitor {
  let scan: ZonalScan
  let overlap: UnsafeMutablePointer<ZonalOverlap>

  func visit<Test: ValidityTest>(_ test: Test) {
    scan.forEachValue(test) { row, column in overlap.pointee.add(row: row, column: column) }
  }
}
