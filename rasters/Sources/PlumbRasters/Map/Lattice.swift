/// A north-up grid of square cells in degrees, rows from the top.
struct Lattice {
  /// The upper left corner in degrees.
  var west: Double
  var north: Double
  /// The side of a cell in degrees.
  var cell: Double
  var columns: Int
  var rows: Int

  var count: Int { columns * rows }

  /// - Parameter cellsPerDegree: the resolution; the edges should be whole numbers of cells.
  init(west: Double, south: Double, east: Double, north: Double, cellsPerDegree: Int) {
    self.west = west
    self.north = north
    cell = 1 / Double(cellsPerDegree)
    columns = Int(((east - west) * Double(cellsPerDegree)).rounded())
    rows = Int(((north - south) * Double(cellsPerDegree)).rounded())
  }

  /// The extent of the map of the Cape, which every sample raster except the web Mercator one
  /// covers.
  static func cape(cellsPerDegree: Int) -> Lattice {
    Lattice(
      west: 18.22, south: -34.39, east: 19.24, north: -33.61, cellsPerDegree: cellsPerDegree)
  }

  func isEdge(_ index: Int) -> Bool {
    let (column, row) = (index % columns, index / columns)
    return column == 0 || row == 0 || column == columns - 1 || row == rows - 1
  }

  /// The centre of a cell.
  func center(_ index: Int) -> Vertex {
    Vertex(
      longitude: west + (Double(index % columns) + 0.5) * cell,
      latitude: north - (Double(index / columns) + 0.5) * cell)
  }

  /// The cell that contains a place; the nearest one if the place is outside.
  func index(of place: Vertex) -> Int {
    let column = Int(((place.longitude - west) / cell).rounded(.down))
    let row = Int(((north - place.latitude) / cell).rounded(.down))
    return min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)
  }

  /// The cells that share a side with a cell.
  func sides(_ index: Int) -> [Int] {
    let (column, row) = (index % columns, index / columns)
    var result: [Int] = []
    if row > 0 { result.append(index - columns) }
    if column > 0 { result.append(index - 1) }
    if column < columns - 1 { result.append(index + 1) }
    if row < rows - 1 { result.append(index + columns) }
    return result
  }

  /// The cells that share a side or a corner with a cell.
  func neighbors(_ index: Int) -> [Int] {
    let (column, row) = (index % columns, index / columns)
    var result: [Int] = []
    for y in max(0, row - 1)...min(rows - 1, row + 1) {
      for x in max(0, column - 1)...min(columns - 1, column + 1) where y * columns + x != index {
        result.append(y * columns + x)
      }
    }
    return result
  }
}
