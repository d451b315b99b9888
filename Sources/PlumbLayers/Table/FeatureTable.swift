import PlumbCore
import PlumbGeometry

/// The features behind a feature layer: a source of vectors, or a list in memory.
///
/// One thread at a time may use it.
public protocol FeatureTable: AnyObject {
  /// Opens the table without reading features; called before anything else, perhaps again.
  func open() throws
  /// The columns; each feature has one attribute for each.
  var fields: [Field] { get }
  /// Nil when the table does not say what its coordinates are in.
  var spatialReference: SpatialReference? { get }
  /// The number of features; nil when only reading them all would tell.
  var featureCount: Int? { get }
  /// Whether `features(in:)` finds the features in windows without reading them all.
  var hasSpatialIndex: Bool { get }
  /// Whether features may have symbols of their own; true unless a table says otherwise.
  var hasSymbols: Bool { get }

  /// Round all features, where that is known without reading them.
  var extent: Envelope? { get }
  /// What is read: a file, or what else the table's reader takes for a source; nil for a list in
  /// memory, and before it is opened.
  var path: String? { get }
  /// The kind of its shapes, as `Point`; nil when the source does not say one.
  var geometryKind: String? { get }
  /// The files that are read, as far as they are known.
  var files: [String] { get }

  /// What is wrong with features that were read, in one line; nil when there is nothing to say.
  var warning: String? { get }

  /// Whether the features are another machine's: asked for windows rather than read as a whole.
  var isRemote: Bool { get }
  /// What the source says of a layer of its features, for what the layer's own settings do not say.
  /// Asked once the table is open.
  var defaults: LayerDefaults { get }
  /// Takes the condition that features have to meet; nil for none.
  ///
  /// - Returns: false where the source knows no conditions, so that the layer sees to it.
  func restrict(to condition: String?) -> Bool
  /// The files that belong to features, by their numbers.
  func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]]

  /// The features in the table's order, the first one drawn first.
  ///
  /// - Parameter windows: leaves out features whose boxes meet none of them, or not all of those;
  ///   nil for all features.
  func features(in windows: [Envelope]?) throws -> [TableFeature]
}

/// What a source says of a layer of its features.
public struct LayerDefaults {
  /// The symbols; nil for none.
  public var renderer: Renderer?
  /// What of the source's drawing is drawn in another way.
  public var undrawn = UndrawnParts()
  /// The scales at which the source itself shows them.
  public var scaleRange = ScaleRange()
  /// Whose data they are; empty where it does not say.
  public var attribution = ""

  /// A source that says nothing.
  public init() {}
}

/// A feature and the symbol of its own that it may have.
public struct TableFeature: Sendable {
  /// A row of the table.
  public var feature: Feature
  /// Stands in for what the layer's renderer says.
  public var symbol: Symbol?

  /// A row, with a symbol of its own or without.
  public init(_ feature: Feature, symbol: Symbol? = nil) {
    self.feature = feature
    self.symbol = symbol
  }
}

extension FeatureTable {
  /// True.
  public var hasSymbols: Bool { true }
  /// Nil: a list in memory.
  public var path: String? { nil }
  /// Nil: no kind is declared.
  public var geometryKind: String? { nil }
  /// Nil: nothing to say.
  public var warning: String? { nil }
  /// False: this machine's.
  public var isRemote: Bool { false }
  /// Nothing.
  public var defaults: LayerDefaults { LayerDefaults() }
  /// False: the layer sees to it.
  public func restrict(to condition: String?) -> Bool { false }
  /// None.
  public func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]] { [:] }

  /// The extent in degrees of WGS84; nil where it is not known or spans most of the world.
  var geographicExtent: (west: Double, south: Double, east: Double, north: Double)? {
    guard let extent, !extent.isEmpty, let spatialReference,
      let toDegrees = try? Transformation(from: spatialReference, to: .wgs84)
    else { return nil }
    var x = [extent.xMin, extent.xMax, extent.xMin, extent.xMax]
    var y = [extent.yMin, extent.yMin, extent.yMax, extent.yMax]
    unsafe toDegrees.apply(x: &x, y: &y, count: 4)
    guard let west = x.min(), let east = x.max(), let south = y.min(), let north = y.max(),
      (x + y).allSatisfy(\.isFinite), east - west < 180
    else { return nil }
    return (west, south, east, north)
  }
}
