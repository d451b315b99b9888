import PlumbCore
import PlumbGeometry

/// Locations of an entity that moves along a line.
///
/// Between vertices it follows the geodesic on WGS84. The course of a location is that of the
/// segment ahead, at the last one of the segment behind. From one part of the line to the next it
/// jumps.
public struct SimulatedLocationSource: Sendable {
  /// The spacing of the locations; their times are one second apart in either case.
  public enum Pace: Sendable, Hashable {
    /// One at each vertex, however far apart they are; the speed is that from each vertex to the
    /// next in one second.
    case vertexPerUpdate
    /// One per second, moving at this speed in metres per second. The last vertex of each part is
    /// the last location there, one second after the previous one, however near that is.
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

  /// The maximum number of locations of a source.
  public static let limit = 50_000_000

  /// - Parameters:
  ///   - line: in any reference that PROJ can transform to WGS84; longitude and latitude if it has
  ///     none.
  ///   - pace: the spacing of the locations.
  ///   - maxSegmentLength: metres; longer segments are first divided evenly. nil leaves the line
  ///     unchanged.
  ///   - start: time of the first location, in milliseconds since 1970.
  ///   - horizontalAccuracy: metres, of each location; nil is unknown, like the next.
  ///   - verticalAccuracy: metres, of each location.
  ///   - entity: the entity number of the locations.
  /// - Throws: for an empty line, points that are not a longitude and latitude, and a velocity or a
  ///   segment length that is not above 0 or results in more than `limit` locations.
  public init(
    _ line: Polyline, pace: Pace = .standard, maxSegmentLength: Double? = nil, start: Int64 = 0,
    horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, entity: Int32 = 0
  ) throws(GeometryError) {
    guard !line.isEmpty else { throw GeometryError("the line is empty") }
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
