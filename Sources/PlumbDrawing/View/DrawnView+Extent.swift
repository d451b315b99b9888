import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

extension DrawnView {
  /// Metres on the ground in a pixel in the middle of the picture, from left to right; nil where that
  /// is not on the ground.
  var groundSide: Double? {
    guard let toDegrees = try? Transformation(from: reference, to: .wgs84) else { return nil }
    let middle = (extent.xMin + extent.xMax) / 2
    var x = [middle - pixelSide / 2, middle + pixelSide / 2]
    var y = [Double](repeating: (extent.yMin + extent.yMax) / 2, count: 2)
    toDegrees.apply(x: &x, y: &y, count: 2)
    guard (x + y).allSatisfy(\.isFinite) else { return nil }
    let distance = Geodesic(.wgs84).inverse(from: SIMD2(x[0], y[0]), to: SIMD2(x[1], y[1])).distance
    return distance > 0 ? distance : nil
  }

  /// Round all that a map's visible layers hold, in a reference; nil where no layer knows.
  ///
  /// - Parameters:
  ///   - map: whose layers are opened for it.
  ///   - reference: layers that have no way to it do not count.
  ///   - hidden: whether layers that are not visible count too.
  public static func extent(
    of map: Map, in reference: SpatialReference, hidden: Bool = false
  ) -> Envelope? {
    map.asking {
      var whole: Envelope?
      func add(_ layer: any Layer) {
        guard hidden || layer.isVisible, (try? layer.load()) != nil else { return }
        for sublayer in layer.sublayers { add(sublayer) }
        for extent in extents(of: layer) {
          guard !extent.isEmpty else { continue }
          var projected = extent
          if let own = extent.spatialReference, !own.isEquivalent(to: reference) {
            guard
              case .envelope(let found)? = try? GeometryEngine.project(
                .envelope(extent), to: reference)
            else { continue }
            projected = found
          }
          whole = whole.map { $0.joined(projected) } ?? projected
        }
      }
      // Map layers hold each other only by groups.
      map.layers.forEach(add)
      return whole
    }
  }

  private static func extents(of layer: any Layer) -> [Envelope] {
    switch layer.typed {
    case .feature(let layer):
      // A source that does not say is read: its features are drawn anyway.
      let known = layer.table.extent.map { [$0] }
      let found = known ?? (try? layer.loadFeatures())?.features.compactMap(\.geometry?.envelope)
      let whole = (found ?? []).filter { !$0.isEmpty }
      guard var extent = whole.first else { return [] }
      for other in whole.dropFirst() { extent = extent.joined(other) }
      extent.spatialReference = layer.table.spatialReference
      return [extent]
    case .raster(let layer):
      return (layer.raster?.members ?? []).compactMap { member in
        var extent = member.profile.extent
        extent?.spatialReference = member.profile.reference.flatMap { try? SpatialReference($0) }
        return extent
      }
    case .group, .mapImage, .remote, .broken: return []
    }
  }
}

extension RasterProfile {
  /// Round the raster, without its reference; nil where its cells lie in no plain grid.
  var extent: Envelope? {
    guard let corners = mapping.placement?.corners(of: grid),
      let xMin = corners.map(\.x).min(), let xMax = corners.map(\.x).max(),
      let yMin = corners.map(\.y).min(), let yMax = corners.map(\.y).max()
    else { return nil }
    return Envelope(xMin: xMin, yMin: yMin, xMax: xMax, yMax: yMax)
  }
}

extension Envelope {
  /// Round both.
  package func joined(_ other: Envelope) -> Envelope {
    Envelope(
      xMin: min(xMin, other.xMin), yMin: min(yMin, other.yMin), xMax: max(xMax, other.xMax),
      yMax: max(yMax, other.yMax), spatialReference: spatialReference)
  }
}
