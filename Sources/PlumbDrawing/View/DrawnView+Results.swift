import PlumbCore
import PlumbGeometry
import PlumbLayers

extension DrawnView {
  /// The default CRS of pictures.
  public static var defaultReference: SpatialReference {
    get throws(DrawingError) {
      do {
        return try SpatialReference("EPSG:3857")
      } catch {
        throw DrawingError(error.messageTemplate, code: error.code)
      }
    }
  }

  /// A plane for coordinates whose CRS is unknown.
  private static var plane: SpatialReference {
    get throws(DrawingError) {
      do {
        return try SpatialReference(
          "ENGCRS[\"plane\",EDATUM[\"unknown\"],CS[Cartesian,2],AXIS[\"x\",east],AXIS[\"y\",north],"
            + "LENGTHUNIT[\"metre\",1]]")
      } catch {
        throw DrawingError(error.messageTemplate, code: error.code)
      }
    }
  }

  /// Creates a view of all shapes of some results with a margin. The view is in `reference` or, if
  /// `reference` is nil, in the default CRS. If shapes cannot be projected to this CRS, the view is
  /// in the CRS of the first result that has one. If no CRS is known, the view is in plane
  /// coordinates.
  ///
  /// - Throws: `bad_option` if there are no shapes, or the shapes cannot be projected.
  public init(
    showing overlays: [Overlay], width: Int, height: Int,
    reference requested: SpatialReference? = nil
  ) throws(DrawingError) {
    let extents = overlays.compactMap(\.extent)
    guard !extents.isEmpty else {
      throw DrawingError("the result has no shapes to draw", code: .badOption)
    }
    let resultReference = extents.lazy.compactMap(\.spatialReference).first
    let usual: SpatialReference
    if let requested { usual = requested } else { usual = try Self.defaultReference }
    let tried: [SpatialReference]
    if let resultReference {
      tried = [usual, resultReference]
    } else {
      tried = [requested == nil ? try Self.plane : usual]
    }
    for reference in tried {
      var joined = JoinedExtent(in: reference)
      for extent in extents {
        if let there = Self.projected(extent, to: reference) { joined.add(there) }
      }
      guard var shown = joined.envelope else { continue }
      let minimum = reference.isGeographic ? 0.002 : 200
      let margin = max((shown.xMax - shown.xMin) * 0.06, (shown.yMax - shown.yMin) * 0.06)
      let radius = margin > 0 ? margin : resultReference == nil ? 1 : minimum
      shown.xMin -= radius
      shown.xMax += radius
      shown.yMin -= radius
      shown.yMax += radius
      try self.init(extent: shown, width: width, height: height, reference: reference)
      return
    }
    throw DrawingError(
      "the result cannot be projected to \(usual.label)", code: .badOption)
  }

  private static func projected(_ extent: Envelope, to reference: SpatialReference) -> Envelope? {
    guard let resultReference = extent.spatialReference,
      !resultReference.isEquivalent(to: reference)
    else { return extent }
    let shape = try? GeometryEngine.project(.envelope(extent), to: reference)
    guard case .envelope(let there)? = shape,
      there.xMin.isFinite, there.yMin.isFinite, there.xMax.isFinite, there.yMax.isFinite
    else { return nil }
    return there
  }

  /// Creates a view of points and their surroundings.
  ///
  /// - Parameters:
  ///   - points: the coordinates in `reference`.
  ///   - reference: the CRS of the points; nil if unknown.
  ///   - reach: the distance to show around the points, in metres.
  ///   - scale: the scale denominator for a single point; nil to use `reach`.
  ///   - width: the width in pixels.
  ///   - height: the height in pixels.
  public init(
    of points: [SIMD2<Double>], in reference: SpatialReference?, reach: Double, scale: Double?,
    width: Int, height: Int
  ) throws(DrawingError) {
    var overlay = Overlay("", reference: reference)
    for point in points {
      overlay.add(.point(Point(x: point.x, y: point.y)), as: "") { _ in
        .marker(MarkerSymbol(size: 1))
      }
    }
    let tight = try DrawnView(showing: [overlay], width: width, height: height)
    let center = SIMD2(
      (tight.extent.xMin + tight.extent.xMax) / 2, (tight.extent.yMin + tight.extent.yMax) / 2)
    if let scale, points.count == 1 {
      try self.init(
        center: center, scale: scale, width: width, height: height, reference: tight.reference)
      return
    }
    // Metres on the ground per unit of the view.
    let unit = tight.groundResolution.map { $0 / tight.pixelSide } ?? 1
    let (across, down) = (
      tight.extent.xMax - tight.extent.xMin, tight.extent.yMax - tight.extent.yMin
    )
    let halfSize =
      SIMD2(
        points.count > 1 ? across / 2 : 0, points.count > 1 ? down / 2 : 0) + reach / unit
    try self.init(
      extent: Envelope(
        xMin: center.x - halfSize.x, yMin: center.y - halfSize.y, xMax: center.x + halfSize.x,
        yMax: center.y + halfSize.y, spatialReference: tight.reference),
      width: width, height: height, reference: tight.reference)
  }
}
