import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A grid whose cells have individual centres. A point belongs to the cell with the nearest centre, if the distance is
/// at most 1.5 times the spacing of the centres there.
///
/// Distances are those on a sphere if the coordinates are longitudes and latitudes. The centres are in a tree of blocks
/// of cells: each block knows a sphere that contains the centres of its cells, so that most blocks are skipped.
package final class CurvilinearGrid: Sendable {
  private let width: Int
  private let height: Int
  private let isInDegrees: Bool
  /// The centres row by row: points of the unit sphere, or planar coordinates with z = 0. NaN for cells without a centre.
  private let centres: TrivialBuffer<Vector>
  /// The levels of the tree, from blocks of cells to the only block of the last level.
  private let levels: [Level]

  private typealias Vector = SIMD3<Double>

  private struct Level: Sendable {
    var width: Int
    var height: Int
    /// The middle (x, y, z) and the radius (w) of each block; the radius is negative without centres.
    var spheres: TrivialBuffer<SIMD4<Double>>
  }

  /// The maximum number of cells; the centres of more would take more than 1 GiB.
  package static let largestCount = 1 << 25
  private static let blockSize = 8
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
    let level = Level(width: across, height: down, spheres: TrivialBuffer(count: across * down))
    for block in 0..<across * down {
      let columns = block % across * blockSize..<min(width, (block % across + 1) * blockSize)
      let rows = block / across * blockSize..<min(height, (block / across + 1) * blockSize)
      var (low, high) = (Vector(repeating: .infinity), Vector(repeating: -.infinity))
      for row in rows {
        for column in columns {
          let centre = centres.base[row * width + column]
          guard !centre.x.isNaN else { continue }
          low = pointwiseMin(low, centre)
          high = pointwiseMax(high, centre)
        }
      }
      level.spheres.base[block] = sphere(low, high)
    }
    return level
  }

  private static func parents(_ children: Level) -> Level {
    let (across, down) = ((children.width + 1) / 2, (children.height + 1) / 2)
    let level = Level(width: across, height: down, spheres: TrivialBuffer(count: across * down))
    for block in 0..<across * down {
      var (low, high) = (Vector(repeating: .infinity), Vector(repeating: -.infinity))
      let (column, row) = (block % across * 2, block / across * 2)
      for child in 0..<4
      where column + child % 2 < children.width && row + child / 2 < children.height {
        let index = (row + child / 2) * children.width + column + child % 2
        let sphere = children.spheres.base[index]
        guard sphere.w >= 0 else { continue }
        let middle = Vector(sphere.x, sphere.y, sphere.z)
        low = pointwiseMin(low, middle - sphere.w)
        high = pointwiseMax(high, middle + sphere.w)
      }
      level.spheres.base[block] = sphere(low, high)
    }
    return level
  }

  /// The sphere around a box. It is widened, so that rounding excludes no centre.
  private static func sphere(_ low: Vector, _ high: Vector) -> SIMD4<Double> {
    guard low.x <= high.x else { return SIMD4(0, 0, 0, -1) }
    let middle = (low + high) / 2
    let radius = length(high - low) / 2
    return SIMD4(middle, radius * (1 + 1e-12) + 1e-15 * length(middle))
  }

  @inline(__always)
  private static func length(_ vector: Vector) -> Double { (vector * vector).sum().squareRoot() }

  // MARK: Search

  /// Converts points to grid positions in place. The coordinates of a point without a cell become NaN.
  ///
  /// A position is in the cell with the nearest centre; its fraction is the place of the point between the centres of
  /// the neighbouring cells.
  package func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) {
    var last = -1
    for index in 0..<count {
      let point = Self.vector(x[index], y[index], isInDegrees)
      (x[index], y[index]) = (.nan, .nan)
      guard !point.x.isNaN else { continue }
      // Neighbouring points often have the same cell, or one nearby.
      last = nearest(point, from: last)
      guard let position = position(of: point, in: last) else { continue }
      (x[index], y[index]) = position
    }
  }

  /// The cell with the nearest centre; the first of several.
  ///
  /// - Parameter guess: a cell with a centre that may be near; negative for none.
  private func nearest(_ point: Vector, from guess: Int) -> Int {
    var best = guess
    var bestSquare = guess < 0 ? Double.infinity : Self.square(point - centres.base[guess])
    search(levels.count - 1, 0, point, &best, &bestSquare)
    return best
  }

  private func search(
    _ number: Int, _ block: Int, _ point: Vector, _ best: inout Int, _ bestSquare: inout Double
  ) {
    let level = levels[number]
    guard number > 0 else { return searchCells(block, point, &best, &bestSquare) }
    let below = levels[number - 1]
    let (column, row) = (block % level.width * 2, block / level.width * 2)
    // The children with the least distance first.
    var (blocks, bounds) = (SIMD4<Int>(repeating: -1), SIMD4<Double>(repeating: .infinity))
    for child in 0..<4 where column + child % 2 < below.width && row + child / 2 < below.height {
      let index = (row + child / 2) * below.width + column + child % 2
      let sphere = below.spheres.base[index]
      guard sphere.w >= 0 else { continue }
      blocks[child] = index
      bounds[child] =
        max(0, Self.length(point - Vector(sphere.x, sphere.y, sphere.z)) - sphere.w)
    }
    for _ in 0..<4 {
      let least = bounds.min()
      guard least * least <= bestSquare, least < .infinity else { return }
      var child = 0
      while bounds[child] != least { child += 1 }
      bounds[child] = .infinity
      search(number - 1, blocks[child], point, &best, &bestSquare)
    }
  }

  private func searchCells(
    _ block: Int, _ point: Vector, _ best: inout Int, _ bestSquare: inout Double
  ) {
    let across = levels[0].width
    let columns =
      block % across * Self.blockSize..<min(width, (block % across + 1) * Self.blockSize)
    let rows = block / across * Self.blockSize..<min(height, (block / across + 1) * Self.blockSize)
    for row in rows {
      for column in columns {
        let index = row * width + column
        let square = Self.square(point - centres.base[index])
        // NaN is not less.
        if square < bestSquare || square == bestSquare && index < best {
          (best, bestSquare) = (index, square)
        }
      }
    }
  }

  @inline(__always)
  private static func square(_ vector: Vector) -> Double { (vector * vector).sum() }

  // MARK: Positions

  /// The difference of the centres of two neighbouring cells, for each direction; nil if there is no neighbour.
  private func step(_ index: Int, _ offset: Int, _ place: Int, _ count: Int) -> Vector? {
    let centre = centres.base[index]
    let before = place > 0 ? centre - centres.base[index - offset] : nil
    let after = place + 1 < count ? centres.base[index + offset] - centre : nil
    // The square of NaN is not greater.
    let steps = [before, after].compactMap { $0 }.filter { Self.square($0) > 0 }
    // Across a seam, the distance to a neighbour is much longer than to the other one.
    return steps.min { Self.square($0) < Self.square($1) }
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

  /// The parts of an offset along two steps, limited to the cell.
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

  /// Converts grid positions to points in place, between the centres of the cells. All longitudes are within half a turn
  /// of the first.
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

  /// The position in space of a place among the centres, which has the index of its column and row.
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
