import PlumbCore
import PlumbGeometry

/// The geodesic from one location of an entity to its next location, with the points at which the
/// geodesic crosses borders of fences.
struct FencePath {
  /// The crossings of a path with the border of one fence.
  struct Passages {
    var fence: Int
    /// The distances of the crossings from the start in metres, ascending.
    var points: [Double]
    /// Whether the path's end is inside the fence.
    var endsInside: Bool
  }

  let probe: FenceProbe
  /// The length of the path in metres.
  let length: Double
  private let start: SIMD2<Double>
  private let line: Geodesic.Line

  /// Creates a path between two points on WGS84; nil if the points are the same.
  init?(_ probe: FenceProbe, from start: SIMD2<Double>, to end: SIMD2<Double>) {
    let way = probe.tools.earth.inverse(from: start, to: end)
    guard way.distance > 0, way.distance.isFinite else { return nil }
    (self.probe, length, self.start) = (probe, way.distance, start)
    line = probe.tools.earth.line(from: start, azimuth: way.startAzimuth)
  }

  /// Returns the point on WGS84 at a distance from the start in metres.
  func degrees(at distance: Double) -> SIMD2<Double> { line.point(at: distance).point }

  private func point(at distance: Double) -> SIMD2<Double> {
    probe.tools.point(ofDegrees: degrees(at: distance))
  }

  // MARK: Candidates

  /// The greatest length of a piece in metres. Pieces are short because fences are searched in the
  /// circle around each piece.
  private static let longestPiece = 50_000.0

  /// The factor by which lengths on WGS84 are multiplied, because lengths may differ on the
  /// ellipsoid of the fences' CRS.
  private var stretch: Double { probe.tools.transformation == nil ? 1 + 1e-9 : 1.002 }

  /// Returns the pieces of the path that may cross the border of a fence, by fence.
  private func candidates() -> [(fence: Int, pieces: [ClosedRange<Double>])] {
    let count = max(1, Int(min((length / Self.longestPiece).rounded(.up), 1000)))
    let size = length / Double(count)
    let radius = size / 2 * stretch + 1e-6
    var found: [(fence: Int, piece: Int)] = []
    for piece in 0..<count {
      let middle = point(at: size * (Double(piece) + 0.5))
      guard middle.x.isFinite else {
        // A middle outside the area of the projection cannot be transformed, so all fences are
        // candidates.
        found.append(contentsOf: probe.fences.fences.indices.lazy.map { ($0, piece) })
        continue
      }
      for hit in probe.hits(near: middle, radius: radius)
      where probe.depth(hit.item, middle, distance: hit.distance).clear < radius {
        found.append((hit.item, piece))
      }
    }
    if count > 1 { found.sort { $0 < $1 } }
    var result: [(fence: Int, pieces: [ClosedRange<Double>])] = []
    for (fence, piece) in found {
      let end = piece == count - 1 ? length : size * Double(piece + 1)
      if result.last?.fence != fence { result.append((fence, [])) }
      result[result.count - 1].pieces.append(size * Double(piece)...end)
    }
    return result
  }

  /// Calls `body` for each fence whose border is crossed, in the order of the fences.
  func forEachFence(_ body: (Passages) -> Void) {
    for (fence, pieces) in candidates() {
      let passages = passages(of: fence, in: pieces)
      if !passages.points.isEmpty { body(passages) }
    }
  }

  // MARK: Passages

  /// A point of the path.
  private struct Sample {
    var distance: Double
    var depth: FenceProbe.Depth
  }

  /// The maximum number of pieces of the same size. Only a path that runs along a border exceeds this
  /// number, and its pieces are then not divided further.
  private static let maximumPieces = 256

  /// Returns the points where the path crosses a fence's border. If the path passes the border by less
  /// than a millimetre (or a tenth of the buffer, if that is less) and returns, it only touches the
  /// border, and does not cross it.
  ///
  /// - Parameter pieces: the pieces of the path that may cross the border, in ascending order; nil
  ///   for the whole path.
  func passages(of fence: Int, in pieces: [ClosedRange<Double>]? = nil) -> Passages {
    let buffer = probe.buffer
    let finest = buffer > 0 ? min(1e-3, buffer / 10) : 1e-3
    var samples = samples(of: fence, in: pieces ?? [0...length], finest)
    samples.sort { $0.distance < $1.distance }
    // Each stay is a sequence of samples on one side of the border, with the greatest depth of
    // these samples and the index of the first sample.
    var stays: [(isInside: Bool, depth: Double, first: Int)] = []
    for (index, sample) in samples.enumerated() {
      if stays.last?.isInside == sample.depth.isInside {
        stays[stays.count - 1].depth = max(stays[stays.count - 1].depth, sample.depth.clear)
      } else {
        stays.append((sample.depth.isInside, sample.depth.clear, index))
      }
    }
    var kept: [(isInside: Bool, depth: Double, first: Int)] = []
    for (index, stay) in stays.enumerated() {
      if kept.last?.isInside == stay.isInside { continue }
      if index > 0, index < stays.count - 1, stay.depth < finest { continue }
      kept.append(stay)
    }
    let points = kept.dropFirst().map { stay in
      passage(fence, samples[stay.first - 1], samples[stay.first], finest)
    }
    return Passages(
      fence: fence, points: points, endsInside: samples.last?.depth.isInside ?? false)
  }

  /// Returns samples of the path. Between two neighbouring samples on the same side, the path is on
  /// this side, except for parts that are shorter than the finest length.
  private func samples(
    of fence: Int, in pieces: [ClosedRange<Double>], _ finest: Double
  ) -> [Sample] {
    func sample(_ distance: Double) -> Sample {
      Sample(distance: distance, depth: probe.depth(fence, point(at: distance)))
    }
    var samples: [Sample] = []
    for piece in pieces {
      if samples.last?.distance != piece.lowerBound { samples.append(sample(piece.lowerBound)) }
      samples.append(sample(piece.upperBound))
    }
    var pieces = pieces.map { (from: $0.lowerBound, to: $0.upperBound) }
    // The limit is increased by the number of pieces after the first division.
    let maximumCount = Self.maximumPieces + 2 * pieces.count
    while !pieces.isEmpty {
      var halves: [(from: Double, to: Double)] = []
      for piece in pieces {
        let middle = sample((piece.from + piece.to) / 2)
        samples.append(middle)
        let half = (piece.to - piece.from) / 2
        guard middle.depth.clear < half * stretch, half * 2 > finest else { continue }
        halves.append((piece.from, middle.distance))
        halves.append((middle.distance, piece.to))
      }
      if halves.count > maximumCount { break }
      pieces = halves
    }
    return samples
  }

  /// Returns the distance from the start to the border between two samples on different sides.
  private func passage(_ fence: Int, _ a: Sample, _ b: Sample, _ finest: Double) -> Double {
    var (low, high) = (a, b)
    while high.distance - low.distance > finest {
      let distance = (low.distance + high.distance) / 2
      guard distance > low.distance, distance < high.distance else { break }
      let middle = Sample(distance: distance, depth: probe.depth(fence, point(at: distance)))
      if middle.depth.isInside == a.depth.isInside { low = middle } else { high = middle }
    }
    // Both depths change nearly linearly in such a short piece.
    let depths = low.depth.clear + high.depth.clear
    let part = depths > 0 ? low.depth.clear / depths : 0.5
    return low.distance + (high.distance - low.distance) * part
  }
}
