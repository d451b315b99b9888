import CCairo
import PlumbCore
import PlumbLayers

/// Drawing of paths.
extension Canvas {
  /// A sequence of points, open or closed.
  struct Path {
    var points: [SIMD2<Double>]
    var isClosed: Bool
  }

  private func trace(_ paths: [Path]) {
    cairo_new_path(context)
    for path in paths {
      guard let first = path.points.first else { continue }
      cairo_move_to(context, first.x, first.y)
      for point in path.points.dropFirst() { cairo_line_to(context, point.x, point.y) }
      if path.isClosed { cairo_close_path(context) }
    }
  }

  /// Draws lines.
  func stroke(_ paths: [Path], _ line: LineSymbol) {
    guard line.width > 0, line.width.isFinite, line.color.alpha > 0, !paths.isEmpty else { return }
    trace(paths)
    stroke(line)
  }

  /// Draws the current path.
  private func stroke(_ line: LineSymbol) {
    setSource(line.color)
    cairo_set_line_width(context, line.width * symbolScale)
    let round = line.dash == .solid
    cairo_set_line_cap(context, Int32(round ? PLUMB_CAIRO_ROUND : PLUMB_CAIRO_BUTT))
    cairo_set_line_join(context, Int32(PLUMB_CAIRO_ROUND))
    let lengths = line.dashLengths.map { $0 * symbolScale }
    cairo_set_dash(context, lengths, Int32(lengths.count), 0)
    cairo_stroke(context)
  }

  /// Fills an area with the even-odd rule.
  ///
  /// - Parameter outline: the paths of the outline; nil for the area's rings.
  func fill(_ rings: [Path], _ fill: FillSymbol, outline: [Path]? = nil) {
    if let color = fill.color, color.alpha > 0, !rings.isEmpty {
      trace(rings)
      cairo_set_fill_rule(context, Int32(PLUMB_CAIRO_EVEN_ODD))
      if fill.pattern == .solid {
        setSource(color)
        cairo_fill(context)
      } else {
        cairo_save(context)
        cairo_clip(context)
        hatch(fill.pattern, color)
        cairo_restore(context)
      }
    }
    if let line = fill.outline { stroke(outline ?? rings, line) }
  }

  /// Draws parallel lines, 8 symbol pixels apart, over the whole picture.
  private func hatch(_ pattern: FillSymbol.Pattern, _ color: Color) {
    let (right, bottom) = (Double(width), Double(height))
    var lines: [Path] = []
    func add(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
      lines.append(Path(points: [a, b], isClosed: false))
    }
    let gap = max(2, 8 * symbolScale)
    if [.horizontal, .cross].contains(pattern) {
      for y in stride(from: 0, through: bottom, by: gap) { add(SIMD2(0, y), SIMD2(right, y)) }
    }
    if [.vertical, .cross].contains(pattern) {
      for x in stride(from: 0, through: right, by: gap) { add(SIMD2(x, 0), SIMD2(x, bottom)) }
    }
    let diagonal = stride(from: -bottom, through: right, by: gap * 2.0.squareRoot())
    if [.forwardDiagonal, .diagonalCross].contains(pattern) {
      for x in diagonal { add(SIMD2(x, 0), SIMD2(x + bottom, bottom)) }
    }
    if [.backwardDiagonal, .diagonalCross].contains(pattern) {
      for x in diagonal { add(SIMD2(x, bottom), SIMD2(x + bottom, 0)) }
    }
    stroke(lines, LineSymbol(width: 1, color: color))
  }

  /// Draws a marker centred on a point.
  func mark(_ center: SIMD2<Double>, _ marker: MarkerSymbol) {
    let radius = marker.size / 2 * symbolScale
    guard radius > 0, radius.isFinite else { return }
    cairo_new_path(context)
    func polygon(_ corners: [SIMD2<Double>]) {
      trace([Path(points: corners.map { center + $0 * radius }, isClosed: true)])
    }
    switch marker.shape {
    case .circle:
      cairo_arc(context, center.x, center.y, radius, 0, 2 * .pi)
      cairo_close_path(context)
    case .square: polygon([SIMD2(-1, -1), SIMD2(1, -1), SIMD2(1, 1), SIMD2(-1, 1)])
    case .diamond: polygon([SIMD2(0, -1), SIMD2(1, 0), SIMD2(0, 1), SIMD2(-1, 0)])
    case .triangle: polygon([SIMD2(0, -1), SIMD2(1, 1), SIMD2(-1, 1)])
    case .cross, .x:
      let arms: [SIMD2<Double>] =
        marker.shape == .cross
        ? [SIMD2(-1, 0), SIMD2(1, 0), SIMD2(0, -1), SIMD2(0, 1)]
        : [SIMD2(-1, -1), SIMD2(1, 1), SIMD2(-1, 1), SIMD2(1, -1)]
      let lines = [arms[0...1], arms[2...3]].map { ends in
        Path(points: ends.map { center + $0 * radius }, isClosed: false)
      }
      stroke(lines, marker.outline ?? LineSymbol(width: 1, color: marker.color ?? .gray))
      return
    }
    if let color = marker.color, color.alpha > 0 {
      setSource(color)
      cairo_fill_preserve(context)
    }
    if let outline = marker.outline, outline.width > 0, outline.color.alpha > 0 {
      stroke(outline)
    }
    cairo_new_path(context)
  }
}

extension LineSymbol {
  /// The lengths of dashes and gaps, alternating; empty for a solid line.
  fileprivate var dashLengths: [Double] {
    let unit = max(width, 1)
    let lengths: [Double] =
      switch dash {
      case .solid: []
      case .dash: [4, 3]
      case .dot: [1, 2]
      case .dashDot: [4, 3, 1, 3]
      case .dashDotDot: [4, 3, 1, 3, 1, 3]
      }
    return lengths.map { $0 * unit }
  }
}
