import PlumbCore
import PlumbExpressions
import PlumbGeometry

/// A layer of features with shapes: points, lines or areas.
public final class FeatureLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// The table of the layer's features.
  public let table: any FeatureTable
  /// A condition that selects features of the table; nil for all. Setting a new condition makes the layer
  /// load again.
  public var definitionExpression: String? {
    didSet {
      guard definitionExpression != oldValue else { return }
      (all, readFailure, condition) = (nil, nil, nil)
      loading = LoadState(isRemote: table.isRemote)
    }
  }
  /// The renderer for features without a symbol from the table; nil for no symbols, so that hits are not
  /// enlarged by symbol sizes. The renderer of the table's source is available after the layer is loaded.
  public private(set) var renderer: Renderer?
  /// The layer's popup definition; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// Whether the table is open and compatible with the settings.
  public var loadStatus: LoadStatus { loading.status }

  var loading: LoadState
  private var condition: BoundCondition?
  private var symbol: ([FieldValue]) -> Symbol? = { _ in nil }
  private var all: FeatureSet?
  /// The error with which reading all features failed; reading is not retried.
  private var readFailure: LayerError?
  private var windowCount = 0
  /// The first warning about features that were read by window.
  private var windowWarning: String?
  /// The number of reads by window after which all features are read and kept.
  private static let maximumWindows = 32

  /// Creates a layer of a table's features; the table is opened on first use of the layer.
  public init(
    _ properties: LayerProperties, table: any FeatureTable, definitionExpression: String? = nil,
    renderer: Renderer? = nil, popup: PopupDefinition? = nil
  ) {
    self.properties = properties
    self.table = table
    self.definitionExpression = definitionExpression
    self.renderer = renderer
    self.popup = popup
    loading = LoadState(isRemote: table.isRemote)
  }

  /// Always `feature`.
  public var kind: LayerKind { .feature }
  /// The layer itself.
  public var typed: TypedLayer { .feature(self) }
  /// Always empty.
  public var sublayers: [any Layer] { [] }

  /// Opens the table and checks the definition expression and the renderer against its fields.
  ///
  /// - Throws: `load_failed` if the table cannot be opened, `bad_condition`, or `bad_layer` for a renderer
  ///   whose field does not exist.
  public func load() throws(LayerError) {
    try loadOnce {
      try table.open()
    } keep: {
      let defaults = table.defaults
      if renderer == nil {
        renderer = defaults.renderer
        properties.undrawn.formUnion(defaults.undrawn)
      }
      if properties.scaleRange == ScaleRange() { properties.scaleRange = defaults.scaleRange }
      if properties.attribution.isEmpty { properties.attribution = defaults.attribution }
      if table.restrict(to: definitionExpression) {
        condition = nil
      } else if let definitionExpression {
        do throws(ExpressionError) {
          condition = try Condition(definitionExpression).bound(to: table.fields)
        } catch {
          throw LayerError(
            code: .badCondition, PlumbError("definition expression", error))
        }
      }
      if let renderer { symbol = try renderer.symbols(of: table.fields) }
    }
  }

  /// Loads the layer with all its features, which are kept.
  ///
  /// - Throws: `read_error` if the table cannot be read; the error is thrown again, without another read,
  ///   until the layer has a new definition expression.
  @discardableResult
  public func loadFeatures() throws(LayerError) -> FeatureSet {
    try load()
    if let all { return all }
    if let readFailure { throw readFailure }
    do throws(LayerError) {
      let features = try read(nil)
      all = features
      return features
    } catch {
      // Do not keep the error if the table is remote, because the server may be available at the next query,
      // or if the current work was cancelled, because other work may read the features.
      if !table.isRemote, !WorkCancellation.isCurrentCancelled { readFailure = error }
      throw error
    }
  }

  /// Restricts the layer to features that also meet the given condition.
  ///
  /// The condition is first checked separately, so that it cannot change the meaning of the layer's
  /// definition expression or vice versa, and so that errors have a position in the given condition.
  ///
  /// - Throws: `ExpressionError` for the condition, `LayerError` for the layer.
  package func narrow(to text: String) throws {
    let condition = try Condition(text)
    try load()
    _ = try condition.bound(to: table.fields)
    definitionExpression = definitionExpression.map { "(\($0)) AND (\(text))" } ?? text
  }

  /// A one-line warning about the features that were read; nil if there is none.
  public var warning: String? {
    let lines = [all.map(\.warning) ?? windowWarning, table.warning].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }

  /// Whether all features are in memory.
  public var hasFeatures: Bool { all != nil }

  /// The maximum extent of the layer's symbols beyond shapes, in pixels.
  var largestSymbol: Double { renderer?.legend.map(\.symbol.extent).max() ?? 0 }

  /// Returns the features whose bounding boxes intersect a window, and possibly other features. All
  /// features are returned if they are in memory, or if the table has to read all features anyway.
  package func features(in windows: [Envelope]) throws(LayerError) -> FeatureSet {
    guard all == nil, table.hasSpatialIndex, table.isRemote || windowCount < Self.maximumWindows
    else {
      return try loadFeatures()
    }
    windowCount += 1
    let features = try read(windows)
    windowWarning = windowWarning ?? features.warning
    return features
  }

  private func read(_ windows: [Envelope]?) throws(LayerError) -> FeatureSet {
    do {
      let rows = try table.features(in: windows)
      guard let condition else { return FeatureSet(rows, of: table, symbol: symbol) }
      let numbers = rows.indices.filter { condition.isTrue(rows[$0].feature.attributes) }
      return FeatureSet(
        numbers.map { rows[$0] }, of: table, numbers: numbers, symbol: symbol)
    } catch {
      throw LayerError(code: .readError, error)
    }
  }
}
