import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The areas of a run, coloured by a statistic, for its picture.
struct ZonalPicture {
  private var areas: [(geometry: Geometry, value: Double?)] = []
  private var vertexCount = 0

  /// The maximum number of vertices that are kept. It is slightly above the number of vertices in a
  /// picture.
  private static let vertexLimit = 10_000_000
  /// The colours of the classes, from the lowest to the highest values.
  private static let colors = [
    Color(68, 1, 84), Color(59, 82, 139), Color(33, 145, 140), Color(94, 201, 98),
    Color(253, 231, 37),
  ]
  private static let outline = LineSymbol(width: 0.75, color: Color(60, 60, 60))

  mutating func add(_ features: [Feature], _ values: [Double?]) {
    for (feature, value) in zip(features, values) {
      guard let geometry = feature.geometry ?? feature.area, vertexCount <= Self.vertexLimit else {
        continue
      }
      vertexCount += geometry.vertices.count
      areas.append((geometry, value))
    }
  }

  /// The areas in five classes with about as many areas each.
  func overlay(_ title: String, in reference: SpatialReference?) -> Overlay {
    var overlay = Overlay(title, reference: reference)
    let sorted = areas.compactMap(\.value).filter(\.isFinite).sorted()
    // The greatest value of each class.
    var bounds: [Double] = []
    for step in 1...Self.colors.count where !sorted.isEmpty {
      let bound = sorted[max(0, sorted.count * step / Self.colors.count - 1)]
      if bounds.last != bound { bounds.append(bound) }
    }
    var classes: [[Geometry]] = bounds.map { _ in [] }
    var unknown: [Geometry] = []
    for (geometry, value) in areas {
      guard let value, let index = bounds.firstIndex(where: { value <= $0 }) else {
        unknown.append(geometry)
        continue
      }
      classes[index].append(geometry)
    }
    let texts = Self.texts(sorted.prefix(1) + bounds)
    for (index, members) in classes.enumerated() {
      let (low, high) = (texts[index], texts[index + 1])
      let label = low == high ? low : "\(low) to \(high)"
      let position = bounds.count == 1 ? 2 : index * (Self.colors.count - 1) / (bounds.count - 1)
      for geometry in members {
        overlay.add(geometry, as: label) { _ in Self.symbol(geometry, Self.colors[position]) }
      }
    }
    for geometry in unknown {
      overlay.add(geometry, as: "no value") { _ in Self.symbol(geometry, Color(210, 210, 210)) }
    }
    return overlay
  }

  private static func symbol(_ geometry: Geometry, _ color: Color) -> Symbol {
    switch geometry.dimension {
    case 0: .marker(MarkerSymbol(size: 8, color: color, outline: outline))
    case 1: .line(LineSymbol(width: 2, color: color))
    default: .fill(FillSymbol(color: color, outline: outline))
    }
  }

  /// Formats ascending numbers with four significant digits, or with more digits if different
  /// numbers would be formatted alike.
  private static func texts(_ values: [Double]) -> [String] {
    let count = Set(values).count
    for digits in 4..<15 {
      let texts = values.map { text($0, digits) }
      if Set(texts).count == count { return texts }
    }
    return values.map { FieldValue.real($0).plainText }
  }

  private static func text(_ value: Double, _ digits: Int) -> String {
    guard value != 0, value.isFinite else { return FieldValue.real(value).plainText }
    let unit = pow10(Int(log10(abs(value)).rounded(.down)) - digits + 1)
    let rounded =
      unit.power >= 0
      ? (value / unit.scale).rounded() * unit.scale : (value * unit.scale).rounded() / unit.scale
    return abs(rounded) < 1e15 && rounded == rounded.rounded()
      ? "\(Int64(rounded))" : FieldValue.real(rounded).plainText
  }

  /// Returns an exponent, and the power of ten of its absolute value, which is exact.
  private static func pow10(_ power: Int) -> (power: Int, scale: Double) {
    (power, (0..<abs(power)).reduce(1) { scale, _ in scale * 10 })
  }
}
