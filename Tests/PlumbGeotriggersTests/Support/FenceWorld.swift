import PlumbCore
import PlumbTestSupport

@testable import PlumbGeotriggers

/// Seeded fences and tracks around a point.
struct FenceWorld {
  enum Kind: CaseIterable { case point, line, area, holed, parts, box }

  var random: SeededGenerator
  let centre: SIMD2<Double>
  /// The distance from the centre to each side, in the units of the coordinates.
  let extent: SIMD2<Double>
  /// The largest y.
  var highest = 90.0

  init(seed: UInt64, centre: SIMD2<Double>, extent: SIMD2<Double>) {
    (random, self.centre, self.extent) = (SeededGenerator(seed: seed), centre, extent)
  }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &random)
  }

  private func clamped(_ point: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(point.x, min(max(point.y, -highest), highest))
  }

  mutating func point() -> SIMD2<Double> {
    clamped(centre + extent * SIMD2(number(-1...1), number(-1...1)))
  }

  private mutating func ring(
    _ middle: SIMD2<Double>, _ size: Double, corners: Int
  ) -> [SIMD2<Double>] {
    // The approximate directions of an octagon's corners, as constants, so that no sine function is needed.
    let octagon: [SIMD2<Double>] = [
      [1, 0], [0.7, 0.7], [0, 1], [-0.7, 0.7], [-1, 0], [-0.7, -0.7], [0, -1], [0.7, -0.7],
    ]
    let ring = octagon.prefix(corners).map {
      clamped(middle + extent * $0 * (size * number(0.6...1)))
    }
    return ring + [ring[0]]
  }

  mutating func fence(_ id: String, _ kind: Kind) -> Fence {
    let middle = point()
    let size = number(0.05...0.4)
    let geometry: Geometry
    switch kind {
    case .point: geometry = .point(Point(x: middle.x, y: middle.y))
    case .line:
      geometry = .polyline(
        Polyline(VertexList([middle] + (0..<3).map { _ in point() })))
    case .area:
      let corners = Int.random(in: 5...8, using: &random)
      geometry = .polygon(Polygon(VertexList(ring(middle, size, corners: corners))))
    case .holed:
      let (outer, hole) = (ring(middle, size, corners: 8), ring(middle, size * 0.3, corners: 8))
      geometry = .polygon(
        Polygon(VertexList(outer + hole), ringEnds: [outer.count, outer.count + hole.count]))
    case .parts:
      let first = ring(middle, size * 0.4, corners: 8)
      let second = ring(middle + extent * SIMD2(size, 0), size * 0.3, corners: 8)
      geometry = .polygon(
        Polygon(
          VertexList(first + second), ringEnds: [first.count, first.count + second.count],
          partEnds: [1, 2]))
    case .box:
      let half = extent * size * 0.5
      geometry = .envelope(
        Envelope(
          xMin: middle.x - half.x, yMin: max(middle.y - half.y, -90), xMax: middle.x + half.x,
          yMax: min(middle.y + half.y, 90)))
    }
    var fence = Fence(id: id, geometry: geometry)
    fence.geometry.spatialReference = .wgs84
    return fence
  }

  mutating func fences(_ count: Int, _ kinds: [Kind]) -> [Fence] {
    (0..<count).map { number in
      fence("f\(number)", kinds.randomElement(using: &random) ?? .area)
    }
  }

  /// Random walks with turns, jumps and stops. Sometimes a fix is late, has the same time as an
  /// earlier one, or has an invalid position. Longitudes beyond ±180° are shifted by 360°.
  mutating func batch(
    _ count: Int, entities: Int32, from start: Int64 = 0, accuracies: [Double] = []
  ) -> LocationBatch {
    var batch = LocationBatch()
    var points = (0..<Int(entities)).map { _ in point() }
    for row in 0..<count {
      let entity = Int32.random(in: 0..<entities, using: &random)
      var position = points[Int(entity)]
      switch Int.random(in: 0..<40, using: &random) {
      case 0: position = point()
      case 1...4: break
      default:
        position += extent * SIMD2(number(-0.12...0.12), number(-0.12...0.12))
        let low = centre - extent * 1.2
        let high = centre + extent * 1.2
        position = clamped(pointwiseMin(pointwiseMax(position, low), high))
      }
      points[Int(entity)] = position
      var time = start + Int64(row) * 1000
      switch Int.random(in: 0..<60, using: &random) {
      case 0: time -= 60_000
      case 1: time -= Int64(row % 7) * 1000
      case 2: position.x = .nan
      case 3: position.y = .infinity
      case 4: position.y = 90.5
      default: break
      }
      if position.x > 180 { position.x -= 360 } else if position.x < -180 { position.x += 360 }
      batch.entity.append(entity)
      batch.index.append(row)
      batch.time.append(time)
      batch.x.append(position.x)
      batch.y.append(position.y)
      if !accuracies.isEmpty {
        batch.horizontalAccuracy.append(accuracies.randomElement(using: &random) ?? .nan)
      }
    }
    return batch
  }
}

extension LocationBatch {
  /// Some of the rows, with their row numbers.
  func rows(_ range: Range<Int>) -> LocationBatch {
    var part = LocationBatch()
    part.index = Array(index[range])
    part.entity = Array(entity[range])
    part.time = Array(time[range])
    part.x = Array(x[range])
    part.y = Array(y[range])
    if !horizontalAccuracy.isEmpty { part.horizontalAccuracy = Array(horizontalAccuracy[range]) }
    return part
  }
}
