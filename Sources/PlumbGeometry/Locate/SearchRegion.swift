#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// Boxes in a CRS's plane that together contain all points within a radius of a point, if the
/// radius is not measured in this plane. The points may be on both sides of the meridian at which a
/// world map is cut, and along the whole edge that represents a pole.
///
/// The circle is divided into rings, each with half the radius of the next one, and the rings into
/// cells. A cell is subdivided if its middle is far from the mean of its corners, because the
/// projection is then not smooth in the cell.
struct SearchRegion {
  private struct Cell {
    var low: SIMD2<Double>
    var high: SIMD2<Double>
    /// A lower bound of the distance of the points in the cell.
    var minimum: Double
  }

  /// Cells by ascending distance.
  private var cells: [Cell] = []
  /// The bounding box of each run of `blockSize` cells.
  private var blocks: [Box] = []
  private static let blockSize = 32

  private static let rings = 10
  private static let sectors = 16
  private static let deepest = 2
  private static let maximumCells = 20_000
  /// The margin by which a cell's corners are moved outward, as a fraction of its size, because
  /// arcs extend beyond their chords and cuts are curved.
  private static let margin = 0.1

  /// - Returns: nil if the circle covers too much of the Earth, or if its image in the plane is too
  ///   fragmented.
  init?(
    _ measure: DistanceMeasure, round image: SIMD2<Double>, radius: Double, extent: SIMD4<Double>
  ) {
    guard radius > 0, radius <= measure.widestRegion,
      let sheets = measure.sheets(round: image, extent)
    else { return nil }
    let circle = Circle(measure, image, radius)
    for sheet in sheets {
      var mapper = Mapper(circle, sheet)
      guard mapper.meets(extent) else { continue }
      for ring in 0...Self.rings {
        guard mapper.addRing(ring), mapper.cells.count <= Self.maximumCells else { return nil }
      }
      cells += mapper.cells
    }
    cells.sort { $0.minimum != $1.minimum ? $0.minimum < $1.minimum : $0.low.x < $1.low.x }
    blocks = stride(from: 0, to: cells.count, by: Self.blockSize).map { first in
      Box(VertexList(block(from: first).flatMap { [$0.low, $0.high] }))
    }
  }

  private func block(from first: Int) -> ArraySlice<Cell> {
    cells[first..<min(first + Self.blockSize, cells.count)]
  }

  /// A lower bound of the distance of the region's points in a box; infinite if none of these
  /// points is within the limit.
  @inline(__always)
  func minimumDistance(
    toBox low: SIMD2<Double>, _ high: SIMD2<Double>, limit: Double
  ) -> Double {
    for (index, box) in blocks.enumerated()
    where all(box.low .<= high) && all(low .<= box.high) {
      for cell in block(from: index * Self.blockSize) {
        if cell.minimum > limit { return .infinity }
        if all(cell.low .<= high) && all(low .<= cell.high) { return cell.minimum }
      }
    }
    return .infinity
  }

  /// Disjoint boxes that contain all points nearer than a distance.
  func windows(within distance: Double) -> [(low: SIMD2<Double>, high: SIMD2<Double>)] {
    var windows: [(low: SIMD2<Double>, high: SIMD2<Double>)] = []
    for cell in cells.filter({ $0.minimum <= distance }).sorted(by: { $0.low.x < $1.low.x }) {
      if let last = windows.last, cell.low.x <= last.high.x {
        windows[windows.count - 1] = (
          pointwiseMin(last.low, cell.low), pointwiseMax(last.high, cell.high)
        )
      } else {
        windows.append((cell.low, cell.high))
      }
    }
    return windows
  }

  /// Caches the images of points by ring and sector, so that each image is computed only once if the plane
  /// has several parts (`DistanceMeasure.Sheet`).
  private final class Circle {
    let measure: DistanceMeasure
    private let image: SIMD2<Double>
    private let radius: Double
    private var images: [SIMD2<Double>: SIMD2<Double>] = [:]

    init(_ measure: DistanceMeasure, _ image: SIMD2<Double>, _ radius: Double) {
      (self.measure, self.image, self.radius) = (measure, image, radius)
    }

    func distance(_ ring: Double) -> Double {
      radius * exp2(ring - Double(SearchRegion.rings))
    }

    func image(_ ring: Double, _ sector: Double) -> SIMD2<Double> {
      let key = SIMD2(ring, sector)
      if let image = images[key] { return image }
      let image = measure.image(
        from: image, azimuth: sector * (360 / Double(SearchRegion.sectors)),
        distance: ring <= -1 ? 0 : distance(ring))
      images[key] = image
      return image
    }
  }

  /// Finds the cells in the plane. A cell is a range of rings and a range of sectors; ring numbers
  /// are 0 at the rim of the innermost disc and `rings` at the circle itself.
  private struct Mapper {
    private let circle: Circle
    private let sheet: DistanceMeasure.Sheet
    private(set) var cells: [Cell] = []
    /// The longest sides of those cells of the ring that are not split by a cut in the plane.
    private var longestSides = SIMD2<Double>.zero
    /// Cells of the ring in which only individual points are known.
    private var scattered: [(box: Box, minimum: Double)] = []

    init(_ circle: Circle, _ sheet: DistanceMeasure.Sheet) {
      (self.circle, self.sheet) = (circle, sheet)
    }

    /// Whether part of the circle may be in a box.
    func meets(_ extent: SIMD4<Double>) -> Bool {
      guard sheet.shifts != nil else { return true }
      var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
      for ring in [0, 5, 8, 9, 10.0] {
        for sector in 0..<SearchRegion.sectors {
          let point = point(ring, Double(sector))
          guard !point.x.isNaN else { continue }
          (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point))
        }
      }
      let slack = (high - low) * 0.25
      return all(extent .<= BoxTree.window(low - slack, high + slack))
    }

    private func point(_ ring: Double, _ sector: Double) -> SIMD2<Double> {
      circle.measure.point(ofImage: circle.image(ring, sector), sheet)
    }

    /// Adds the boxes of a ring's cells.
    ///
    /// - Returns: false if the position of the cells is unknown.
    mutating func addRing(_ ring: Int) -> Bool {
      // The innermost cell is the disc in the middle.
      let inner = Double(ring) - 1
      longestSides = .zero
      for sector in 0..<SearchRegion.sectors {
        add(
          inner..<Double(ring), Double(sector)..<Double(sector + 1), depth: 0,
          minimum: ring == 0 ? 0 : circle.distance(inner))
      }
      defer { scattered = [] }
      // The scattered cells are about as wide as the other cells of the ring.
      for (box, minimum) in scattered {
        cells.append(
          Cell(low: box.low - longestSides, high: box.high + longestSides, minimum: minimum))
      }
      return scattered.isEmpty || all(longestSides .> 0)
    }

    /// Adds the boxes of a cell.
    ///
    /// - Parameter span: the sides of the parent cell's bounding box.
    private mutating func add(
      _ rings: Range<Double>, _ sectors: Range<Double>, depth: Int, minimum: Double,
      span: SIMD2<Double> = .zero
    ) {
      let (ring, sector) = (rings.middle, sectors.middle)
      let (aside, beyond) = (sectors.width * margin, rings.width * margin)
      var corners: [SIMD2<Double>] = []
      for ring in [rings.lowerBound - beyond, rings.upperBound + beyond] {
        for sector in [sectors.lowerBound - aside, sectors.upperBound + aside] {
          let point = point(max(ring, -1), sector)
          if !point.x.isNaN { corners.append(point) }
        }
      }
      let middle = point(ring, sector)
      let all = middle.x.isNaN ? corners : corners + [middle]
      let box = all.isEmpty ? nil : Box(VertexList(all))
      if corners.count == 4, !middle.x.isNaN {
        let bounds = Box(VertexList(corners))
        let sides = bounds.high - bounds.low
        let bend = middle - corners.reduce(.zero, +) / 4
        if bend.planarLength <= 0.15 * sides.planarLength {
          longestSides = pointwiseMax(longestSides, sides)
          let slack = sides * 0.25 + bend.magnitudes * 2
          cells.append(
            Cell(low: bounds.low - slack, high: bounds.high + slack, minimum: minimum))
          return
        }
      }
      let sides = box.map { $0.high - $0.low } ?? .zero
      // A cell in which no point can be transformed is subdivided only once.
      if depth < (all.isEmpty ? 1 : SearchRegion.deepest) {
        for rings in rings.halves {
          for sectors in sectors.halves {
            add(
              rings, sectors, depth: depth + 1, minimum: minimum,
              span: all.count == 5 ? sides : pointwiseMax(sides, span))
          }
        }
      } else if let box {
        addTorn(all, box, minimum, span: span)
      }
    }

    private var margin: Double { SearchRegion.margin }

    /// Adds the boxes of a small cell that contains a cut or a pole, or that can be transformed
    /// only in part.
    private mutating func addTorn(
      _ points: [SIMD2<Double>], _ box: Box, _ minimum: Double, span: SIMD2<Double>
    ) {
      let whole = (box.high - box.low).planarLength
      if points.count == 5 {
        let near = points.filter { ($0 - points[4]).planarLength < 0.25 * whole }
        let far = points.filter { ($0 - points[4]).planarLength >= 0.25 * whole }
        if !far.isEmpty {
          let (first, second) = (Box(VertexList(near)), Box(VertexList(far)))
          let sides = pointwiseMax(first.high - first.low, second.high - second.low)
          if sides.planarLength <= 0.1 * whole {
            // Either side of the cut may contain nearly all of the cell.
            for side in [first, second] {
              cells.append(
                Cell(
                  low: side.low - sides * 1.5, high: side.high + sides * 1.5, minimum: minimum))
            }
            return
          }
        }
      }
      let slack = points.count == 5 ? (box.high - box.low) * 0.5 : span
      if points.count < 5, slack.x == 0 || slack.y == 0 {
        scattered.append((box, minimum))
        return
      }
      cells.append(
        Cell(low: box.low - slack, high: box.high + slack, minimum: minimum))
    }
  }
}

extension Range<Double> {
  fileprivate var width: Double { upperBound - lowerBound }
  fileprivate var middle: Double { (lowerBound + upperBound) / 2 }
  fileprivate var halves: [Range<Double>] { [lowerBound..<middle, middle..<upperBound] }
}

extension SIMD2 where Scalar == Double {
  fileprivate var magnitudes: SIMD2<Double> { SIMD2(x.magnitude, y.magnitude) }
}
