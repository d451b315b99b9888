import PlumbCore
import PlumbGeometry
import PlumbRaster

/// The status of an area on a raster.
package enum ZonalStatus: String, Sendable, CaseIterable {
  /// Cells with values cover the whole area.
  case ok
  /// Part of the area is off the raster, or covered by cells without values.
  case partial
  /// No cell under the area has a value.
  case noData = "nodata"
  /// The area is off the raster.
  case outside
  /// The area has no size, or its shape cannot be used.
  case badArea = "bad_area"
  /// Some cells could not be read.
  case readError = "read_error"
  /// The area cannot be transformed to the raster's CRS.
  case transformFailed = "transform_failed"
}

/// A batch of areas on one grid, with their coverage or the reasons why they have no coverage.
struct ZonalAreas {
  /// The coverage. Areas with a fault have no cells.
  var coverage: CoverageParts
  /// The coverage in the order of tiles, which replaces `coverage`; nil before `order(along:readCount:)`.
  private(set) var ordered: OrderedCoverage?
  /// The fault of each area; nil if the area can be used.
  var faults: [ZonalStatus?] = []
  /// The size of each area in cells.
  var sizes: [Double] = []
  /// Whether each area is a polygon, not a line or a point.
  var isAreal: [Bool] = []
  /// Whether the edges of an area cross more cells than allowed; the coverage is then incomplete.
  var isOverLimit = false
  /// The number of areas that had to be repaired.
  var repairCount = 0

  private static let grain = 256

  /// Places areas and computes their coverage, on all workers.
  ///
  /// - Parameters:
  ///   - areas: polygons, lines or points; nil for a feature without an area.
  ///   - rule: the rule that selects cells.
  init(
    _ areas: [Geometry?], on placement: AreaPlacement, _ cells: ZonalGrid,
    _ rule: InclusionRule, limit: Int, _ workers: Workers
  ) {
    coverage = CoverageParts(isExact: rule.isExact)
    let parts = workers.mapRanges(areas.count, grain: Self.grain) { worker, range in
      var part = ZonalAreas(isExact: rule.isExact)
      let builder = CoverageBuilder(
        grid: cells.grid, transform: cells.transform, rule: rule, edgeCellLimit: limit)
      for index in range {
        // Cancelled work has no results.
        if WorkCancellation.isCurrentCancelled || builder.isOverLimit { break }
        part.add(areas[index], placement, builder, worker)
      }
      part.coverage = CoverageParts(builder.store)
      part.isOverLimit = builder.isOverLimit
      return part
    }
    for part in parts { append(part) }
  }

  /// Creates a batch without areas.
  init(isExact: Bool) { coverage = CoverageParts(isExact: isExact) }

  mutating func append(_ part: ZonalAreas) {
    coverage.append(part.coverage)
    faults += part.faults
    sizes += part.sizes
    isAreal += part.isAreal
    isOverLimit = isOverLimit || part.isOverLimit
    repairCount += part.repairCount
  }

  /// Orders the coverage along the tiles of a grid.
  ///
  /// - Parameter readCount: the number of times that the coverage will be read.
  mutating func order(along grid: TileGrid, readCount: Int) {
    ordered = OrderedCoverage(coverage, along: grid, movesAreas: readCount >= 4)
    coverage = CoverageParts(isExact: coverage.isExact)
  }

  private mutating func add(
    _ area: Geometry?, _ placement: AreaPlacement, _ builder: CoverageBuilder, _ worker: Int
  ) {
    var fault: ZonalStatus?
    var size = 0.0
    var isAreal = true
    do throws(AreaPlacement.Fault) {
      switch area {
      case .polygon(let polygon): size = try add(polygon, placement, builder, worker)
      case .envelope(let envelope):
        size = try add(envelope.polygon, placement, builder, worker)
      case .polyline(let lines):
        isAreal = false
        let placed = try placement.place(lines, worker: worker)
        size = builder.length(of: placed)
        builder.add(try placement.turned(placed))
      case .point, .multipoint:
        isAreal = false
        let points = area?.vertices.xy ?? []
        builder.add(points: try placement.place(points: points, worker: worker))
        size = builder.store.areas.last?.size ?? 0
      case nil: throw .badArea
      }
      if let last = builder.store.areas.last, last.condition != .valid || !(last.size > 0) {
        builder.removeLast()
        throw .badArea
      }
    } catch {
      builder.add(.empty())
      fault = error == .badArea ? .badArea : .transformFailed
    }
    faults.append(fault)
    sizes.append(size)
    self.isAreal.append(isAreal)
  }

  /// Adds a polygon, and returns its size in cells.
  private mutating func add(
    _ polygon: Polygon, _ placement: AreaPlacement, _ builder: CoverageBuilder, _ worker: Int
  ) throws(AreaPlacement.Fault) -> Double {
    var polygon = polygon
    var isRepaired = false
    if placement.hasPoles, polygon.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }),
      !GeometryEngine.isValid(polygon)
    {
      // Rings around a pole become lines, so crossing edges have to be repaired before the
      // transformation.
      polygon = try Self.repaired(polygon)
      isRepaired = true
    }
    var placed = try placement.place(polygon, worker: worker)
    if !GeometryEngine.isValid(placed) {
      placed = try Self.repaired(placed)
      isRepaired = true
    }
    var size = builder.size(of: placed)
    let turned = try placement.turned(placed)
    builder.add(turned)
    if builder.store.areas.last?.condition == .inconsistent {
      builder.removeLast()
      builder.add(try Self.repaired(turned))
      if turned.partEnds.count > 1, let part = placement.oneTurn(of: placed) {
        // The parts overlap on the Earth, but possibly not in the plane, because coordinates that differ
        // by 360° of longitude are at the same location.
        size = builder.size(of: part)
      } else {
        isRepaired = true
      }
    }
    if isRepaired { repairCount += 1 }
    return size
  }

  private static func repaired(_ polygon: Polygon) throws(AreaPlacement.Fault) -> Polygon {
    guard let repaired = try? GeometryEngine.repaired(polygon), !repaired.isEmpty else {
      throw .badArea
    }
    return repaired
  }

  /// Returns the status of an area, and the fraction of its size that is covered by cells with
  /// values.
  func status(of area: Int, _ result: ZonalSampler.Result) -> (ZonalStatus, fraction: Double?) {
    if let fault = faults[area] { return (fault, nil) }
    let size = sizes[area]
    let fraction = min(1, result.surface / size)
    if result.hasReadError { return (.readError, fraction) }
    if result.touched == 0 { return (.outside, 0) }
    if result.surface == 0 { return (.noData, 0) }
    // Sums of fractions have rounding errors.
    let tolerance = isAreal[area] ? 1e-9 * max(1, size) : 1e-9 * size
    let isWhole = size.isFinite && abs(result.surface - size) <= tolerance
    return isWhole ? (result.extras.isWeightMissing ? .partial : .ok, 1) : (.partial, fraction)
  }
}
