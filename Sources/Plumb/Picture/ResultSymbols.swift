import PlumbCore
import PlumbLayers

/// The symbols of results in pictures.
enum ResultSymbols {
  /// Colours that colour-blind readers can distinguish (Okabe and Ito, 2008), and three more.
  private static let colors = [
    Color(0, 114, 178), Color(230, 159, 0), Color(0, 158, 115), Color(204, 121, 167),
    Color(86, 180, 233), Color(213, 94, 0), Color(120, 94, 240), Color(140, 86, 75),
    Color(190, 175, 20), Color(90, 90, 90),
  ]

  static let dark = Color(34, 34, 34)
  static let red = Color(200, 30, 45)
  private static let rim = LineSymbol(width: 1.5, color: Color(255, 255, 255))

  static func color(_ number: Int) -> Color { colors[number % colors.count] }

  /// The symbol of a point, a line or an area in the colour of its category.
  static func kind(_ color: Color, of geometry: Geometry) -> Symbol {
    switch geometry {
    case .point, .multipoint: .marker(MarkerSymbol(size: 8, color: color, outline: rim))
    case .polyline: .line(LineSymbol(width: 3, color: color))
    case .polygon, .envelope:
      .fill(
        FillSymbol(
          color: Color(color.red, color.green, color.blue, alpha: 70),
          outline: LineSymbol(width: 1.5, color: color)))
    }
  }

  static let asked = Symbol.marker(
    MarkerSymbol(size: 16, shape: .cross, outline: LineSymbol(width: 2, color: red)))
  static let cell = Symbol.fill(FillSymbol(color: nil, outline: LineSymbol(width: 2, color: red)))

  /// The symbol of a shape around which a buffer is drawn.
  static func input(_ geometry: Geometry) -> Symbol {
    let line = LineSymbol(width: 1.5, color: dark)
    return switch geometry {
    case .point, .multipoint:
      .marker(
        MarkerSymbol(
          size: 6, color: dark, outline: LineSymbol(width: 1, color: Color(255, 255, 255))))
    case .polyline: .line(line)
    case .polygon, .envelope: .fill(FillSymbol(color: nil, outline: line))
    }
  }

  /// The transparent symbol of an identified shape.
  static func identified(_ geometry: Geometry) -> Symbol {
    let color = Color(0, 190, 220)
    return switch geometry {
    case .point, .multipoint:
      .marker(
        MarkerSymbol(size: 16, color: nil, outline: LineSymbol(width: 3, color: color)))
    case .polyline: .line(LineSymbol(width: 4, color: color))
    case .polygon, .envelope:
      .fill(
        FillSymbol(
          color: Color(0, 190, 220, alpha: 40), outline: LineSymbol(width: 3, color: color)))
    }
  }

  // MARK: Networks

  static let network = LineSymbol(width: 1, color: Color(160, 165, 170))
  static let start = Symbol.marker(
    MarkerSymbol(size: 14, shape: .triangle, color: Color(20, 140, 60), outline: rim))
  /// The labels and colours of the elements of an isolation trace, by `role`.
  static let roles: [String: (label: String, color: Color)] = [
    "isolating": ("Valve to close", red),
    "boundingOnly": ("Also bounds the area", Color(240, 150, 20)),
    "heldBy": ("One-way element that keeps the area isolated", Color(120, 60, 160)),
    "possible": ("Possible, not certain", Color(240, 150, 20)),
    "alreadyWithoutSupply": ("Already without supply", Color(110, 110, 110)),
    "controllerNotIsolated": ("Source that is not cut off", Color(0, 0, 0)),
  ]

  static func role(_ color: Color, of geometry: Geometry) -> Symbol {
    guard case .point = geometry else { return kind(color, of: geometry) }
    return .marker(MarkerSymbol(size: 13, shape: .square, color: color, outline: rim))
  }

  // MARK: Geotriggers

  static let fence = Symbol.fill(
    FillSymbol(
      color: Color(120, 94, 240, alpha: 50),
      outline: LineSymbol(width: 1.5, color: Color(120, 94, 240))))
  static let track = LineSymbol(width: 1.5, color: Color(60, 65, 70))
  /// The labels and symbols of events, by type.
  static let events: [String: (label: String, symbol: MarkerSymbol)] = [
    "entered": ("Entered", event(.triangle, Color(20, 140, 60))),
    "exited": ("Exited", event(.square, red)),
    "dwelt": ("Dwelt", event(.circle, Color(240, 150, 20))),
    "crossed": ("Crossed", event(.diamond, Color(0, 114, 178))),
  ]

  private static func event(_ shape: MarkerSymbol.Shape, _ color: Color) -> MarkerSymbol {
    MarkerSymbol(size: 11, shape: shape, color: color, outline: rim)
  }
}
