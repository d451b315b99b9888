import PlumbCore

/// How a map is asked.
public struct IdentifyOptions: Sendable, Hashable {
  /// The radius of the circle round the point.
  public enum Tolerance: Sendable, Hashable {
    /// Device-independent pixels of 1/96 inch, 0 to 100; needs a scale unless it is 0.
    case pixels(Double)
    /// Along the ground.
    case metres(Double)
    /// In the plane of the map's reference.
    case mapUnits(Double)

    /// The point itself: only what it lies on exactly.
    public static let exact = Tolerance.mapUnits(0)

    /// The tolerance of a text as `12px`, `50m`, `2.5km` or `0`; nil for what is none.
    package init?(text: String) {
      let digits = text.prefix { $0.isNumber || ".+-".contains($0) }
      guard let number = Double(String(digits)) else { return nil }
      switch text.dropFirst(digits.count).lowercased() {
      case "px": self = .pixels(number)
      case "m": self = .metres(number)
      case "km": self = .metres(number * 1000)
      case "" where number == 0: self = .exact
      default: return nil
      }
    }

    var value: Double {
      switch self {
      case .pixels(let value), .metres(let value), .mapUnits(let value): value
      }
    }
  }

  /// How far from the point a feature counts; rasters answer with the cell under the point.
  public var tolerance: Tolerance
  /// The denominator of the scale. Nil: symbols have no size and scale ranges do not apply.
  public var scale: Double?
  /// Whether only popups are filled, and layers without popups do not answer.
  public var returnPopupsOnly: Bool
  /// How many elements each layer and each sublayer gives at most; nil for no limit.
  public var maximumResultsPerLayer: Int?
  /// What the view is drawn in, whose plane pixels lie in; nil for the map's.
  package var viewReference: SpatialReference?
  /// Whether layers that are hidden, or not drawn at the scale, answer like others.
  package var asksHidden = false
  /// The layers without sublayers that are asked, as `Map.layer(id:)` takes them; nil for all.
  package var leaves: Set<String>?

  /// Asks for what lies exactly at the point, the topmost element of each layer, unless said
  /// otherwise.
  public init(
    tolerance: Tolerance = .exact, scale: Double? = nil, returnPopupsOnly: Bool = false,
    maximumResultsPerLayer: Int? = 1
  ) {
    self.tolerance = tolerance
    self.scale = scale
    self.returnPopupsOnly = returnPopupsOnly
    self.maximumResultsPerLayer = maximumResultsPerLayer
  }

  static let largestPixels = 100.0

  /// - Throws: `bad_query` for what no map can be asked.
  public func check() throws(LayerError) {
    func fail(_ message: String) -> LayerError { LayerError(code: .badQuery, message: message) }
    let value = tolerance.value
    guard value >= 0, value.isFinite else {
      throw fail("the tolerance is \(value); it has to be a number from 0")
    }
    if let scale, !(scale > 0 && scale.isFinite) {
      throw fail("the scale is \(scale); it has to be a number above 0, as 50000 for 1:50000")
    }
    if case .pixels = tolerance, value > 0 {
      if value > Self.largestPixels {
        throw fail(
          "the tolerance is \(value) px; at most \(Int(Self.largestPixels)) px are allowed")
      }
      if scale == nil {
        throw fail("a tolerance in px needs a scale, which says how large a pixel is on the map")
      }
    }
    if let maximumResultsPerLayer, maximumResultsPerLayer < 1 {
      throw fail(
        "at most \(maximumResultsPerLayer) results a layer are asked; the least is 1")
    }
  }
}
