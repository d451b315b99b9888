import PlumbCore
import PlumbGeometry
import Synchronization

/// A function that returns, for each point, whether a region contains the point. The points are
/// longitudes and latitudes in degrees on WGS84.
public typealias RegionTest = @Sendable (_ x: [Double], _ y: [Double]) -> [RegionAnswer]

/// Whether a region contains a point.
public enum RegionAnswer: Sendable, Hashable {
  /// The region contains the point, or does not contain it.
  case inside, outside
  /// The region cannot determine whether it contains the point. The location is then ignored.
  case unknown
}

/// A set of indexed fences, with a copy of their coordinates. A set is immutable, and threads may
/// share it.
///
/// A point is inside a fence if its geodesic distance to the fence's geometry is at most the buffer
/// distance. With a buffer distance of 0, a point is inside a fence if it is inside the geometry or
/// on its border.
public final class FenceSet: Sendable {
  /// All fences, including unusable fences. Events refer to fences by their positions in this list.
  public let fences: [Fence]
  /// The buffer distance in metres along the ellipsoid.
  public let bufferDistance: Double
  /// The CRS of all geometries.
  public let reference: SpatialReference
  /// The warnings about fences that are not used, in the order of their positions.
  public let warnings: [FenceWarning]

  /// The test that defines a region without a geometry; nil for fences with geometries.
  let region: RegionTest?
  let locator: GeometryLocator
  /// Whether locations have to be transformed to the fences' CRS.
  let isTransformed: Bool
  /// The period of x; nil if x is not periodic.
  let period: Double?
  private let lazyRings = Mutex<GeometryLocator?>(nil)
  private let lazySearchBoxes = Mutex(SearchBoxes())
  private let lazyOverlaps = Mutex<Int?>(nil)

  /// The cached result of `makeSearchBoxes`.
  private struct SearchBoxes {
    var isMade = false
    var locator: GeometryLocator?
  }

  /// - Parameters:
  ///   - fences: the fences. Their geometries must be in the same CRS. A geometry without a CRS is
  ///     assumed to be in this CRS.
  ///   - bufferDistance: the buffer distance in metres, 0 or more. It must be above 0 for points
  ///     and lines.
  ///   - workers: the threads that share the work.
  /// - Throws: for an invalid buffer distance, and for CRSs that differ, are missing or are not on
  ///   the Earth's surface. A single invalid fence does not cause an error, but a warning in
  ///   `warnings`.
  public init(
    _ fences: [Fence], bufferDistance: Double = 0, workers: Workers = Workers()
  ) throws(GeotriggerError) {
    guard bufferDistance >= 0, bufferDistance.isFinite else {
      throw GeotriggerError(
        "the buffer distance \(bufferDistance) is not a number of metres, 0 or more")
    }
    guard fences.count < Int32.max else { throw GeotriggerError("there are too many fences") }
    let reference = try Self.commonReference(fences)
    (self.fences, self.bufferDistance, self.reference) = (fences, bufferDistance, reference)
    period = reference.period
    isTransformed = !reference.isEquivalent(to: .wgs84)
    let warnings = Self.warnings(fences, bufferDistance, reference)
    var geometries: [Geometry?] = fences.map(\.geometry)
    for warning in warnings { geometries[warning.fence] = nil }
    self.warnings = warnings
    region = nil
    locator = GeometryLocator(geometries, period: period, workers: workers)
  }

  /// Creates a single fence that is defined by a test, such as the cells of a raster with certain
  /// values. Locations are treated as points, regardless of their accuracy. The fence has no
  /// geometry and no buffer, its events have no distance, and crossings between two locations
  /// cannot be determined.
  public init(region id: String, name: String, _ test: @escaping RegionTest) {
    fences = [Fence(id: id, name: name, geometry: .point(.empty(.wgs84)))]
    (bufferDistance, reference, warnings) = (0, .wgs84, [])
    (isTransformed, period) = (false, 360)
    region = test
    locator = GeometryLocator([nil], period: 360)
  }

  /// Whether the set contains a fence that can be entered.
  public var hasUsableFence: Bool { warnings.count < fences.count }

  /// Returns the rings of the areas as lines, for measuring distances to borders. The lines are
  /// created on first use.
  func rings() -> GeometryLocator {
    lazyRings.withLock { known in
      if let known { return known }
      var rings: [Geometry?] = fences.map { fence in
        switch fence.geometry {
        case .polygon(let polygon): Self.border(of: polygon)
        case .envelope(let envelope): Self.border(of: envelope.polygon)
        case .point, .multipoint, .polyline: nil
        }
      }
      for warning in warnings { rings[warning.fence] = nil }
      let made = GeometryLocator(rings, period: period)
      known = made
      return made
    }
  }

  /// Returns the result of `makeSearchBoxes`, which is called on first use.
  func searchBoxes() -> GeometryLocator? {
    lazySearchBoxes.withLock { known in
      if !known.isMade { known = SearchBoxes(isMade: true, locator: makeSearchBoxes()) }
      return known.locator
    }
  }

  /// Returns an upper bound of the number of fences that contain a location without an accuracy.
  /// The bound is computed on first use.
  func maximumOverlaps() -> Int {
    lazyOverlaps.withLock { known in
      if let known { return known }
      let maximum = min(fences.count, boxes().map { BoxDepth($0, period: period).value } ?? .max)
      known = maximum
      return maximum
    }
  }

  private static func border(of polygon: Polygon) -> Geometry {
    .polyline(Polyline(polygon.vertices, partEnds: polygon.ringEnds))
  }

  /// Returns the geometry of a fence with its buffer, on WGS84, as in notifications.
  ///
  /// - Throws: if the fence has no geometry, is not usable, or has a point that cannot be
  ///   transformed.
  public func geometry(of fence: Int) throws(GeotriggerError) -> Geometry {
    guard fences.indices.contains(fence) else {
      throw GeotriggerError("there is no fence \(fence), only \(fences.count)")
    }
    guard region == nil else { throw GeotriggerError("a region has no geometry") }
    if let warning = warnings.first(where: { $0.fence == fence }) {
      throw GeotriggerError(warning.description)
    }
    var geometry = fences[fence].geometry
    geometry.spatialReference = reference
    let options = GeodesicBufferOptions(curve: .shapePreserving, outputReference: .wgs84)
    do throws(GeometryError) {
      if bufferDistance == 0, !isTransformed {
        geometry.spatialReference = .wgs84
        return geometry
      }
      let polygons = try GeometryEngine.buffer(
        around: [geometry], distances: [bufferDistance], method: .geodesic(options),
        workers: Workers(count: 1))
      guard var polygon = polygons.first else {
        throw GeometryError("it has no buffer")
      }
      polygon.spatialReference = .wgs84
      return .polygon(polygon)
    } catch {
      throw GeotriggerError("fence \(fences[fence].id): \(error.message)", cause: error)
    }
  }
}
