import PlumbCore
import PlumbLayers

/// One line of a legend.
public struct LegendEntry: Sendable, Hashable {
  /// The symbol or colour of an entry.
  public enum Swatch: Sendable, Hashable {
    /// A feature's symbol, a raster's single colour, or a raster's colour ramp.
    case symbol(Symbol), color(Color), ramp(ColorRamp)
  }

  /// The meaning of the swatch; empty if the title is enough.
  public var label: String
  /// The swatch to the left of the label.
  public var swatch: Swatch

  /// Creates an entry.
  public init(_ label: String, _ swatch: Swatch) {
    (self.label, self.swatch) = (label, swatch)
  }
}

/// The legend of one layer or result.
public struct LegendGroup: Sendable, Hashable {
  /// The name of the layer or result.
  public var title: String
  /// The entries. The swatch of an entry without a label is drawn next to the title.
  public var entries: [LegendEntry]

  /// Creates a group.
  public init(_ title: String, _ entries: [LegendEntry]) {
    (self.title, self.entries) = (title, entries)
  }
}

/// Drawing of a single swatch.
extension LegendEntry.Swatch {
  /// Returns a PNG of the swatch.
  package func picture(width: Int, height: Int) throws(DrawingError) -> [UInt8] {
    let canvas = try Canvas(width: width, height: height, format: .png)
    LegendPainter(canvas).draw(self, width: Double(width) - 2)
    return try canvas.finish()
  }
}

struct LegendPainter {
  private let canvas: Canvas
  private static let textSize = 11.0
  private static let rowHeight = 17.0
  private static let swatchWidth = 26.0
  private static let margin = 10.0
  private static let padding = 8.0

  init(_ canvas: Canvas) { self.canvas = canvas }

  private struct Row {
    var text: String
    var font = Font.regular
    var swatch: LegendEntry.Swatch?
    var isRamp: Bool { if case .ramp? = swatch { true } else { false } }
  }

  private static func rows(_ groups: [LegendGroup]) -> [Row] {
    groups.flatMap { group -> [Row] in
      let title = group.title.printable
      guard group.entries.count > 1 || group.entries.first?.label.isEmpty == false else {
        return [Row(text: title, swatch: group.entries.first?.swatch)]
      }
      let entries = group.entries.map { Row(text: $0.label.printable, swatch: $0.swatch) }
      return [Row(text: title, font: .bold)] + entries
    }
  }

  /// Draws a legend in the upper right corner. Rows that do not fit are omitted, and the last row states
  /// their number.
  func draw(_ groups: [LegendGroup]) {
    var rows = Self.rows(groups)
    let available = Double(canvas.height) - 2 * (Self.margin + Self.padding) - 24
    let maximum = Int(available / Self.rowHeight)
    guard Font.isInstalled, !rows.isEmpty, maximum >= 2 else { return }
    if rows.count > maximum {
      let left = rows.count - maximum + 1
      rows = rows.prefix(maximum - 1) + [Row(text: "and \(left) more")]
    }
    let limit = max(40, Double(canvas.width) * 0.4 - Self.swatchWidth - 2 * Self.padding)
    for index in rows.indices {
      rows[index].text = canvas.fitted(
        rows[index].text, width: limit, size: Self.textSize, rows[index].font)
    }
    let widest =
      rows.map { row in
        canvas.width(of: row.text, size: Self.textSize, row.font)
          + (row.swatch == nil ? 0 : Self.swatchWidth)
      }.max() ?? 0
    let width = widest + 2 * Self.padding
    let x = Double(canvas.width) - Self.margin - width
    canvas.fill(
      x: x, y: Self.margin, width: width,
      height: Double(rows.count) * Self.rowHeight + 2 * Self.padding, .panel)
    var y = Self.margin + Self.padding
    for row in rows {
      let middle = y + Self.rowHeight / 2
      var left = x + Self.padding
      if let swatch = row.swatch {
        draw(swatch, x: left, middle: middle)
        left += Self.swatchWidth
      }
      canvas.write(row.text, at: SIMD2(left, middle + 4), size: Self.textSize, row.font)
      y += Self.rowHeight
    }
  }

  /// Draws a swatch in the middle of the canvas.
  fileprivate func draw(_ swatch: LegendEntry.Swatch, width: Double) {
    draw(
      swatch, x: (Double(canvas.width) - width) / 2, middle: Double(canvas.height) / 2,
      width: width)
  }

  private func draw(
    _ swatch: LegendEntry.Swatch, x: Double, middle: Double,
    width: Double = Self.swatchWidth - 6
  ) {
    let (top, height) = (middle - 5.5, 11.0)
    func area(_ symbol: FillSymbol) {
      canvas.fill(x: x, y: top, width: width, height: height, symbol)
    }
    let edge = LineSymbol(width: 0.5, color: .gray)
    switch swatch {
    case .color(let color): area(FillSymbol(color: color, outline: edge))
    case .ramp(let ramp):
      for step in 0..<Int(width) {
        let share = (Double(step) + 0.5) / width
        canvas.fill(
          x: x + Double(step), y: top, width: 1, height: height,
          FillSymbol(color: ramp.color(share)))
      }
      area(FillSymbol(color: nil, outline: edge))
    case .symbol(.marker(var marker)):
      marker.size = min(marker.size, 14)
      // White markers would be invisible on the legend's background, so white markers get an
      // outline.
      if let color = marker.color, min(color.red, color.green, color.blue) > 225,
        marker.outline == nil
      {
        marker.outline = LineSymbol(width: 1, color: Color(150, 150, 150))
      }
      canvas.mark(SIMD2(x + width / 2, middle), marker)
    case .symbol(.line(var line)):
      line.width = min(line.width, 8)
      canvas.stroke(
        [Canvas.Path(points: [SIMD2(x, middle), SIMD2(x + width, middle)], isClosed: false)], line)
    case .symbol(.fill(var fill)):
      let width = fill.outline?.width ?? 0
      fill.outline?.width = min(width, 4)
      area(fill)
    }
  }
}

extension FillSymbol {
  /// The background of the legend and the scale bar.
  static let panel = FillSymbol(
    color: Color(255, 255, 255, alpha: 225),
    outline: LineSymbol(width: 0.75, color: Color(170, 170, 170)))
}
