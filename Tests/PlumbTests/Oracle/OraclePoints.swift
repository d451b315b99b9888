import PlumbTestSupport

/// Points on and off a raster, each with the cell that contains it.
struct OraclePoints {
  private(set) var x: [Double] = []
  private(set) var y: [Double] = []
  /// The column and row of the cell; nil off the raster.
  private(set) var cells: [(column: Int, row: Int)?] = []

  /// The index of the first point on the edges of the grid or off it.
  private(set) var firstOnBorder = 0

  var count: Int { x.count }

  /// Corners, edges and centres of the raster, one cell of each of its blocks, `seeded` points
  /// anywhere on it, and some points outside.
  ///
  /// - Parameter block: the shape of the tiles, so that a batch touches all of them.
  init(
    _ raster: OracleRaster, block: (width: Int, height: Int), seeded: Int,
    using generator: inout SeededGenerator
  ) {
    let (width, height) = (raster.width, raster.height)
    let columns = Set([0, 1, width / 2, width - 2, width - 1].filter { $0 >= 0 && $0 < width })
    let rows = Set([0, 1, height / 2, height - 2, height - 1].filter { $0 >= 0 && $0 < height })
    for row in rows.sorted() {
      for column in columns.sorted() { addInside(raster, column, row, 0.5, 0.5) }
    }
    let blocks = (width / block.width + 1) * (height / block.height + 1)
    if blocks <= 4096 {
      for row in stride(from: 0, to: height, by: block.height) {
        for column in stride(from: 0, to: width, by: block.width) {
          addInside(raster, column, row, 0.25, 0.75)
        }
      }
    }
    for _ in 0..<seeded {
      addInside(
        raster, Int.random(in: 0..<width, using: &generator),
        Int.random(in: 0..<height, using: &generator),
        Double.random(in: 0.02..<0.98, using: &generator),
        Double.random(in: 0.02..<0.98, using: &generator))
    }
    firstOnBorder = count
    addBorders(raster)
  }

  private mutating func add(_ x: Double, _ y: Double, _ cell: (column: Int, row: Int)?) {
    self.x.append(x)
    self.y.append(y)
    cells.append(cell)
  }

  /// A point well within a cell of an affine grid, whose cell is determined by GDAL's mapping. With
  /// control points, the cell is determined by GDAL's inverse mapping.
  private mutating func addInside(
    _ raster: OracleRaster, _ column: Int, _ row: Int, _ across: Double, _ down: Double
  ) {
    guard
      let point = raster.point(column: Double(column) + across, row: Double(row) + down)
    else { return }
    if raster.geotransform != nil {
      add(point.x, point.y, (column, row))
      addShifted(raster, point, (column, row))
      return
    }
    guard let position = raster.transform(point.x, point.y, toGrid: true) else { return }
    let (column, row) = (position.x.rounded(.down), position.y.rounded(.down))
    let isInside =
      column >= 0 && column < Double(raster.width) && row >= 0
      && row < Double(raster.height)
    add(point.x, point.y, isInside ? (Int(column), Int(row)) : nil)
  }

  /// The same point one or two periods of longitude away, if the raster is at most one period wide.
  private mutating func addShifted(
    _ raster: OracleRaster, _ point: (x: Double, y: Double), _ cell: (column: Int, row: Int)
  ) {
    guard let period = raster.period, let c = raster.geotransform,
      Double(raster.width) * c[1].magnitude + Double(raster.height) * c[2].magnitude
        <= period * 1.000001
    else { return }
    let shift = [-2.0, -1, 1, 2][count % 4] * period
    add(point.x + shift, point.y, cell)
  }

  /// A point off the raster, unless it is on the raster after a shift by periods.
  private mutating func addOff(_ raster: OracleRaster, _ x: Double, _ y: Double) {
    guard let c = raster.geotransform, let period = raster.period else { return add(x, y, nil) }
    let determinant = c[1] * c[5] - c[2] * c[4]
    for shift in [-2.0, -1, 1, 2] {
      let (dx, dy) = (x + shift * period - c[0], y - c[3])
      let column = ((dx * c[5] - dy * c[2]) / determinant).rounded(.down)
      let row = ((dy * c[1] - dx * c[4]) / determinant).rounded(.down)
      if column >= 0, row >= 0, column < Double(raster.width), row < Double(raster.height) {
        return add(x, y, (Int(column), Int(row)))
      }
    }
    add(x, y, nil)
  }

  /// Points on the edges of the grid, and points outside of it.
  private mutating func addBorders(_ raster: OracleRaster) {
    guard let c = raster.geotransform else { return }
    let (width, height) = (Double(raster.width), Double(raster.height))
    if c[2] == 0, c[4] == 0 {
      let (right, bottom) = (c[0] + width * c[1], c[3] + height * c[5])
      let (middleX, middleY) = (c[0] + width / 2 * c[1], c[3] + height / 2 * c[5])
      let middle = (column: raster.width / 2, row: raster.height / 2)
      add(c[0], c[3], (0, 0))
      addOff(raster, right, c[3])
      add(c[0], bottom, nil)
      add(right, bottom, nil)
      if raster.width % 2 == 0 { add(middleX, c[3], (middle.column, 0)) }
      if raster.height % 2 == 0 { add(c[0], middleY, (0, middle.row)) }
    }
    for (column, row) in [
      (-0.02, 0.5), (width + 0.02, 0.5), (0.5, -0.02), (0.5, height + 0.02), (-1e7, -1e7),
    ] {
      if let point = raster.point(column: column, row: row) { addOff(raster, point.x, point.y) }
    }
    // Points beyond the range of the period, where the precision of a double is coarser than a
    // cell.
    if let point = raster.point(column: width + 1e9, row: height / 2), raster.period == nil {
      add(point.x, point.y, nil)
    }
    add(.nan, c[3], nil)
    add(c[0], .nan, nil)
    add(.infinity, c[3], nil)
    add(c[0], -.infinity, nil)
  }
}
