import PlumbCore
import PlumbExpressions
import PlumbGeometry

/// A layer of features with shapes: points, lines or areas.
public final class FeatureLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// Where its features come from.
  public let table: any FeatureTable
  /// Which features the layer has, as a condition; nil for all of the table's. A new one makes the
  /// layer load again.
  public var definitionExpression: String? {
    didSet {
      guard definitionExpression != oldValue else { return }
      (all, readFailure, condition) = (nil, nil, nil)
      loading = LoadState(isRemote: table.isRemote)
    }
  }
  /// The symbols that features have unless the table gives them their own; nil for no symbols, so
  /// that shapes count without a size. Those that the table's source suggests are known once the
  /// layer is loaded.
  public private(set) var renderer: Renderer?
  /// What the layer's popups say; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// Whether the table is open and the settings fit it.
  public var loadStatus: LoadStatus { loading.status }

  var loading: LoadState
  private var condition: BoundCondition?
  private var symbol: ([FieldValue]) -> Symbol? = { _ in nil }
  private var all: FeatureSet?
  /// Why not all features can be read, which is not tried again.
  private var readFailure: LayerError?
  private var windowCount = 0
  /// What is wrong with features that were read in windows.
  private var windowWarning: String?
  /// So many reads of a window, and then all features are read for good.
  private static let mostWindows = 32

  /// A layer of a table's features; the table is opened when the layer is first needed.
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
  /// None.
  public var sublayers: [any Layer] { [] }

  /// Opens the table and checks the definition expression and the renderer against its fields.
  ///
  /// - Throws: `load_failed` when the table does not open, `bad_condition`, or `bad_layer` for a
  ///   renderer whose field is not there.
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

  /// Loads the layer with all its features, which are then kept.
  ///
  /// - Throws: `read_error` when the table cannot be read; again without reading, until the layer
  ///   has a new definition expression.
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
      // Another machine may be back at the next question, and other work may go on to the end.
      if !table.isRemote, !WorkCancellation.isCurrentCancelled { readFailure = error }
      throw error
    }
  }

  /// Leaves the layer those of its features that meet a condition too.
  ///
  /// The condition is checked by itself first: neither it nor the layer's own can change what the other
  /// means, and a fault is located by its position in it.
  ///
  /// - Throws: `ExpressionError` for the condition, `LayerError` for the layer.
  package func narrow(to text: String) throws {
    let condition = try Condition(text)
    try load()
    _ = try condition.bound(to: table.fields)
    definitionExpression = definitionExpression.map { "(\($0)) AND (\(text))" } ?? text
  }

  /// What is wrong with features that were read, in one line; nil when there is nothing to say.
  public var warning: String? {
    let lines = [all.map(\.warning) ?? windowWarning, table.warning].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }

  /// Whether all features are in memory.
  public var hasFeatures: Bool { all != nil }

  /// How far symbols of the layer reach beyond shapes at most, in pixels.
  var largestSymbol: Double { renderer?.legend.map(\.symbol.extent).max() ?? 0 }

  /// The features whose boxes meet a window, others perhaps among them: all of them when they are
  /// there, or when the table would have to read them anyway.
  package func features(in windows: [Envelope]) throws(LayerError) -> FeatureSet {
    guard all == nil, table.hasSpatialIndex, table.isRemote || windowCount < Self.mostWindows else {
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
