import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A grid whose cells have individual centres. A point belongs to the cell with the nearest centre, if the distance is
/// at most 1.5 times the spacing of the centres there.
///
/// If the coordinates are longitudes and latitudes, distances are those on a sphere. The centres
/// are in a tree of blocks of cells. Each block stores the box that contains the centres of its
/// cells, so that most blocks can be skipped.
package final class CurvilinearGrid: Sendable {
  private let width: Int
  private let height: Int
  private let isInDegrees: Bool
  /// The centres row by row: points of the unit sphere, or planar coordinates with z = 0. NaN for cells without a centre.
  private let centres: TrivialBuffer<Vector>
  /// The levels of the tree, from the blocks of cells to the single block of the last level.
  private let levels: [Level]

  private typealias Vector = SIMD3<Double>

  private struct Level: Sendable {
    var width: Int
    var height: Int
    /// The box around the centres of each block.
    var boxes: TrivialBuffer<Box>
  }

  /// The bounding box of some centres. Without centres, `low` is positive infinity and `high` is
  /// negative infinity.
  private struct Box {
    var low = Vector(repeating: .infinity)
    var high = Vector(repeating: -.infinity)

    mutating func add(_ low: Vector, _ high: Vector) {
      self.low = pointwiseMin(self.low, low)
      self.high = pointwiseMax(self.high, high)
    }

    /// The square of the distance from a point to the box.
    @inline(__always)
    func square(from point: Vector) -> Double {
      CurvilinearGrid.square(pointwiseMax(pointwiseMax(low - point, point - high), Vector()))
    }

    /// Four times the square of the distance from a point to the middle of the box.
    @inline(__always)
    func middleSquare(from point: Vector) -> Double {
      CurvilinearGrid.square(low + high - 2 * point)
    }
  }

  /// The maximum number of cells. The centres of more cells would take more than 1 GiB.
  package static let largestCount = 1 << 25
  private static let blockSize = 4
  /// The maximum distance from a centre to a point of its cell, in spacings of the centres.
  private static let reach = 1.5

  /// - Parameters:
  ///   - x: the longitudes or eastings of the centres, row by row. NaN for a cell without a centre.
  ///   - y: the latitudes or northings.
  ///   - isInDegrees: whether the coordinates are longitudes and latitudes in degrees.
  /// - Returns: nil if no cell has a centre.
  package init?(width: Int, height: Int, x: [Double], y: [Double], isInDegrees: Bool) {
    guard width > 0, height > 0, x.count == width * height, y.count == x.count else { return nil }
    (self.width, self.height, self.isInDegrees) = (width, height, isInDegrees)
    centres = TrivialBuffer(count: x.count)
    var hasCentre = false
    for index in x.indices {
      let centre = Self.vector(x[index], y[index], isInDegrees)
      centres.base[index] = centre
      if !centre.x.isNaN { hasCentre = true }
    }
    guard hasCentre else { return nil }
    var levels = [Self.leaves(centres, width, height)]
    while let last = levels.last, last.width * last.height > 1 { levels.append(Self.parents(last)) }
    self.levels = levels
  }

  /// The position in space of a point; NaN if the coordinates are invalid.
  private static func vector(_ x: Double, _ y: Double, _ isInDegrees: Bool) -> Vector {
    guard x.isFinite, y.isFinite else { return Vector(repeating: .nan) }
    guard isInDegrees else { return Vector(x, y, 0) }
    guard y.magnitude <= 90, x.magnitude <= 1080 else { return Vector(repeating: .nan) }
    let (longitude, latitude) = (x * .pi / 180, y * .pi / 180)
    return Vector(
      cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }

  // MARK: The tree

  private static func leaves(
    _ centres: TrivialBuffer<Vector>, _ width: Int, _ height: Int
  ) -> Level {
    let (across, down) = (
      (width + blockSize - 1) / blockSize, (height + blockSize - 1) / blockSize
    )
    let level = Level(width: across, height: down, boxes: TrivialBuffer(count: across * down))
    for block in 0..<across * down {
      let columns = block % across * blockSize..<min(width, (block % across + 1) * blockSize)
      let rows = block / across * blockSize..<min(height, (block / across + 1) * blockSize)
      var box = Box()
      for row in rows {
        for column in columns {
          let centre = centres.base[row * width + column]
          if !centre.x.isNaN { box.add(centre, centre) }
        }
      }
      level.boxes.base[block] = box
    }
    return level
  }

  private static func parents(_ children: Level) -> Level {
    let (across, down) = ((children.width + 1) / 2, (children.height + 1) / 2)
    let level = Level(width: across, height: down, boxes: TrivialBuffer(count: across * down))
    for block in 0..<across * down {
      var box = Box()
      let (column, row) = (block % across * 2, block / across * 2)
      for child in 0..<4
      where column + child % 2 < children.width && row + child / 2 < children.height {
        let other = children.boxes.base[(row + child / 2) * children.width + column + child % 2]
        box.add(other.low, other.high)
      }
      level.boxes.base[block] = box
    }
    return level
  }

  // MARK: Search

  /// Converts points to grid positions in place. The coordinates of a point without a cell become NaN.
  ///
  /// A position is in the cell with the nearest centre. The fraction of the position describes the
  /// location of the point between the centres of the neighbouring cells.
  package func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) {
    let blocks = levels.map {
      Blocks(width: $0.width, height: $0.height, boxes: UnsafePointer($0.boxes.base))
    }
    blocks.withUnsafeBufferPointer { blocks in
      var search = Search(
        centres: UnsafePointer(centres.base), width: width, height: height, blocks: blocks)
      for index in 0..<count {
        let point = Self.vector(x[index], y[index], isInDegrees)
        (x[index], y[index]) = (.nan, .nan)
        guard !point.x.isNaN else { continue }
        guard let position = position(of: point, in: search.nearest(point)) else { continue }
        (x[index], y[index]) = position
      }
    }
  }

  /// The blocks of a level. The pointer does not own them, so that a search does not count
  /// references.
  private struct Blocks {
    let width: Int
    let height: Int
    let boxes: UnsafePointer<Box>
  }

  /// A search for the nearest centres of points. The centres and the blocks must outlive it.
  private struct Search {
    let centres: UnsafePointer<Vector>
    let width: Int
    let height: Int
    let blocks: UnsafeBufferPointer<Blocks>
    private var point = Vector()
    /// The nearest cell found so far, and the square of its distance.
    private var best = -1
    private var square = Double.infinity

    init(
      centres: UnsafePointer<Vector>, width: Int, height: Int,
      blocks: UnsafeBufferPointer<Blocks>
    ) {
      (self.centres, self.width, self.height, self.blocks) = (centres, width, height, blocks)
    }

    /// The cell with the nearest centre; if there are several, the first of them.
    mutating func nearest(_ point: Vector) -> Int {
      self.point = point
      // Neighbouring points are often in the same cell or in nearby cells.
      square = best < 0 ? .infinity : CurvilinearGrid.square(point - centres[best])
      search(blocks.count - 1, 0)
      return best
    }

    private mutating func search(_ level: Int, _ block: Int) {
      guard level > 0 else { return searchCells(block) }
      let below = blocks[level - 1]
      let (row, column) = block.quotientAndRemainder(dividingBy: blocks[level].width)
      let first = 2 * row * below.width + 2 * column
      let (across, down) = (
        min(2, below.width - 2 * column), min(2, below.height - 2 * row)
      )
      // The block whose middle is nearest is searched first, so that most other blocks are then too
      // far away to be searched.
      var (nearest, least) = (first, Double.infinity)
      for row in 0..<down {
        for index in first + row * below.width..<first + row * below.width + across {
          let other = below.boxes[index].middleSquare(from: point)
          if other < least { (nearest, least) = (index, other) }
        }
      }
      if below.boxes[nearest].square(from: point) <= square { search(level - 1, nearest) }
      for row in 0..<down {
        for index in first + row * below.width..<first + row * below.width + across
        where index != nearest && below.boxes[index].square(from: point) <= square {
          search(level - 1, index)
        }
      }
    }

    private mutating func searchCells(_ block: Int) {
      let (row, column) = block.quotientAndRemainder(dividingBy: blocks[0].width)
      let size = CurvilinearGrid.blockSize
      let (left, right) = (column * size, min(width, (column + 1) * size))
      for row in row * size..<min(height, (row + 1) * size) {
        for index in row * width + left..<row * width + right {
          let other = CurvilinearGrid.square(point - centres[index])
          // The comparison is false for NaN.
          if other < square || other == square && index < best { (best, square) = (index, other) }
        }
      }
    }
  }

  @inline(__always)
  private static func square(_ vector: Vector) -> Double {
    vector.x * vector.x + vector.y * vector.y + vector.z * vector.z
  }

  // MARK: Positions

  /// The difference between the centres of neighbouring cells in a direction; nil if there is no
  /// neighbour.
  private func step(_ index: Int, _ offset: Int, _ place: Int, _ count: Int) -> Vector? {
    let centre = centres.base[index]
    var step: Vector?
    // The comparison is false if the square is NaN.
    if place > 0 {
      let before = centre - centres.base[index - offset]
      if Self.square(before) > 0 { step = before }
    }
    if place + 1 < count {
      let after = centres.base[index + offset] - centre
      // Across a seam, the distance to one neighbour is much longer than the distance to the other.
      if Self.square(after) > 0, step.map({ Self.square(after) < Self.square($0) }) ?? true {
        step = after
      }
    }
    return step
  }

  /// The grid position of a point in a cell; nil if the point is too far from the centre.
  private func position(of point: Vector, in index: Int) -> (x: Double, y: Double)? {
    let (column, row) = (index % width, index / width)
    let across = step(index, 1, column, width)
    let down = step(index, width, row, height)
    let offset = point - centres.base[index]
    let spacing = max(
      across.map(Self.square) ?? 0, down.map(Self.square) ?? 0)
    guard Self.square(offset) <= Self.reach * Self.reach * spacing else { return nil }
    let (u, v) = Self.fractions(offset, across, down)
    return (Double(column) + 0.5 + u, Double(row) + 0.5 + v)
  }

  /// An offset in columns and rows, given the steps to the next column and to the next row. The
  /// result is limited to the cell.
  private static func fractions(
    _ offset: Vector, _ across: Vector?, _ down: Vector?
  ) -> (Double, Double) {
    func limited(_ value: Double) -> Double {
      value.isNaN ? 0 : min(max(value, -0.5), 0.499_999_999)
    }
    switch (across, down) {
    case (let a?, let b?):
      let (aa, ab, bb) = ((a * a).sum(), (a * b).sum(), (b * b).sum())
      let (ao, bo) = ((a * offset).sum(), (b * offset).sum())
      let determinant = aa * bb - ab * ab
      guard determinant > 1e-12 * aa * bb else { return (0, 0) }
      return (
        limited((ao * bb - bo * ab) / determinant), limited((bo * aa - ao * ab) / determinant)
      )
    case (let a?, nil): return (limited((a * offset).sum() / square(a)), 0)
    case (nil, let b?): return (0, limited((b * offset).sum() / square(b)))
    case (nil, nil): return (0, 0)
    }
  }

  /// Converts grid positions to points in place, by interpolation between the centres of the cells.
  /// All longitudes are within 180° of the first.
  package func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) {
    var first = Double.nan
    for index in 0..<count {
      let (column, row) = (x[index] - 0.5, y[index] - 0.5)
      (x[index], y[index]) = (.nan, .nan)
      guard column.isFinite, row.isFinite else { continue }
      let point = point(column: column, row: row)
      guard !point.x.isNaN else { continue }
      guard isInDegrees else {
        (x[index], y[index]) = (point.x, point.y)
        continue
      }
      let longitude = atan2(point.y, point.x) * 180 / .pi
      if first.isNaN { first = longitude }
      x[index] = longitude + 360 * ((first - longitude) / 360).rounded()
      y[index] = atan2(point.z, (point.x * point.x + point.y * point.y).squareRoot()) * 180 / .pi
    }
  }

  /// The point in space at a grid position. The grid position of a cell's centre is the index of its
  /// column and the index of its row.
  private func point(column: Double, row: Double) -> Vector {
    let left = Int(min(max(column.rounded(.down), 0), Double(max(0, width - 2))))
    let top = Int(min(max(row.rounded(.down), 0), Double(max(0, height - 2))))
    let right = min(left + 1, width - 1)
    let bottom = min(top + 1, height - 1)
    let (u, v) = (column - Double(left), row - Double(top))
    func along(_ row: Int) -> Vector {
      let (a, b) = (centres.base[row * width + left], centres.base[row * width + right])
      return a + (b - a) * u
    }
    let (a, b) = (along(top), along(bottom))
    return a + (b - a) * v
  }
}
