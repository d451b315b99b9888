import PlumbCore
import PlumbIO
import PlumbLayers

/// Reads raster renderers. Renderers affect only pictures, so a renderer that cannot be used is
/// ignored, and the raster is drawn without it.
extension DocumentNode {
  /// A `rasterStretch`, `rasterColormap`, `rasterShadedRelief`, `classBreaks` or `uniqueValue`
  /// renderer; nil for other renderers.
  func rasterRenderer() -> RasterRenderer? {
    switch label("type") {
    case "rasterStretch": .stretch(stretch())
    case "rasterColormap":
      values(list("colormapInfos").map { ($0, $0.color("color")) })
    case "uniqueValue":
      values(list("uniqueValueInfos").map { ($0, $0.symbolColor) })
    case "classBreaks": classes()
    case "rasterShadedRelief": .shadedRelief(shadedRelief())
    default: nil
    }
  }

  private func stretch() -> RasterRenderer.Stretch {
    var stretch = RasterRenderer.Stretch()
    if let ramp = inner("colorRamp")?.ramp() { stretch.ramp = ramp }
    if case .boolean(true) = plain("useGamma"), let gamma = list("gamma").first?.finite, gamma > 0 {
      stretch.gamma = gamma
    }
    let limits: [ClosedRange<Double>] = list("statistics").compactMap { band in
      guard let numbers = band.tree.elements, numbers.count >= 2 else { return nil }
      let pair = numbers[..<2].compactMap { DocumentNode($0, document: document).finite }
      return pair.count == 2 && pair[0] <= pair[1] ? pair[0]...pair[1] : nil
    }
    switch label("stretchType") {
    case "minMax" where !limits.isEmpty, "none" where !limits.isEmpty:
      stretch.limits = .values(limits)
    case "minMax": stretch.limits = .percent(below: 0, above: 0)
    case "none": stretch.limits = .values([0...255])
    case "standardDeviation":
      stretch.limits = .deviations(positive("numberOfStandardDeviations") ?? 2)
    case "percentClip":
      stretch.limits = .percent(
        below: min(49, positive("minPercent") ?? 0), above: min(49, positive("maxPercent") ?? 0))
    default: break
    }
    return stretch
  }

  private func shadedRelief() -> RasterRenderer.ShadedRelief {
    var relief = RasterRenderer.ShadedRelief()
    relief.azimuth = inner("azimuth")?.finite ?? relief.azimuth
    relief.altitude = min(90, positive("altitude") ?? relief.altitude)
    relief.zFactor = positive("zFactor") ?? relief.zFactor
    if let ramp = inner("colorRamp")?.ramp() { relief.ramp = ramp }
    return relief
  }

  private func values(_ infos: [(DocumentNode, Color?)]) -> RasterRenderer? {
    let values = infos.compactMap { info, color -> RasterRenderer.Value? in
      guard let color, let value = info.inner("value")?.finite else { return nil }
      return RasterRenderer.Value(value, color: color, label: info.label("label"))
    }
    return values.isEmpty ? nil : .values(values)
  }

  private func classes() -> RasterRenderer? {
    let ranges = list("classBreakInfos").compactMap { info -> RasterRenderer.Range? in
      guard let maximum = info.inner("classMaxValue")?.finite, let color = info.symbolColor else {
        return nil
      }
      return RasterRenderer.Range(maximum: maximum, color: color, label: info.label("label"))
    }
    guard !ranges.isEmpty else { return nil }
    return .classes(
      minimum: inner("minValue")?.finite ?? -.infinity,
      ranges.sorted { $0.maximum < $1.maximum })
  }

  /// A colour ramp of one or several parts; nil if a colour is missing.
  func ramp() -> ColorRamp? {
    let parts = list("colorRamps")
    if !parts.isEmpty {
      let ramps = parts.prefix(64).compactMap { $0.part() }
      guard ramps.count == min(64, parts.count) else { return nil }
      return ColorRamp(ramps[0] + ramps.dropFirst().flatMap { $0.dropFirst() })
    }
    return part().map { ColorRamp($0) }
  }

  /// The colours of one part, at equal intervals.
  private func part() -> [Color]? {
    guard let from = color("fromColor"), let to = color("toColor") else { return nil }
    guard label("algorithm") == "esriHSVAlgorithm" else { return [from, to] }
    return Hue.steps(from, to, count: 17)
  }

  // MARK: Members, nil if they are not of the expected type

  private func plain(_ name: String) -> JSONTree? {
    guard case .object(let members) = tree else { return nil }
    return members[name]
  }

  private func inner(_ name: String) -> DocumentNode? {
    plain(name).map { DocumentNode($0, document: document) }
  }

  private func list(_ name: String) -> [DocumentNode] {
    guard let elements = plain(name)?.elements else { return [] }
    return elements.map { DocumentNode($0, document: document) }
  }

  private var finite: Double? {
    if case .text(let text) = tree { return Double(text).flatMap { $0.isFinite ? $0 : nil } }
    return try? number()
  }

  private func positive(_ name: String) -> Double? {
    inner(name)?.finite.flatMap { $0 >= 0 ? $0 : nil }
  }

  private func color(_ name: String) -> Color? { inner(name)?.rgba }

  private var symbolColor: Color? { inner("symbol")?.color("color") }
}

/// Conversion of colours to and from hue, saturation and value.
private enum Hue {
  /// Colours along the shorter arc between two hues, including both.
  static func steps(_ from: Color, _ to: Color, count: Int) -> [Color] {
    let (a, b) = (hsv(from), hsv(to))
    var turn = b.x - a.x
    if turn > 3 { turn -= 6 }
    if turn < -3 { turn += 6 }
    return (0..<count).map { step in
      let share = Double(step) / Double(count - 1)
      var hue = (a.x + turn * share).truncatingRemainder(dividingBy: 6)
      if hue < 0 { hue += 6 }
      let alpha = Double(from.alpha) + (Double(to.alpha) - Double(from.alpha)) * share
      return color(
        SIMD3(hue, a.y + (b.y - a.y) * share, a.z + (b.z - a.z) * share), UInt8(alpha.rounded()))
    }
  }

  /// Hue from 0 to 6, saturation and value from 0 to 1.
  private static func hsv(_ color: Color) -> SIMD3<Double> {
    let (r, g, b) = (Double(color.red), Double(color.green), Double(color.blue))
    let (low, high) = (min(r, g, b), max(r, g, b))
    let range = high - low
    guard range > 0 else { return SIMD3(0, 0, high / 255) }
    let hue = high == r ? (g - b) / range : high == g ? (b - r) / range + 2 : (r - g) / range + 4
    return SIMD3(hue < 0 ? hue + 6 : hue, range / high, high / 255)
  }

  private static func color(_ hsv: SIMD3<Double>, _ alpha: UInt8) -> Color {
    func part(_ shift: Double) -> UInt8 {
      let k = (shift + hsv.x).truncatingRemainder(dividingBy: 6)
      let value = hsv.z - hsv.z * hsv.y * max(0, min(k, 4 - k, 1))
      return UInt8((min(1, max(0, value)) * 255).rounded())
    }
    return Color(part(5), part(3), part(1), alpha: alpha)
  }
}
