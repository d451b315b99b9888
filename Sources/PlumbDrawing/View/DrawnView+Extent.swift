import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

extension DrawnView {
  /// The length on the ground of the horizontal side of a pixel in the middle of the picture, in
  /// metres; nil if the view has no ground distances.
  var groundResolution: Double? {
    guard let toDegrees = try? Transformation(from: reference, to: .wgs84) else { return nil }
    let middle = (extent.xMin + extent.xMax) / 2
    var x = [middle - pixelSide / 2, middle + pixelSide / 2]
    var y = [Double](repeating: (extent.yMin + extent.yMax) / 2, count: 2)
    toDegrees.apply(x: &x, y: &y, count: 2)
    guard (x + y).allSatisfy(\.isFinite) else { return nil }
    let distance = Geodesic(.wgs84).inverse(from: SIMD2(x[0], y[0]), to: SIMD2(x[1], y[1])).distance
    return distance > 0 ? distance : nil
  }

  /// Returns the extent of a map's visible layers in a CRS; nil if no layer has an extent. For data
  /// on both sides of 180 degrees of longitude, the extent crosses 180 degrees if the extent is
  /// then narrower.
  ///
  /// - Parameters:
  ///   - map: the map, whose layers are opened.
  ///   - reference: the CRS of the extent; layers without a transformation to this CRS are ignored.
  ///   - hidden: whether to include layers that are not visible.
  public static func extent(
    of map: Map, in reference: SpatialReference, hidden: Bool = false
  ) -> Envelope? {
    map.withLock {
      var joined = JoinedExtent(in: reference)
      func add(_ layer: any Layer) {
        guard hidden || layer.isVisible, (try? layer.load()) != nil else { return }
        for sublayer in layer.sublayers { add(sublayer) }
        for extent in extents(of: layer) {
          guard !extent.isEmpty else { continue }
          var projected = extent
          if let extentReference = extent.spatialReference,
            !extentReference.isEquivalent(to: reference)
          {
            guard
              case .envelope(let found)? = try? GeometryEngine.project(
                .envelope(extent), to: reference)
            else { continue }
            projected = found
          }
          joined.add(projected)
        }
      }
      // Nested layers are visited as sublayers of their groups.
      map.layers.forEach(add)
      return joined.envelope
    }
  }

  /// The error of the first visible layer whose extent cannot be determined; nil if there is none.
  public static func failureOfExtent(of map: Map) -> LayerError? {
    map.withLock { failure(in: map.layers) }
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
      // If the source has no extent, the features are read, because drawing needs them anyway.
      var joined = JoinedExtent(in: reference)
      for feature in (try? layer.loadFeatures())?.features ?? [] {
        if let shape = feature.geometry { joined.add(shape) }
      }
      return joined.envelope.map { [$0] } ?? []
    case .raster(let layer):
      return layer.members.compactMap { member in
        var extent = member.profile.extent
        extent?.spatialReference = member.profile.reference.flatMap { try? SpatialReference($0) }
        return extent
      }
    case .group, .mapImage, .remote, .broken: return []
    }
  }

  /// Whether features may be on both sides of 180 degrees of longitude, and are few enough to check
  /// each feature.
  private static func mayBeNarrower(_ extent: Envelope, _ table: any FeatureTable) -> Bool {
    guard !extent.isEmpty, !table.isRemote, (table.featureCount ?? .max) <= 200_000,
      let period = table.spatialReference?.planePeriod
    else { return false }
    return extent.xMax - extent.xMin > period / 2
  }
}

extension RasterProfile {
  /// The extent of the raster, without its CRS; nil if it has no affine or rectilinear grid.
  var extent: Envelope? {
    guard let corners = mapping.placement?.corners(of: grid),
      let xMin = corners.map(\.x).min(), let xMax = corners.map(\.x).max(),
      let yMin = corners.map(\.y).min(), let yMax = corners.map(\.y).max()
    else { return nil }
    return Envelope(xMin: xMin, yMin: yMin, xMax: xMax, yMax: yMax)
  }
}
