import PlumbCore
import PlumbGeometry
import PlumbLayers

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The view of a picture: a rectangle in the plane of a CRS, with north up unless the view is
/// rotated.
public struct DrawnView: Sendable {
  /// The CRS of the picture.
  public let reference: SpatialReference
  /// The extent of the picture before rotation, with its aspect ratio.
  public let extent: Envelope
  /// The size in pixels.
  public let width, height: Int

  /// The rotation of the picture around its middle in degrees, counter-clockwise.
  public var rotation = 0.0 {
    didSet { turn = rotation == 0 ? nil : Turn(degrees: rotation) }
  }
  private var turn: Turn?

  private struct Turn {
    let cosine, sine: Double

    init(degrees: Double) {
      let angle = degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
      (cosine, sine) = (cos(angle), sin(angle))
    }
  }

  /// The size of a pixel in units of the CRS.
  public var pixelSide: Double { (extent.xMax - extent.xMin) / Double(width) }

  /// The scale denominator, which is based on the nominal size of the CRS's unit.
  public var scale: Double { pixelSide / Pixel.side(atScale: 1, in: reference) }

  /// Creates a view of an extent, which is enlarged in one direction to match the aspect ratio of the
  /// picture.
  ///
  /// - Throws: `bad_option` for an extent that is a single point, or a size that is not above 0.
  public init(
    extent: Envelope, width: Int, height: Int, reference: SpatialReference
  ) throws(DrawingError) {
    let (across, down) = (extent.xMax - extent.xMin, extent.yMax - extent.yMin)
    guard across >= 0, down >= 0, across + down > 0, across.isFinite, down.isFinite else {
      throw DrawingError(
        "the extent of a picture needs a width or a height above 0", code: .badOption)
    }
    try self.init(
      center: SIMD2((extent.xMin + extent.xMax) / 2, (extent.yMin + extent.yMax) / 2),
      pixelSide: max(across / Double(max(1, width)), down / Double(max(1, height))),
      width: width, height: height, reference: reference)
  }

  /// Creates a view around a point of the CRS at a scale.
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
    let margin = SIMD2(Double(width), Double(height)) * (pixelSide / 2)
    extent = Envelope(
      xMin: center.x - margin.x, yMin: center.y - margin.y, xMax: center.x + margin.x,
      yMax: center.y + margin.y, spatialReference: reference)
    (self.width, self.height, self.reference) = (width, height, reference)
  }

  /// The pixel coordinates of a point of the CRS, before the view is rotated.
  func pixel(_ x: Double, _ y: Double) -> SIMD2<Double> {
    SIMD2((x - extent.xMin) / pixelSide, (extent.yMax - y) / pixelSide)
  }

  /// The pixel coordinates after the view's rotation.
  func turned(_ pixel: SIMD2<Double>) -> SIMD2<Double> {
    guard let turn else { return pixel }
    let middle = SIMD2(Double(width), Double(height)) / 2
    let from = pixel - middle
    return middle
      + SIMD2(
        from.x * turn.cosine + from.y * turn.sine, from.y * turn.cosine - from.x * turn.sine)
  }

  /// The centre of a pixel of the picture, in the CRS.
  func center(column: Int, row: Int) -> SIMD2<Double> {
    var pixel = SIMD2(Double(column) + 0.5, Double(row) + 0.5)
    if let turn {
      let middle = SIMD2(Double(width), Double(height)) / 2
      let from = pixel - middle
      pixel =
        middle
        + SIMD2(
          from.x * turn.cosine - from.y * turn.sine, from.y * turn.cosine + from.x * turn.sine)
    }
    return SIMD2(extent.xMin + pixel.x * pixelSide, extent.yMax - pixel.y * pixelSide)
  }

  /// The distance in pixels from each side of `extent` to the bounds of the rotated picture;
  /// negative if the bounds are inside `extent`.
  var overhang: SIMD2<Double> {
    guard let turn else { return .zero }
    let half = SIMD2(Double(width), Double(height)) / 2
    let (cosine, sine) = (abs(turn.cosine), abs(turn.sine))
    return SIMD2(half.x * cosine + half.y * sine, half.x * sine + half.y * cosine) - half
  }
}
