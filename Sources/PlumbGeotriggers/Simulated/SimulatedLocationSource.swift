import PlumbCore
import PlumbGeometry

/// Locations of something that moves along a line.
///
/// Between vertices it follows the geodesic on WGS84. The course of a location is that of the
/// segment ahead, at the last one of the segment behind. From one part of the line to the next it
/// jumps.
public struct SimulatedLocationSource: Sendable {
  /// When the locations are made; their times are one second apart in either case.
  public enum Pace: Sendable, Hashable {
    /// At each vertex one, however far apart they lie; the speed is that from each vertex to the
    /// next, which one second takes.
    case vertexPerUpdate
    /// Every second one, on the way at so many metres per second; the last vertex of each part is
    /// the last location there, one second after the one before, however near that is.
    case velocity(Double)

    /// 10 m/s.
    public static let standard = Pace.velocity(10)
  }

  private let points: [SIMD2<Double>]
  private let courses: [Double]
  private let speeds: [Double]
  private let start: Int64
  private let entity: Int32
  private let horizontalAccuracy: Double?
  private let verticalAccuracy: Double?
  private var position = 0

  /// The locations that one source may make.
  public static let limit = 50_000_000

  /// - Parameters:
  ///   - line: in any reference that PROJ takes to WGS84; without one it is longitude and latitude.
  ///   - pace: how far apart the locations are.
  ///   - maxSegmentLength: metres; more vertices are put on longer segments first, evenly. Nil
  ///     leaves the line as it is.
  ///   - start: time of the first location, in milliseconds since 1970.
  ///   - horizontalAccuracy: metres, of each location; nil is unknown, like the next.
  ///   - verticalAccuracy: metres up and down, of each location.
  ///   - entity: the number that the locations get.
  /// - Throws: for an empty line, points that are not a longitude and latitude, and a velocity or a
  ///   segment length that is not above 0 or makes more than `limit` locations.
  public init(
    _ line: Polyline, pace: Pace = .standard, maxSegmentLength: Double? = nil, start: Int64 = 0,
    horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, entity: Int32 = 0
  ) throws(GeometryError) {
    guard !line.isEmpty else { throw GeometryError("an empty line has no points to be at") }
    var line = line
    line.spatialReference = line.spatialReference ?? .wgs84
    var geometry = try GeometryEngine.project(.polyline(line), to: .wgs84)
    if let maxSegmentLength {
      geometry = try GeometryEngine.densify(
        geometry, maxSegmentLength: maxSegmentLength, measure: .geodesic())
    }
    guard case .polyline(let polyline) = geometry else {
      throw GeometryError("a line was expected")
    }
    for point in polyline.vertices.xy where !(abs(point.y) <= 90 && abs(point.x) <= 360) {
      throw GeometryError("\(point.x), \(point.y) is not a longitude and latitude in degrees")
    }
    if case .velocity(let velocity) = pace, !(velocity > 0 && velocity.isFinite) {
      throw GeometryError("the velocity must be above 0, not \(velocity)")
    }
    var course = SimulatedCourse()
    for part in polyline.parts where !part.isEmpty {
      try course.add(Array(polyline.vertices.xy[part]), pace)
    }
    points = course.points
    courses = course.courses
    speeds = course.speeds
    self.start = start
    self.entity = entity
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
  }

  /// The number of locations.
  public var count: Int { points.count }

  /// The next locations, at most `limit`; nil at the end.
  public mutating func next(limit: Int) -> LocationBatch? {
    guard position < points.count else { return nil }
    let range = position..<position + min(max(1, limit), points.count - position)
    position = range.upperBound
    var batch = LocationBatch()
    batch.index = Array(range)
    batch.entity = Array(repeating: entity, count: range.count)
    batch.time = range.map { start &+ Int64($0) &* 1000 }
    batch.x = points[range].map(\.x)
    batch.y = points[range].map(\.y)
    batch.speed = Array(speeds[range])
    batch.course = Array(courses[range])
    if let horizontalAccuracy {
      batch.horizontalAccuracy = Array(repeating: horizontalAccuracy, count: range.count)
    }
    if let verticalAccuracy {
      batch.verticalAccuracy = Array(repeating: verticalAccuracy, count: range.count)
    }
    return batch
  }
}
