import PlumbCore
import PlumbGeometry

/// Collects the locations along a line.
struct SimulatedCourse {
  private(set) var points: [SIMD2<Double>] = []
  /// The courses in degrees, clockwise from north; NaN if a part has zero length.
  private(set) var courses: [Double] = []
  /// The speeds in metres per second.
  private(set) var speeds: [Double] = []
  private let earth = Geodesic(.wgs84)

  /// Adds one part of the line. The part has at least one vertex.
  mutating func add(
    _ vertices: [SIMD2<Double>], _ pace: SimulatedLocationSource.Pace
  ) throws(GeometryError) {
    // Consecutive equal vertices are removed, because there is no segment between them.
    var vertices = vertices
    if case .velocity = pace { vertices = Self.distinct(vertices) }
    let segments = zip(vertices, vertices.dropFirst()).map { earth.inverse(from: $0, to: $1) }
    guard segments.allSatisfy({ $0.distance.isFinite }) else {
      throw GeometryError("the length of a segment of the line is not a finite number")
    }
    switch pace {
    case .vertexPerUpdate: try addVertices(vertices, segments)
    case .velocity(let velocity): try addSteps(vertices, segments, velocity)
    }
  }

  private static func distinct(_ vertices: [SIMD2<Double>]) -> [SIMD2<Double>] {
    var result: [SIMD2<Double>] = []
    for vertex in vertices where result.last != vertex { result.append(vertex) }
    return result
  }

  private mutating func addVertices(
    _ vertices: [SIMD2<Double>], _ segments: [Geodesic.Inverse]
  ) throws(GeometryError) {
    try reserve(vertices.count)
    // The course at the start of a segment of zero length is the course of the next segment with
    // nonzero length.
    var ahead = [Double](repeating: .nan, count: vertices.count)
    var next = Double.nan
    for index in segments.indices.reversed() {
      if segments[index].distance > 0 { next = segments[index].startAzimuth }
      ahead[index] = next
    }
    var behind = Double.nan
    for index in vertices.indices {
      if index > 0, segments[index - 1].distance > 0 { behind = segments[index - 1].endAzimuth }
      let speed =
        index < segments.count ? segments[index].distance : segments.last?.distance ?? 0
      append(vertices[index], course: ahead[index].isNaN ? behind : ahead[index], speed)
    }
  }

  private mutating func addSteps(
    _ vertices: [SIMD2<Double>], _ segments: [Geodesic.Inverse], _ velocity: Double
  ) throws(GeometryError) {
    var lengths: [Double] = [0]
    for segment in segments { lengths.append(lengths[lengths.count - 1] + segment.distance) }
    let totalLength = lengths[lengths.count - 1]
    let steps = (totalLength / velocity).rounded(.down)
    guard steps < Double(SimulatedLocationSource.limit) else {
      throw GeometryError(
        "the velocity \(velocity) m/s gives too many locations on \(totalLength) m")
    }
    try reserve(Int(steps) + 2)
    var segment = 0
    var line: Geodesic.Line?
    for step in 0...Int(steps) {
      let distance = Double(step) * velocity
      guard distance < totalLength else { break }
      while segment + 1 < segments.count, lengths[segment + 1] <= distance {
        segment += 1
        line = nil
      }
      let along = distance - lengths[segment]
      if along == 0 {
        append(vertices[segment], course: segments[segment].startAzimuth, velocity)
        continue
      }
      let current =
        line ?? earth.line(from: vertices[segment], azimuth: segments[segment].startAzimuth)
      line = current
      let (point, azimuth) = current.point(at: along)
      append(point, course: azimuth, velocity)
    }
    guard let last = vertices.last else { return }
    append(last, course: segments.last?.endAzimuth ?? .nan, velocity)
  }

  private func reserve(_ count: Int) throws(GeometryError) {
    guard points.count + count <= SimulatedLocationSource.limit else {
      throw GeometryError("the line gives over \(SimulatedLocationSource.limit) locations")
    }
  }

  private mutating func append(_ point: SIMD2<Double>, course: Double, _ speed: Double) {
    points.append(point)
    let turned = course < 0 ? course + 360 : course
    courses.append(turned >= 360 ? 0 : turned)
    speeds.append(speed)
  }
}
