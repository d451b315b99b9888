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

  /// Round all that a map's visible layers hold, in a reference; nil where no layer knows. What lies on
  /// both sides of 180 degrees of longitude has the window across it, where that is the short way round.
  ///
  /// - Parameters:
  ///   - map: whose layers are opened for it.
  ///   - reference: layers that have no way to it do not count.
  ///   - hidden: whether layers that are not visible count too.
  public static func extent(
    of map: Map, in reference: SpatialReference, hidden: Bool = false
  ) -> Envelope? {
    map.asking {
      var whole = JoinedExtent(in: reference)
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
          whole.add(projected)
        }
      }
      // Map layers hold each other only by groups.
      map.layers.forEach(add)
      return whole.envelope
    }
  }

  /// Why a visible layer of a map cannot say what it holds, the first one that cannot; nil where all say.
  public static func failureOfExtent(of map: Map) -> LayerError? {
    map.asking { failure(in: map.layers) }
  }

  private static func failure(in layers: [any Layer]) -> LayerError? {
    for layer in layers where layer.isVisible {
      do throws(LayerError) {
        try layer.load()
        if case .feature(let features) = layer.typed, !features.table.isRemote {
          try features.loadFeatures()
        }
      } catch {
        return error.of(layer.name.printable)
      }
      if let failure = failure(in: layer.sublayers) { return failure }
    }
    return nil
  }

  private static func extents(of layer: any Layer) -> [Envelope] {
    switch layer.typed {
    case .feature(let layer):
      let reference = layer.table.spatialReference
      if var known = layer.table.extent, !mayBeNarrower(known, layer.table) {
        known.spatialReference = reference
        return [known]
      }
      // A source that does not say is read: its features are drawn anyway.
      var whole = JoinedExtent(in: reference)
      for feature in (try? layer.loadFeatures())?.features ?? [] {
        if let shape = feature.geometry { whole.add(shape) }
      }
      return whole.envelope.map { [$0] } ?? []
    case .raster(let layer):
      return (layer.raster?.members ?? []).compactMap { member in
        var extent = member.profile.extent
        extent?.spatialReference = member.profile.reference.flatMap { try? SpatialReference($0) }
        return extent
      }
    case .group, .mapImage, .remote, .broken: return []
    }
  }

  /// Whether features may lie on both sides of 180 degrees of longitude, and are few enough to be looked
  /// at for it.
  private static func mayBeNarrower(_ extent: Envelope, _ table: any FeatureTable) -> Bool {
    guard !extent.isEmpty, !table.isRemote, (table.featureCount ?? .max) <= 200_000,
      let period = table.spatialReference?.planePeriod
    else { return false }
    return extent.xMax - extent.xMin > period / 2
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
