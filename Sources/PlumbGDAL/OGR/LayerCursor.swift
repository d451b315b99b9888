import CGDAL
import PlumbCore

/// The properties of a layer, read once when it is opened.
struct LayerFacts: Sendable, Hashable {
  var name: String
  var fields: [VectorField]
  /// The CRS as a code or WKT 2:2019; nil if the layer has none.
  var referenceText: String?
  /// The number of features; nil if it is known only after reading all of them.
  var featureCount: Int?
  var hasGeometry: Bool
  /// Whether the source is a database that evaluates conditions itself.
  var isDatabase = false
  /// The declared geometry type, with the name used in WKT; nil if the layer has no geometries.
  var geometryKind: String?
  /// The xMin, yMin, xMax and yMax of all geometries; nil if they are known only after reading all
  /// geometries.
  var extent: [Double]?
  var files: [String]
  var isJSON: Bool
  /// Whether the source stores the features' ids. If not, features are numbered as they are read.
  var hasNumbers: Bool
  var hasSpatialIndex: Bool
}

/// Consecutive features, and the errors in some of them.
struct FeatureBatch: Hashable {
  struct Fault: Hashable {
    /// The message, which names the feature.
    var message: String
    /// The id of the feature if features are read in a window; otherwise nil. A feature may be
    /// returned for several windows, and its id is needed to count it only once.
    var number: Int64?
    /// Whether the feature is returned with all its shapes because they are of several kinds.
    var isCollection: Bool
  }

  var features: [Feature] = []
  var numbers: [Int64] = []
  var faults: [Fault] = []
}

/// Options for reading a batch of features.
struct FeatureReading {
  /// The maximum number of features.
  var limit: Int
  /// Whether a feature with an unusable shape is returned without its shape, instead of throwing an
  /// error.
  var skipsBadShapes: Bool
  /// The x and y columns, if the points are read from columns.
  var pointColumns: [Int]?
}

/// Iterates over the features of a layer in batches. The layer is read in this process or in a
/// helper process.
///
/// Only one thread at a time may use a cursor.
protocol LayerCursor: AnyObject {
  var facts: LayerFacts { get }
  /// Whether a helper process reads the layer.
  var isIsolated: Bool { get }

  /// Restarts at the first feature that intersects a window, or at the first feature of the layer
  /// if the window is nil.
  func restart(in window: Envelope?)

  /// Restricts the features to those that meet a condition in the SQL of the database; nil for all.
  /// Takes effect at the next restart, and only if the source is a database.
  func select(_ condition: String?)

  /// Returns the next features; nil at the end.
  ///
  /// - Parameter reference: the CRS of the coordinates.
  func next(
    _ reading: FeatureReading, _ reference: SpatialReference?
  ) throws(GDALError) -> FeatureBatch?

  /// Returns the next features as points; nil at the end.
  func nextPoints(_ reading: FeatureReading) throws(GDALError) -> VectorBatch?
}

/// Opens a layer in this process or in a helper process, depending on its source. See
/// `VectorLayer.init`.
func layerCursor(
  path: String, layer name: String?, keepsText: Bool, access: GDALAccess
) throws(GDALError) -> any LayerCursor {
  switch try SourceRoute.route(path, GDAL_OF_VECTOR, access) {
  case .inProcess(let access):
    return try LocalLayerCursor(
      VectorLayer(path: path, layer: name, keepsText: keepsText, access: access))
  case .helper:
    return try HelperLayerCursor(path: path, layer: name, keepsText: keepsText, access: access)
  }
}
