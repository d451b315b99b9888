import PlumbCore
import PlumbGeometry

/// A source of locations of an entity that moves along a line.
///
/// Between vertices, the entity follows the geodesic on WGS84. The course of a location is the
/// course of the segment ahead or, at the last location, of the segment behind. The entity jumps
/// from one part of the line to the next.
public struct SimulatedLocationSource: Sendable {
  /// The spacing of the locations. In both cases, the times of the locations are one second apart.
  public enum Pace: Sendable, Hashable {
    /// One location at each vertex, regardless of the distances. The speed in metres per second is
    /// the distance to the next vertex in metres.
    case vertexPerUpdate
    /// One location per second of movement at this speed in metres per second. The last location of
    /// each part is the part's last vertex. Its time is one second after the previous location,
    /// even if the remaining distance takes less than one second at this speed.
    case velocity(Double)

    /// The default pace, 10 m/s.
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
  ///   - line: the line, in any CRS that PROJ can transform to WGS84. Without a CRS, x and y are
  ///     longitude and latitude.
  ///   - pace: the spacing of the locations.
  ///   - maxSegmentLength: the maximum length of a segment in metres. Longer segments are divided
  ///     evenly. If the value is nil, the line is unchanged.
  ///   - start: the time of the first location, in milliseconds since 1970.
  ///   - horizontalAccuracy: the horizontal accuracy of each location in metres; nil if unknown.
  ///   - verticalAccuracy: the vertical accuracy of each location in metres; nil if unknown.
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

  /// Returns the next locations, at most `limit`; nil at the end.
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
