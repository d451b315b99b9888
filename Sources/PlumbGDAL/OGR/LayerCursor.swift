import CGDAL
import PlumbCore

/// What a layer is, read once when it is opened.
struct LayerFacts: Sendable, Hashable {
  var name: String
  var fields: [VectorField]
  /// The reference as WKT 2:2019; nil without one.
  var referenceText: String?
  /// The number of features; nil when only reading them all would tell.
  var featureCount: Int?
  var hasGeometry: Bool
  /// The declared kind of geometries, as WKT calls it; nil without geometries.
  var geometryKind: String?
  /// xMin, yMin, xMax, yMax of all geometries; nil when only reading them all would tell.
  var extent: [Double]?
  var files: [String]
  var isJSON: Bool
  /// Whether the features' numbers stand in the source, rather than being their count.
  var hasNumbers: Bool
  var hasSpatialIndex: Bool
}

/// Consecutive features, and what is wrong with some of them.
struct FeatureBatch: Hashable {
  struct Fault: Hashable {
    /// Names the feature.
    var message: String
    /// Of a feature that may come again.
    var number: Int64?
    /// Whether its shapes are all there, of several kinds.
    var isCollection: Bool
  }

  var features: [Feature] = []
  var numbers: [Int64] = []
  var faults: [Fault] = []
}

/// How a batch of features is read.
struct FeatureReading {
  /// At most so many.
  var limit: Int
  /// Whether a feature whose shape cannot be used is read without it, rather than ending the reading.
  var passesFaults: Bool
  /// The columns of coordinates, where points come from those.
  var pointColumns: [Int]?
}

/// The features of one layer, one batch after the other: read in this process, or in a helper.
///
/// One thread at a time may use it.
protocol LayerCursor: AnyObject {
  var facts: LayerFacts { get }
  /// Whether a helper reads it.
  var isIsolated: Bool { get }

  /// Starts again from the first feature of those that meet a window, or of all.
  func restart(in window: Envelope?)

  /// The next features; nil at the end.
  ///
  /// - Parameter reference: what the coordinates are in.
  func next(
    _ reading: FeatureReading, _ reference: SpatialReference?
  ) throws(GDALError) -> FeatureBatch?

  /// The next features by their points; nil at the end.
  func nextPoints(_ reading: FeatureReading) throws(GDALError) -> VectorBatch?
}

/// Opens a layer where it is to be read; see `VectorLayer.init`.
func layerCursor(
  path: String, layer name: String?, keepsText: Bool, access: GDALAccess
) throws(GDALError) -> any LayerCursor {
  switch try SourceRoute.route(path, GDAL_OF_VECTOR, access) {
  case .here(let access):
    return try OwnLayerCursor(
      VectorLayer(path: path, layer: name, keepsText: keepsText, access: access))
  case .helper:
    return try HelperLayerCursor(path: path, layer: name, keepsText: keepsText, access: access)
  }
}
