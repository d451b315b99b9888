import PlumbCore
import PlumbGeometry
import PlumbRaster

/// The status of an area on a raster.
package enum ZonalStatus: String, Sendable, CaseIterable {
  /// All of the area is covered by cells with values.
  case ok
  /// Part of the area is off the raster, or covered by cells without values.
  case partial
  /// None of the cells has a value.
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

/// A batch of areas on one grid: their coverage, or the reasons why they have none.
struct ZonalAreas {
  /// The coverage; the areas with a fault have no cells.
  var coverage = CoverageStore()
  /// The fault of each area; nil if it can be used.
  var faults: [ZonalStatus?] = []
  /// The size of each area in cells.
  var sizes: [Double] = []
  /// The number of areas that had to be repaired.
  var repairCount = 0

  private static let grain = 256

  /// Places areas and computes their coverage, on all workers.
  ///
  /// - Parameter areas: nil for a feature without an area.
  init(
    _ areas: [Polygon?], on placement: AreaPlacement, _ grid: TileGrid, _ transform: GridTransform,
    _ workers: Workers
  ) {
    let parts = workers.mapRanges(areas.count, grain: Self.grain) { worker, range in
      var part = ZonalAreas()
      let builder = CoverageBuilder(grid: grid, transform: transform)
      for index in range { part.add(areas[index], placement, builder, worker) }
      part.coverage = builder.store
      return part
    }
    for part in parts {
      coverage.append(part.coverage)
      faults += part.faults
      sizes += part.sizes
      repairCount += part.repairCount
    }
  }

  private init() {}

  private mutating func add(
    _ area: Polygon?, _ placement: AreaPlacement, _ builder: CoverageBuilder, _ worker: Int
  ) {
    var fault: ZonalStatus?
    var size = 0.0
    do throws(AreaPlacement.Fault) {
      guard let area else { throw .badArea }
      var placed = try placement.place(area, worker: worker)
      var isRepaired = !GeometryEngine.isValid(placed)
      if isRepaired { placed = try Self.repaired(placed) }
      size = builder.size(of: placed)
      placed = try placement.turned(placed)
      builder.add(placed)
      if builder.store.areas.last?.condition == .inconsistent {
        builder.removeLast()
        isRepaired = true
        builder.add(try Self.repaired(placed))
      }
      if let last = builder.store.areas.last, last.condition != .valid || last.size <= 0 {
        builder.removeLast()
        throw .badArea
      }
      if isRepaired { repairCount += 1 }
    } catch {
      builder.add(.empty())
      fault = error == .badArea ? .badArea : .transformFailed
    }
    faults.append(fault)
    sizes.append(size)
  }

  private static func repaired(_ polygon: Polygon) throws(AreaPlacement.Fault) -> Polygon {
    guard let repaired = try? GeometryEngine.repaired(polygon), !repaired.isEmpty else {
      throw .badArea
    }
    return repaired
  }

  /// The status of an area, and the fraction of its size that is covered by cells with values.
  func status(of area: Int, _ result: ZonalSampler.Result) -> (ZonalStatus, fraction: Double?) {
    if let fault = faults[area] { return (fault, nil) }
    let size = sizes[area]
    let fraction = min(1, result.moments.count / size)
    if result.hasReadError { return (.readError, fraction) }
    if result.moments.coverage == 0 { return (.outside, 0) }
    if result.moments.count == 0 { return (.noData, 0) }
    // Sums of fractions have rounding errors.
    let isWhole = size.isFinite && abs(result.moments.count - size) <= 1e-9 * max(1, size)
    return isWhole ? (.ok, 1) : (.partial, fraction)
  }
}
