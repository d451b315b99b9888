import PlumbCore
import PlumbGeometry
import Synchronization

/// Says of points, longitudes and latitudes in degrees on WGS84, whether a region holds them.
public typealias RegionTest = @Sendable (_ x: [Double], _ y: [Double]) -> [RegionAnswer]

/// Whether a region holds a point.
public enum RegionAnswer: Sendable, Hashable {
  /// The region holds the point; it does not.
  case inside, outside
  /// It cannot be determined: the location changes nothing.
  case unknown
}

/// Fences that are ready to be asked: their coordinates copied, their index made. It does not
/// change; threads may share it.
///
/// A point is inside a fence when its geodesic distance to the fence's geometry is at most the
/// buffer distance; with a buffer of 0, when it is inside or on the border.
public final class FenceSet: Sendable {
  /// All of them, those that are left out too: events name fences by their positions here.
  public let fences: [Fence]
  /// Metres along the ellipsoid.
  public let bufferDistance: Double
  /// What all geometries are in.
  public let reference: SpatialReference
  /// The fences that are left out, by position.
  public let warnings: [FenceWarning]

  /// What a region without a geometry is; nil for fences that have one.
  let region: RegionTest?
  let locator: GeometryLocator
  /// Whether locations have to be transformed.
  let isTransformed: Bool
  /// The period of x.
  let period: Double?
  private let lazyRings = Mutex<GeometryLocator?>(nil)
  private let lazySearchBoxes = Mutex(SearchBoxes())
  private let lazyOverlaps = Mutex<Int?>(nil)

  /// What `makeSearchBoxes` said, once it was asked.
  private struct SearchBoxes {
    var isMade = false
    var locator: GeometryLocator?
  }

  /// - Parameters:
  ///   - fences: their geometries in one reference; those without one are taken to be in it.
  ///   - bufferDistance: metres, 0 or more; points and lines need more.
  ///   - workers: the threads that share the work.
  /// - Throws: for a buffer that is not one, and for references that differ, are missing or do not
  ///   lie on the ground. Single bad fences are `warnings`.
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

  /// One fence that is wherever a test says so, such as the cells of a raster with certain values.
  /// Locations are points there, whatever their accuracy; there is no buffer, no distance, no
  /// geometry and no telling what was passed between two locations.
  public init(region id: String, name: String, _ test: @escaping RegionTest) {
    fences = [Fence(id: id, name: name, geometry: .point(.empty(.wgs84)))]
    (bufferDistance, reference, warnings) = (0, .wgs84, [])
    (isTransformed, period) = (false, 360)
    region = test
    locator = GeometryLocator([nil], period: 360)
  }

  /// False where nothing can be entered.
  public var hasUsableFence: Bool { warnings.count < fences.count }

  /// The rings of the areas as lines, for distances to their borders; made when first asked for.
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

  /// What `makeSearchBoxes` says; made when first asked for.
  func searchBoxes() -> GeometryLocator? {
    lazySearchBoxes.withLock { known in
      if !known.isMade { known = SearchBoxes(isMade: true, locator: makeSearchBoxes()) }
      return known.locator
    }
  }

  /// No location without an accuracy is inside of more fences than this; computed when first asked for.
  func mostOverlaps() -> Int {
    lazyOverlaps.withLock { known in
      if let known { return known }
      let most = min(fences.count, boxes().map { BoxDepth($0, period: period).value } ?? .max)
      known = most
      return most
    }
  }

  private static func border(of polygon: Polygon) -> Geometry {
    .polyline(Polyline(polygon.vertices, partEnds: polygon.ringEnds))
  }

  /// A fence with its buffer, on WGS84: the fence geometry of a notification.
  ///
  /// - Throws: when there is none, for a fence that is left out or a point without a counterpart.
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
