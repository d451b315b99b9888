import PlumbCore
import PlumbGeometry
import PlumbLayers

/// What a picture shows: a rectangle of the plane of one reference, north up.
public struct DrawnView: Sendable {
  /// What the picture's coordinates are in.
  public let reference: SpatialReference
  /// What the picture shows, as wide and high as it is.
  public let extent: Envelope
  /// In pixels.
  public let width, height: Int

  /// Units of the reference in a pixel.
  public var pixelSide: Double { (extent.xMax - extent.xMin) / Double(width) }

  /// The denominator of the scale, by the nominal size of the reference's unit.
  public var scale: Double { pixelSide / Pixel.side(atScale: 1, in: reference) }

  /// A view that shows all of an extent, and more of one of its axes where the shapes differ.
  ///
  /// - Throws: `bad_option` for an extent or a size that has no area.
  public init(
    extent: Envelope, width: Int, height: Int, reference: SpatialReference
  ) throws(DrawingError) {
    let (across, down) = (extent.xMax - extent.xMin, extent.yMax - extent.yMin)
    guard across >= 0, down >= 0, across + down > 0, across.isFinite, down.isFinite else {
      throw DrawingError(
        "the extent of a picture needs a width and a height above 0", code: .badOption)
    }
    try self.init(
      center: SIMD2((extent.xMin + extent.xMax) / 2, (extent.yMin + extent.yMax) / 2),
      pixelSide: max(across / Double(max(1, width)), down / Double(max(1, height))),
      width: width, height: height, reference: reference)
  }

  /// A view round a point of the reference at a scale.
  ///
  /// - Throws: `bad_option` for a scale or a size that is not above 0.
  public init(
    center: SIMD2<Double>, scale: Double, width: Int, height: Int, reference: SpatialReference
  ) throws(DrawingError) {
    try self.init(
      center: center, pixelSide: Pixel.side(atScale: scale, in: reference), width: width,
      height: height, reference: reference)
  }

  private init(
    center: SIMD2<Double>, pixelSide: Double, width: Int, height: Int,
    reference: SpatialReference
  ) throws(DrawingError) {
    guard width > 0, height > 0, pixelSide > 0, pixelSide.isFinite, center.x.isFinite,
      center.y.isFinite
    else {
      throw DrawingError("a picture needs a size and a scale above 0", code: .badOption)
    }
    let reach = SIMD2(Double(width), Double(height)) * (pixelSide / 2)
    extent = Envelope(
      xMin: center.x - reach.x, yMin: center.y - reach.y, xMax: center.x + reach.x,
      yMax: center.y + reach.y, spatialReference: reference)
    (self.width, self.height, self.reference) = (width, height, reference)
  }

  /// The pixel over a point of the reference.
  func pixel(_ x: Double, _ y: Double) -> SIMD2<Double> {
    SIMD2((x - extent.xMin) / pixelSide, (extent.yMax - y) / pixelSide)
  }
}
