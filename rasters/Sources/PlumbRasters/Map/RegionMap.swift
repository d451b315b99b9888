import PlumbGDAL

/// Regions of a lattice's cells, and their outlines with shared corners.
struct RegionMap {
  let lattice: Lattice
  /// The region of each cell, 0 for none.
  var labels: [Int]

  /// The label of the area outside the lattice.
  private static let outside = -1

  private func label(_ column: Int, _ row: Int) -> Int {
    let isInside = (0..<lattice.columns).contains(column) && (0..<lattice.rows).contains(row)
    return isInside ? labels[row * lattice.columns + column] : Self.outside
  }

  /// The cells of each connected piece of a region; pieces are in the order of their first cells.
  func pieces() -> [(label: Int, cells: [Int])] {
    var isSeen = [Bool](repeating: false, count: lattice.count)
    var result: [(label: Int, cells: [Int])] = []
    for start in 0..<lattice.count where !isSeen[start] {
      var cells = [start]
      isSeen[start] = true
      var index = 0
      while index < cells.count {
        for other in lattice.sides(cells[index])
        where !isSeen[other] && labels[other] == labels[start] {
          isSeen[other] = true
          cells.append(other)
        }
        index += 1
      }
      result.append((labels[start], cells))
    }
    return result
  }

  /// Reassigns cells until no region touches itself only at a corner, because no valid ring can
  /// represent that.
  mutating func separateCorners() throws(GDALError) {
    for _ in 0..<100 {
      var isDone = true
      for row in 1..<lattice.rows {
        for column in 1..<lattice.columns {
          let se = row * lattice.columns + column
          let (sw, ne, nw) = (se - 1, se - lattice.columns, se - lattice.columns - 1)
          if labels[nw] == labels[se], labels[ne] != labels[nw], labels[sw] != labels[nw] {
            labels[ne] = labels[nw]
            isDone = false
          } else if labels[ne] == labels[sw], labels[nw] != labels[ne], labels[se] != labels[ne] {
            labels[nw] = labels[ne]
            isDone = false
          }
        }
      }
      if isDone { return }
    }
    throw GDALError("the regions of the sample map do not converge")
  }

  /// The polygons of each region: an anticlockwise ring and clockwise holes, closed.
  ///
  /// A line runs through the midpoints of the cells' sides, which rounds the corners of cells, and
  /// through the corners where three regions meet.
  /// - Parameter corner: the position of a cell corner, by its column and row from the upper left corner.
  func polygons(
    corner: (_ column: Int, _ row: Int) -> Vertex
  ) throws(GDALError) -> [Int: [[[Vertex]]]] {
    var result: [Int: [[[Vertex]]]] = [:]
    for piece in pieces() where piece.label != 0 {
      let rings = try outlines(of: piece.cells).map { trace($0, corner) }
      let outer = rings.filter { Measure.area($0) > 0 }
      guard outer.count == 1 else { throw GDALError("a region has more than one outline") }
      result[piece.label, default: []].append(outer + rings.filter { Measure.area($0) <= 0 })
    }
    return result
  }

  private struct Corner: Hashable {
    var column: Int
    var row: Int
  }

  /// Rings of corners around connected cells; the cells are on the left.
  private func outlines(of cells: [Int]) throws(GDALError) -> [[Corner]] {
    var next: [Corner: Corner] = [:]
    var starts: [Corner] = []
    for cell in cells {
      let (column, row) = (cell % lattice.columns, cell / lattice.columns)
      let own = labels[cell]
      let corners = [(0, 1), (1, 1), (1, 0), (0, 0), (0, 1)].map {
        Corner(column: column + $0.0, row: row + $0.1)
      }
      for (side, way) in [(0, 1), (1, 0), (0, -1), (-1, 0)].enumerated()
      where label(column + way.0, row + way.1) != own {
        guard next.updateValue(corners[side + 1], forKey: corners[side]) == nil else {
          throw GDALError("a region of the sample map touches itself")
        }
        starts.append(corners[side])
      }
    }
    var rings: [[Corner]] = []
    for start in starts where next[start] != nil {
      var ring: [Corner] = []
      var corner = start
      while let following = next.removeValue(forKey: corner) {
        ring.append(corner)
        corner = following
      }
      rings.append(ring)
    }
    return rings
  }

  private func trace(
    _ ring: [Corner], _ place: (_ column: Int, _ row: Int) -> Vertex
  ) -> [Vertex] {
    var line: [Vertex] = []
    for (index, corner) in ring.enumerated() {
      let following = ring[(index + 1) % ring.count]
      let start = place(corner.column, corner.row)
      if isNode(corner) { line.append(start) }
      // The edge of the map remains straight.
      if isOnEdge(corner), isOnEdge(following), isOnOneEdge(corner, following) { continue }
      line.append(.middle(start, place(following.column, following.row)))
    }
    return line + line.prefix(1)
  }

  /// Whether a line must pass through a corner: three regions meet, or it is a corner of the map.
  private func isNode(_ corner: Corner) -> Bool {
    let (column, row) = (corner.column, corner.row)
    let around = Set([
      label(column, row), label(column - 1, row), label(column, row - 1),
      label(column - 1, row - 1),
    ])
    let isMapCorner =
      (column == 0 || column == lattice.columns) && (row == 0 || row == lattice.rows)
    return around.count > 2 || isMapCorner
  }

  func isOnEdge(column: Int, row: Int) -> Bool {
    column == 0 || row == 0 || column == lattice.columns || row == lattice.rows
  }

  private func isOnEdge(_ corner: Corner) -> Bool {
    isOnEdge(column: corner.column, row: corner.row)
  }

  private func isOnOneEdge(_ a: Corner, _ b: Corner) -> Bool {
    a.column == b.column && (a.column == 0 || a.column == lattice.columns)
      || a.row == b.row && (a.row == 0 || a.row == lattice.rows)
  }
}

extension Lattice {
  /// The positions of the cell corners.
  func corner(_ column: Int, _ row: Int) -> Vertex {
    Vertex(longitude: west + Double(column) * cell, latitude: north - Double(row) * cell)
  }
}
