import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// The coordinates of a view's pixels in another CRS.
///
/// Every eighth pixel is transformed with PROJ. The picture is divided into squares of 16 by 16
/// pixels. If linear interpolation between the corners of a square is accurate at the middle of the
/// square and of its sides, the pixels of the square are interpolated. The pixels of other squares
/// are transformed one by one.
struct PixelLattice: Sendable {
  /// The side of a square in pixels.
  fileprivate static let side = 16
  /// The tolerance of interpolation in pixels.
  private static let tolerance = 0.02

  fileprivate let view: DrawnView
  /// The other CRS; nil if the coordinates are in the view's CRS.
  private let reference: SpatialReference?
  /// The period of x; nil if x is not periodic.
  fileprivate let period: Double?
  /// Whether x is not a longitude. Samplers handle the period of longitudes themselves.
  fileprivate let isProjected: Bool
  /// The number of squares in a row, and of rows of squares.
  private let across, down: Int
  /// The transformed centres of every eighth pixel, row by row; not finite if a centre cannot be
  /// transformed.
  private let nodes: [SIMD2<Double>]

  /// - Parameter reference: the other CRS; nil for a raster without a CRS, which is assumed to be in the
  ///   view's CRS.
  /// - Throws: if PROJ has no transformation to the CRS.
  init(_ view: DrawnView, in reference: SpatialReference?) throws(GeometryError) {
    self.view = view
    let isOther =
      reference.map { $0.isGeoreferenced && !$0.isEquivalent(to: view.reference) } ?? false
    self.reference = isOther ? reference : nil
    period = (reference ?? view.reference).planePeriod
    isProjected = (reference ?? view.reference).isGeographic == false
    across = (view.width + Self.side - 1) / Self.side
    down = (view.height + Self.side - 1) / Self.side
    let (columns, rows) = (across * 2 + 1, down * 2 + 1)
    var (x, y): ([Double], [Double]) = ([], [])
    x.reserveCapacity(columns * rows)
    y.reserveCapacity(columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let center = view.center(column: column * Self.side / 2, row: row * Self.side / 2)
        x.append(center.x)
        y.append(center.y)
      }
    }
    if let other = self.reference {
      try Transformation(from: view.reference, to: other).apply(x: &x, y: &y, count: x.count)
    }
    nodes = zip(x, y).map { SIMD2($0, $1) }
  }

  private func node(_ row: Int, _ column: Int) -> SIMD2<Double> {
    nodes[row * (across * 2 + 1) + column]
  }

  /// The transformed corners of a square, named by their positions in the view.
  fileprivate struct Square {
    var upperLeft, upperRight, lowerLeft, lowerRight: SIMD2<Double>
  }

  /// - Returns: nil if the pixels have to be transformed one by one.
  fileprivate func square(row: Int, column: Int) -> Square? {
    let (top, left) = (row * 2, column * 2)
    let (a, b) = (node(top, left), node(top, left + 2))
    let (c, d) = (node(top + 2, left), node(top + 2, left + 2))
    let margin = min(Self.length(b - a), Self.length(c - a)) / Double(Self.side) * Self.tolerance
    func isNear(_ down: Int, _ right: Int, _ expected: SIMD2<Double>) -> Bool {
      // If a value is not finite, the comparison is false.
      Self.length(node(top + down, left + right) - expected) <= margin
    }
    let isPlain =
      isNear(0, 1, (a + b) / 2) && isNear(1, 0, (a + c) / 2) && isNear(1, 2, (b + d) / 2)
      && isNear(2, 1, (c + d) / 2) && isNear(1, 1, ((a + b) + (c + d)) / 4)
    guard isPlain else { return nil }
    return Square(upperLeft: a, upperRight: b, lowerLeft: c, lowerRight: d)
  }

  private static func length(_ vector: SIMD2<Double>) -> Double {
    (vector * vector).sum().squareRoot()
  }

  /// The pixels, as columns and rows of the view, of all squares that may intersect an extent in the
  /// other CRS; nil for none.
  func pixels(in extent: Envelope) -> PixelWindow? {
    var found: PixelWindow?
    for row in 0..<down {
      for column in 0..<across where mayMeet(extent, row: row, column: column) {
        let square = PixelWindow(
          columns: column * Self.side..<min(view.width, (column + 1) * Self.side),
          rows: row * Self.side..<min(view.height, (row + 1) * Self.side))
        found = found?.joined(square) ?? square
      }
    }
    return found
  }

  private func mayMeet(_ extent: Envelope, row: Int, column: Int) -> Bool {
    guard let square = square(row: row, column: column) else { return true }
    let corners = [square.upperLeft, square.upperRight, square.lowerLeft, square.lowerRight]
    var (low, high) = (corners[0], corners[0])
    for corner in corners {
      low = pointwiseMin(low, corner)
      high = pointwiseMax(high, corner)
    }
    // Add a margin for interpolation and rounding errors.
    let margin = (high - low) * Self.tolerance
    (low, high) = (low - margin, high + margin)
    guard low.y <= extent.yMax, high.y >= extent.yMin else { return false }
    guard let period else { return low.x <= extent.xMax && high.x >= extent.xMin }
    // The extent may be shifted by any whole number of periods.
    return ((high.x - extent.xMin) / period).rounded(.down)
      >= ((low.x - extent.xMax) / period).rounded(.up)
  }

  /// The shortest distance between neighbouring pixels of a window, in the other CRS's units; nil if no
  /// square of the window can be interpolated.
  func step(in window: PixelWindow) -> Double? {
    var minimum: Double?
    for row in window.rows.lowerBound / Self.side...(window.rows.upperBound - 1) / Self.side {
      for column in window.columns.lowerBound / Self.side...(window.columns.upperBound - 1)
        / Self.side
      {
        guard let square = square(row: row, column: column) else { continue }
        let cellSide = min(
          Self.length(square.upperRight - square.upperLeft),
          Self.length(square.lowerLeft - square.upperLeft))
        minimum = min(minimum ?? cellSide, cellSide)
      }
    }
    return minimum.map { $0 / Double(Self.side) }
  }

  /// - Throws: if PROJ has no transformation to the CRS.
  func projector() throws(GeometryError) -> PixelProjector {
    guard let reference else { return PixelProjector(lattice: self, transformation: nil) }
    return PixelProjector(
      lattice: self, transformation: try Transformation(from: view.reference, to: reference))
  }
}

/// Computes the coordinates of pixels with a lattice. The type is not thread-safe; each worker needs a
/// separate instance.
struct PixelProjector {
  fileprivate let lattice: PixelLattice
  /// The transformation from the view's CRS; nil if the coordinates are in the view's CRS.
  fileprivate let transformation: Transformation?

  /// The coordinates of a window's pixels, row by row.
  ///
  /// - Parameter west: the least x of the sampled data, to which periodic x values are shifted; nil
  ///   if the data is not on an affine or rectilinear grid.
  func coordinates(of window: PixelWindow, west: Double?) -> PointProjector.Columns {
    let found = PointProjector.Columns(count: window.count)
    var at = 0
    for row in window.rows {
      var column = window.columns.lowerBound
      while column < window.columns.upperBound {
        let end = min(
          window.columns.upperBound, (column / PixelLattice.side + 1) * PixelLattice.side)
        fill(found, at: at, row: row, columns: column..<end)
        at += end - column
        column = end
      }
    }
    if let period = lattice.period, let west, lattice.isProjected {
      for index in 0..<window.count where found.x.base[index].isFinite {
        found.x.base[index] -= ((found.x.base[index] - west) / period).rounded(.down) * period
      }
    }
    return found
  }

  /// Fills in the coordinates of pixels in one row of one square.
  private func fill(
    _ found: PointProjector.Columns, at start: Int, row: Int, columns: Range<Int>
  ) {
    let (x, y) = (found.x.base + start, found.y.base + start)
    let status = found.status.base + start
    let first = columns.lowerBound / PixelLattice.side
    guard transformation != nil,
      let square = lattice.square(row: row / PixelLattice.side, column: first)
    else {
      for (offset, column) in columns.enumerated() {
        let center = lattice.view.center(column: column, row: row)
        (x[offset], y[offset]) = (center.x, center.y)
      }
      transformation?.apply(x: x, y: y, count: columns.count)
      for offset in 0..<columns.count {
        let isMapped = x[offset].isFinite && y[offset].isFinite
        status[offset] = (isMapped ? SampleStatus.ok : .transformFailed).rawValue
      }
      return
    }
    let share = Double(row % PixelLattice.side) / Double(PixelLattice.side)
    let left = square.upperLeft + (square.lowerLeft - square.upperLeft) * share
    let right = square.upperRight + (square.lowerRight - square.upperRight) * share
    let step = (right - left) / Double(PixelLattice.side)
    for (offset, column) in columns.enumerated() {
      let point = left + step * Double(column - first * PixelLattice.side)
      (x[offset], y[offset]) = (point.x, point.y)
      status[offset] = SampleStatus.ok.rawValue
    }
  }
}

/// A rectangle of a view's pixels.
struct PixelWindow {
  var columns, rows: Range<Int>

  var count: Int { columns.count * rows.count }

  func joined(_ other: PixelWindow) -> PixelWindow {
    PixelWindow(
      columns: min(
        columns.lowerBound, other.columns.lowerBound)..<max(
          columns.upperBound, other.columns.upperBound),
      rows: min(
        rows.lowerBound, other.rows.lowerBound)..<max(rows.upperBound, other.rows.upperBound))
  }
}
