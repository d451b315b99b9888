import PlumbCore
import PlumbGeometry
import PlumbLayers

/// Draws features in one CRS on a canvas.
package struct FeaturePainter {
  let view: DrawnView
  private let clip: ViewClip
  /// The transformation to the view's CRS; nil if the features are in that CRS.
  private let transformation: Transformation?
  /// The period of x in the view; nil if x is not periodic.
  private let period: Double?
  /// The view's x at x = 0 of the features' CRS, and the change of the view's x per unit of the features' x;
  /// nil if x is not periodic in both CRSs.
  private let longitude: (origin: Double, step: Double)?

  /// - Parameters:
  ///   - source: the CRS of the features; nil for the view's CRS.
  ///   - symbolScale: the number of pixels of the view per pixel of a symbol.
  /// - Throws: if PROJ has no transformation between the CRSs.
  init(
    _ view: DrawnView, from source: SpatialReference?, symbolScale: Double = 1
  ) throws(GeometryError) {
    self.view = view
    clip = ViewClip(width: view.width, height: view.height, margin: 256 * max(1, symbolScale))
    period = view.reference.planePeriod
    if let source, !source.isEquivalent(to: view.reference) {
      let transformation = try Transformation(from: source, to: view.reference)
      self.transformation = transformation
      var (x, y) = (0.0, 0.0)
      transformation.apply(x: &x, y: &y, count: 1)
      if let period, let turn = source.planePeriod, x.isFinite {
        longitude = (x, period / turn)
      } else {
        longitude = nil
      }
    } else {
      (transformation, longitude) = (nil, nil)
    }
  }

  /// The pixel coordinates of some vertices, before the view is rotated; not finite if a vertex cannot
  /// be projected.
  private func pixels(_ points: ArraySlice<SIMD2<Double>>) -> [SIMD2<Double>] {
    var x = points.map { $0.x }
    var y = points.map { $0.y }
    if let transformation {
      let inputX = x
      transformation.apply(x: &x, y: &y, count: points.count)
      keepTogether(&x, as: inputX)
    }
    return zip(x, y).map { view.pixel($0, $1) }
  }

  /// Shifts x by whole periods, so that shapes that cross the longitude at which the view's CRS wraps stay in
  /// one piece.
  private func keepTogether(_ x: inout [Double], as inputX: [Double]) {
    guard let period, let longitude else { return }
    for index in x.indices where x[index].isFinite {
      let expected = longitude.origin + inputX[index] * longitude.step
      x[index] -= ((x[index] - expected) / period).rounded() * period
    }
  }

  /// Draws a shape, and its copies at whole periods of x that intersect the view.
  func draw(_ geometry: Geometry, _ symbol: Symbol?, on canvas: Canvas) {
    let vertices = geometry.vertices.xy
    guard !vertices.isEmpty else { return }
    canvas.count(vertices: vertices.count)
    switch geometry {
    case .point, .multipoint:
      draw(points: pixels(vertices[...]), symbol?.asMarker ?? Self.marker, canvas)
    case .polyline(let line):
      let parts = line.parts.flatMap { runs(pixels(vertices[$0])) }
      draw(lines: parts, symbol?.asLine ?? Self.line, canvas)
    case .polygon(let polygon):
      draw(rings: polygon.rings.map { pixels(vertices[$0]) }, symbol?.asFill ?? Self.fill, canvas)
    case .envelope(let envelope):
      draw(.polygon(envelope.polygon), symbol, on: canvas)
    }
  }

  /// The default symbol for a shape.
  func standard(for geometry: Geometry) -> Symbol { Self.standard(dimension: geometry.dimension) }

  /// The default symbol for a dimension: a marker for 0, a line for 1, a fill for 2.
  package static func standard(dimension: Int) -> Symbol {
    switch dimension {
    case 0: .marker(marker)
    case 1: .line(line)
    default: .fill(fill)
    }
  }

  // The default symbols.
  private static let marker = MarkerSymbol(
    size: 7, color: Color(31, 96, 150), outline: LineSymbol(width: 1, color: Color(255, 255, 255)))
  private static let line = LineSymbol(width: 1.5, color: Color(31, 96, 150))
  private static let fill = FillSymbol(
    color: Color(31, 96, 150, alpha: 60),
    outline: LineSymbol(width: 1, color: Color(31, 96, 150)))

  /// The offsets of a shape's copies, in pixels to the right, before the view is rotated.
  private func shifts(_ points: [SIMD2<Double>]) -> [Double] {
    guard let period else { return [0] }
    let side = period / view.pixelSide
    var (low, high) = (Double.infinity, -Double.infinity)
    for point in points where point.x.isFinite {
      low = min(low, point.x)
      high = max(high, point.x)
    }
    guard low <= high else { return [] }
    let more = max(0, view.overhang.x)
    let first = ((clip.low.x - more - high) / side).rounded(.up)
    let last = ((clip.high.x + more - low) / side).rounded(.down)
    guard first <= last, last - first < 16 else { return last - first >= 16 ? [0] : [] }
    return stride(from: first, through: last, by: 1).map { $0 * side }
  }

  private func draw(points: [SIMD2<Double>], _ marker: MarkerSymbol, _ canvas: Canvas) {
    for shift in shifts(points) {
      for point in points {
        let center = view.turned(SIMD2(point.x + shift, point.y))
        if clip.contains(center) { canvas.mark(center, marker) }
      }
    }
  }

  private func draw(lines: [[SIMD2<Double>]], _ symbol: LineSymbol, _ canvas: Canvas) {
    for shift in shifts(lines.flatMap { $0 }) {
      let paths = lines.flatMap { points in
        clip.lines(moved(points, shift)).map { Canvas.Path(points: $0, isClosed: false) }
      }
      canvas.stroke(paths, symbol)
    }
  }

  private func draw(rings: [[SIMD2<Double>]], _ symbol: FillSymbol, _ canvas: Canvas) {
    // Vertices that cannot be projected are omitted from rings.
    let rings = rings.map { $0.filter { $0.x.isFinite && $0.y.isFinite } }
    for shift in shifts(rings.flatMap { $0 }) {
      var areas: [Canvas.Path] = []
      var outlines: [Canvas.Path] = []
      for ring in rings {
        let moved = moved(ring, shift)
        areas.append(Canvas.Path(points: clip.ring(moved), isClosed: true))
        let closed = moved + moved.prefix(1)
        let isUnclipped = !moved.contains { !clip.contains($0) }
        outlines += clip.lines(closed).map { Canvas.Path(points: $0, isClosed: isUnclipped) }
      }
      canvas.fill(areas.filter { $0.points.count > 2 }, symbol, outline: outlines)
    }
  }

  /// The positions of pixels after a shift and the view's rotation.
  private func moved(_ points: [SIMD2<Double>], _ shift: Double) -> [SIMD2<Double>] {
    shift == 0 && view.rotation == 0
      ? points : points.map { view.turned(SIMD2($0.x + shift, $0.y)) }
  }

  /// The pieces of a line between vertices that cannot be projected.
  private func runs(_ points: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
    points.split { !($0.x.isFinite && $0.y.isFinite) }.map(Array.init).filter { $0.count > 1 }
  }
}

/// Conversions of a symbol to a symbol for another kind of shape, with the same colours.
extension Symbol {
  var asMarker: MarkerSymbol {
    switch self {
    case .marker(let marker): marker
    case .line(let line): MarkerSymbol(size: max(4, line.width * 2), color: line.color)
    case .fill(let fill): MarkerSymbol(size: 7, color: fill.color, outline: fill.outline)
    }
  }

  var asLine: LineSymbol {
    switch self {
    case .marker(let marker): LineSymbol(width: 1, color: marker.color ?? .gray)
    case .line(let line): line
    case .fill(let fill): fill.outline ?? LineSymbol(width: 1, color: fill.color ?? .gray)
    }
  }

  var asFill: FillSymbol {
    switch self {
    case .marker(let marker): FillSymbol(color: marker.color, outline: marker.outline)
    case .line(let line): FillSymbol(color: nil, outline: line)
    case .fill(let fill): fill
    }
  }
}
