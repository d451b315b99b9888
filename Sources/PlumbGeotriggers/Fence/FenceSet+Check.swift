import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// Returns the fences' common CRS.
  static func commonReference(_ fences: [Fence]) throws(GeotriggerError) -> SpatialReference {
    var found: SpatialReference?
    // CRSs with different definitions may be equivalent.
    var equivalents: Set<SpatialReference> = []
    for fence in fences {
      guard let fenceReference = fence.geometry.spatialReference else { continue }
      guard let known = found else {
        (found, equivalents) = (fenceReference, [fenceReference])
        continue
      }
      if fenceReference == known || equivalents.contains(fenceReference) { continue }
      guard fenceReference.isEquivalent(to: known) else {
        throw GeotriggerError(
          "fence \(fence.id) is in \(fenceReference.label), others in \(known.label): project them to one"
        )
      }
      equivalents.insert(fenceReference)
    }
    guard let found else {
      if fences.isEmpty { return .wgs84 }
      throw GeotriggerError("the fences have no spatial reference")
    }
    do throws(GeometryError) {
      // Creating the tools here reports an unsuitable CRS before the first location.
      _ = try FenceProbe.Tools(found)
    } catch {
      throw GeotriggerError(
        "fences cannot be measured in \(found.label): \(error.message)", code: .transformFailed,
        cause: error)
    }
    return found
  }

  /// Returns the warnings about single fences.
  static func warnings(
    _ fences: [Fence], _ bufferDistance: Double, _ reference: SpatialReference
  ) -> [FenceWarning] {
    var warnings: [FenceWarning] = []
    let pole = reference.period.map { $0 / 4 * (1 + 1e-12) }
    for (position, fence) in fences.enumerated() {
      if let message = fault(fence.geometry, bufferDistance, pole) {
        warnings.append(FenceWarning(fence: position, id: fence.id, message: message))
      }
    }
    return warnings
  }

  /// - Parameter pole: the greatest latitude in the unit of the CRS; nil if y is not a latitude.
  private static func fault(
    _ geometry: Geometry, _ bufferDistance: Double, _ pole: Double?
  ) -> String? {
    if geometry.isEmpty { return "its geometry is empty" }
    let points: [SIMD2<Double>]
    switch geometry {
    case .point(let point): points = [SIMD2(point.x, point.y)]
    case .multipoint(let multipoint): points = multipoint.vertices.xy
    case .polyline(let line): points = line.vertices.xy
    case .polygon(let polygon): points = polygon.vertices.xy
    case .envelope(let envelope):
      points = [SIMD2(envelope.xMin, envelope.yMin), SIMD2(envelope.xMax, envelope.yMax)]
    }
    for location in points {
      guard location.x.isFinite, location.y.isFinite else {
        return "the coordinate \(location.x), \(location.y) is not finite"
      }
      if let pole, location.y.magnitude > pole {
        return "the latitude \(location.y) is beyond the pole"
      }
    }
    if bufferDistance == 0, geometry.dimension < 2 {
      return "\(geometry.dimension == 0 ? "a point" : "a line") needs a buffer distance"
    }
    return nil
  }
}
