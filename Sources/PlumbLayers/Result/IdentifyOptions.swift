import PlumbCore

/// The options of an identify query.
public struct IdentifyOptions: Sendable, Hashable {
  /// The radius of the circle around the point in which features are hit.
  public enum Tolerance: Sendable, Hashable {
    /// Device-independent pixels of 1/96 inch, 0 to 100; a tolerance above 0 requires a scale.
    case pixels(Double)
    /// Metres along the ground.
    case metres(Double)
    /// Units in the plane of the map's CRS.
    case mapUnits(Double)

    /// The point itself, so that only features that contain the point are hit.
    public static let exact = Tolerance.mapUnits(0)

    /// Parses a tolerance such as `12px`, `50m`, `2.5km` or `0`; nil if the text is not a tolerance.
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

    /// The tolerance for messages, such as `12px` or `50m`; a bare number for map units.
    package var text: String {
      let number = Int(exactly: value).map { "\($0)" } ?? "\(value)"
      return switch self {
      case .pixels: number + "px"
      case .metres: number + "m"
      case .mapUnits: number
      }
    }

    var value: Double {
      switch self {
      case .pixels(let value), .metres(let value), .mapUnits(let value): value
      }
    }
  }

  /// The maximum distance of features from the point; rasters return the cell at the point.
  public var tolerance: Tolerance
  /// The denominator of the scale. If nil, symbols have no size and scale ranges do not apply.
  public var scale: Double?
  /// Whether to return only popups, and to ignore layers without popups.
  public var returnPopupsOnly: Bool
  /// The maximum number of elements of each layer and sublayer; nil for no limit.
  public var maximumResultsPerLayer: Int?
  /// The CRS of the view, in whose plane pixels are measured; nil for the map's CRS.
  package var viewReference: SpatialReference?
  /// The time at which layers with dates are read; nil for their last dates.
  public var moment: RasterMoment?
  /// Whether layers that are hidden, or not drawn at the scale, are included.
  package var includesHidden = false
  /// The ids, as in `Map.layer(id:)`, of the requested layers that have no sublayers; nil for all
  /// layers.
  package var leaves: Set<String>?

  /// Creates options; by default, only features that contain the point are hit, and each layer returns its
  /// topmost element.
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

  /// - Throws: `bad_query` for invalid options.
  public func check() throws(LayerError) {
    func fail(_ message: String) -> LayerError { LayerError(code: .badQuery, message: message) }
    let value = tolerance.value
    guard value >= 0, value.isFinite else {
      throw fail("the tolerance is \(value); it must be 0 or more")
    }
    if let scale, !(scale > 0 && scale.isFinite) {
      throw fail("the scale is \(scale); it must be a number above 0, such as 50000 for 1:50000")
    }
    if case .pixels = tolerance, value > 0 {
      if value > Self.largestPixels {
        throw fail(
          "the tolerance is \(value) px; at most \(Int(Self.largestPixels)) px are allowed")
      }
      if scale == nil {
        throw fail("a tolerance in px needs a scale, which determines the size of a pixel")
      }
    }
    if let maximumResultsPerLayer, maximumResultsPerLayer < 1 {
      throw fail(
        "the maximum number of results per layer is \(maximumResultsPerLayer); it must be 1 or more"
      )
    }
  }
}
