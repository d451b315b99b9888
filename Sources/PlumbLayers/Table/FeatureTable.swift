import PlumbCore
import PlumbGeometry

/// The features of a feature layer: a vector source, or a list in memory.
///
/// Must be used by one thread at a time.
public protocol FeatureTable: AnyObject {
  /// Opens the table without reading features. Called before all other methods, possibly more than
  /// once.
  func open() throws
  /// The columns; each feature has one attribute per column.
  var fields: [Field] { get }
  /// The CRS of the features; nil if the table has none.
  var spatialReference: SpatialReference? { get }
  /// The number of features; nil if the number is unknown without reading all features.
  var featureCount: Int? { get }
  /// Whether `features(in:)` finds the features in windows without reading all features.
  var hasSpatialIndex: Bool { get }
  /// Whether features may have individual symbols; true by default.
  var hasSymbols: Bool { get }

  /// The extent of all features; nil if the extent is unknown without reading the features.
  var extent: Envelope? { get }
  /// The source: a file, or another source that the table's reader supports; nil for a list in
  /// memory, and before the table is opened.
  var path: String? { get }
  /// The kind of the table's shapes, such as `Point`; nil if the source does not declare one.
  var geometryKind: String? { get }
  /// The files that are read, if known.
  var files: [String] { get }

  /// A one-line warning about the features that were read; nil if there is none.
  var warning: String? { get }

  /// Whether the features are on a server, and are queried by window rather than read completely.
  var isRemote: Bool { get }
  /// The source's default settings for a layer of its features. They are used for settings that the
  /// layer does not define. Available after the table is opened.
  var defaults: LayerDefaults { get }
  /// Sets the condition that features have to meet; nil for none.
  ///
  /// - Returns: false if the source does not support conditions, so that the layer has to evaluate the
  ///   condition.
  func restrict(to condition: String?) -> Bool
  /// Returns the attachments of features, by feature id.
  func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]]

  /// Returns the features in the table's order, the first one drawn first.
  ///
  /// - Parameter windows: the requested windows; features whose bounding boxes intersect none of
  ///   the windows may be omitted. Nil requests all features.
  func features(in windows: [Envelope]?) throws -> [TableFeature]
}

/// A source's settings for a layer of its features.
public struct LayerDefaults {
  /// The renderer; nil for none.
  public var renderer: Renderer?
  /// The source's drawing settings that Plumb does not apply as specified.
  public var undrawn = UnsupportedDrawing()
  /// The scales at which the source itself shows the features.
  public var scaleRange = ScaleRange()
  /// The attribution of the data; empty if unknown.
  public var attribution = ""

  /// Creates empty settings.
  public init() {}
}

/// A feature with an optional symbol.
public struct TableFeature: Sendable {
  /// A row of the table.
  public var feature: Feature
  /// The feature's individual symbol, which replaces the symbol of the layer's renderer; nil for
  /// none.
  public var symbol: Symbol?

  /// Creates a row, optionally with an individual symbol.
  public init(_ feature: Feature, symbol: Symbol? = nil) {
    self.feature = feature
    self.symbol = symbol
  }
}

extension FeatureTable {
  /// Always true.
  public var hasSymbols: Bool { true }
  /// Always nil, as for a list in memory.
  public var path: String? { nil }
  /// Always nil: no kind is declared.
  public var geometryKind: String? { nil }
  /// Always nil: there are no warnings.
  public var warning: String? { nil }
  /// Always false: the features are local.
  public var isRemote: Bool { false }
  /// Default settings without values.
  public var defaults: LayerDefaults { LayerDefaults() }
  /// Always returns false, so that the layer evaluates the condition.
  public func restrict(to condition: String?) -> Bool { false }
  /// Returns no attachments.
  public func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]] { [:] }
}
