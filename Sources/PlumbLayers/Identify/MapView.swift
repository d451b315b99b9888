import PlumbCore
import PlumbGeometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A view of a map without a screen. It converts between points of the map and pixels of the view.
///
/// Screen points are in pixels of 1/96 inch from the upper left corner, x to the right and y downwards.
public struct MapView {
  /// The map in the view.
  public var map: Map
  /// The centre, scale and rotation of the view.
  public var viewpoint: Viewpoint
  /// The width in pixels.
  public var width: Double
  /// The height in pixels.
  public var height: Double

  /// - Throws: if the scale, the size or the centre is not a usable number, or the centre cannot be
  ///   transformed to the map's CRS.
  public init(
    _ map: Map, viewpoint: Viewpoint, width: Double, height: Double
  ) throws(LayerError) {
    guard viewpoint.scale > 0, viewpoint.scale.isFinite, viewpoint.rotation.isFinite else {
      throw LayerError(code: .badQuery, message: "a viewpoint needs a scale above 0")
    }
    guard width > 0, height > 0, width.isFinite, height.isFinite else {
      throw LayerError(code: .badQuery, message: "a view needs a width and a height above 0")
    }
    self.map = map
    self.width = width
    self.height = height
    self.viewpoint = viewpoint
    guard let reference = map.resolvedReference else {
      self.viewpoint.center.spatialReference = nil
      try check()
      return
    }
    do {
      let center = Geometry.point(viewpoint.center)
      if viewpoint.center.spatialReference != nil {
        guard case .point(let projectedCentre) = try GeometryEngine.project(center, to: reference)
        else {
          throw LayerError(code: .badQuery, message: "the viewpoint's centre is not a point")
        }
        self.viewpoint.center = projectedCentre
      }
      self.viewpoint.center.spatialReference = reference
    } catch {
      throw LayerError(
        code: .badQuery, PlumbError("the viewpoint's centre", error))
    }
    try check()
  }

  private func check() throws(LayerError) {
    guard viewpoint.center.x.isFinite, viewpoint.center.y.isFinite else {
      throw LayerError(code: .badQuery, message: "a viewpoint needs a centre of two numbers")
    }
  }

  /// The size of a pixel in map units.
  private var side: Double {
    Pixel.side(atScale: viewpoint.scale, in: map.resolvedReference)
  }

  private var direction: SIMD2<Double> {
    let angle = viewpoint.rotation * .pi / 180
    return SIMD2(cos(angle), sin(angle))
  }

  /// Returns the point at a pixel, in the map's CRS.
  public func location(of screenPoint: SIMD2<Double>) -> Point {
    let right = (screenPoint.x - width / 2) * side
    let up = (height / 2 - screenPoint.y) * side
    let turn = direction
    return Point(
      x: viewpoint.center.x + right * turn.x + up * turn.y,
      y: viewpoint.center.y - right * turn.y + up * turn.x,
      spatialReference: map.resolvedReference)
  }

  /// Returns the pixel of a point of the map, which may be outside the view.
  ///
  /// - Parameter location: the point in the map's CRS.
  public func screenPoint(of location: Point) -> SIMD2<Double> {
    let (dx, dy) = (location.x - viewpoint.center.x, location.y - viewpoint.center.y)
    let turn = direction
    return SIMD2(
      width / 2 + (dx * turn.x - dy * turn.y) / side,
      height / 2 - (dx * turn.y + dy * turn.x) / side)
  }

  /// Identifies the map's layers around a pixel, the topmost first.
  ///
  /// - Parameters:
  ///   - screenPoint: the pixel from the upper left corner, y downwards.
  ///   - tolerance: the radius of the circle in pixels, at most 100.
  ///   - returnPopupsOnly: whether to return popups without their elements.
  ///   - maximumResultsPerLayer: the maximum number of results; nil for no limit.
  public func identifyLayers(
    screenPoint: SIMD2<Double>, tolerance: Double, returnPopupsOnly: Bool = false,
    maximumResultsPerLayer: Int? = 1
  ) throws(LayerError) -> [IdentifyLayerResult] {
    try map.identifyLayers(
      at: location(of: screenPoint),
      options(tolerance, returnPopupsOnly, maximumResultsPerLayer))
  }

  /// Identifies one layer around a pixel.
  ///
  /// - Throws: an error for invalid options, or the layer's own failure.
  public func identifyLayer(
    _ id: String, screenPoint: SIMD2<Double>, tolerance: Double, returnPopupsOnly: Bool = false,
    maximumResultsPerLayer: Int? = 1
  ) throws(LayerError) -> IdentifyLayerResult {
    try map.identifyLayer(
      id, at: location(of: screenPoint),
      options(tolerance, returnPopupsOnly, maximumResultsPerLayer))
  }

  private func options(
    _ tolerance: Double, _ returnPopupsOnly: Bool, _ maximum: Int?
  ) -> IdentifyOptions {
    IdentifyOptions(
      tolerance: .pixels(tolerance), scale: viewpoint.scale, returnPopupsOnly: returnPopupsOnly,
      maximumResultsPerLayer: maximum)
  }
}
