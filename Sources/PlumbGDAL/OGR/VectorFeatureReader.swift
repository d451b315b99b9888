import PlumbCore
import PlumbGeometry

/// Reads the features of a layer, with attributes and geometries of any kind, from any source that
/// OGR opens.
///
/// x is the easting or longitude, regardless of the source's axis order. Only one thread at a time
/// may use a reader.
public final class VectorFeatureReader: FeatureSource {
  /// The layer's name.
  public var layerName: String { source.facts.name }
  /// The layer's columns in their order. Each feature has one attribute for each column.
  public let fields: [Field]
  /// The layer's columns with their OGR declarations, for a `VectorRowWriter`.
  public var vectorFields: [VectorField] { source.facts.fields }
  /// The CRS of the features: the CRS given to the initializer or, if none was given, the CRS of
  /// the layer; nil if neither is known.
  public let spatialReference: SpatialReference?
  /// The number of features; nil if it is known only after reading all of them.
  public var featureCount: Int? { source.facts.featureCount }
  /// Whether the layer has geometries.
  public var hasGeometry: Bool { source.facts.hasGeometry }
  /// The declared geometry type, with the name used in WKT: `MultiPolygon`, `Point Z`, or
  /// `Geometry` for any type; nil if the layer has no geometries.
  public var geometryKind: String? { source.facts.geometryKind }
  /// The extent of all geometries; nil if it is known only after reading all of them.
  public var extent: Envelope? {
    source.facts.extent.map {
      Envelope(
        xMin: $0[0], yMin: $0[1], xMax: $0[2], yMax: $0[3], spatialReference: spatialReference)
    }
  }
  /// The files of the source that its driver reports.
  public var files: [String] { source.facts.files }
  /// Whether the source is a GeoJSON or EsriJSON document, whose features may have ids.
  package var isJSON: Bool { source.facts.isJSON }
  /// Whether a helper process reads the layer, so that calls may wait for that process.
  package var isIsolated: Bool { source.isIsolated }
  /// Whether the source stores the features' ids. If not, features are numbered as they are read.
  public var hasNumbers: Bool { source.facts.hasNumbers }

  /// The features that were returned without a shape because their shape is unusable; empty unless
  /// `skipsBadShapes` is true.
  package private(set) var faults = FeatureFaults()
  /// The features whose shapes are collections of several kinds; empty unless `skipsBadShapes` is
  /// true.
  package private(set) var collections = FeatureFaults()

  private let source: any LayerCursor
  private let skipsBadShapes: Bool

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: a file, or any other source that OGR opens.
  ///   - name: the layer's name; nil for the only layer of the source.
  ///   - reference: the CRS of the coordinates, which overrides the CRS of the source; nil for the
  ///     CRS of the source.
  ///   - access: the resources that GDAL may use for the source; nil for `GDALAccess.named(path)`.
  ///   - skipsBadShapes: whether a feature with an unusable shape is returned without its shape,
  ///     instead of throwing an error. A collection of several kinds of shapes is then in the
  ///     feature's `collection`.
  /// - Throws: `GDALError` if the source cannot be opened, with a message that lists the layers if
  ///   the name is missing or unknown; `GeometryError` if PROJ does not support the source's CRS.
  public init(
    path: String, layer name: String? = nil, reference: SpatialReference? = nil,
    access: GDALAccess? = nil, skipsBadShapes: Bool = false
  ) throws {
    source = try layerCursor(
      path: path, layer: name, keepsText: true, access: access ?? .named(path))
    self.skipsBadShapes = skipsBadShapes
    fields = source.facts.fields.map(\.field)
    spatialReference = try reference ?? source.facts.referenceText.map { try SpatialReference($0) }
  }

  /// Returns the next features in the layer's order; nil at the end. Returns at most `limit`
  /// features, and fewer if they have very many vertices.
  ///
  /// Curves are converted to chains of straight edges, and faces of surfaces to polygons. A
  /// collection whose members are of one kind is converted to one geometry.
  /// - Throws: `GDALError` if a feature cannot be read or, unless `skipsBadShapes` is true, if its
  ///   geometry has mixed kinds. The error contains the number of the feature, counted from 1.
  public func next(limit: Int) throws -> [Feature]? { try nextNumbered(limit: limit)?.features }

  /// Whether `restart(in:)` finds the features in a window without reading all features.
  public var hasSpatialIndex: Bool { source.facts.hasSpatialIndex }

  /// Restarts at the first feature.
  ///
  /// - Parameter window: a finite window in the layer's CRS; features that do not intersect it are
  ///   omitted.
  public func restart(in window: Envelope?) {
    source.restart(in: window)
    faults.clear()
    collections.clear()
  }

  /// Returns the same features as `next(limit:)`, with their OGR feature ids.
  ///
  /// The ids are unique in the layer, even if they are not stored in the source.
  public func nextNumbered(limit: Int) throws -> (features: [Feature], numbers: [Int64])? {
    let reading = FeatureReading(limit: limit, skipsBadShapes: skipsBadShapes)
    guard let batch = try source.next(reading, spatialReference) else { return nil }
    for fault in batch.faults {
      if fault.isCollection {
        collections.add(fault.message, number: fault.number)
      } else {
        faults.add(fault.message, number: fault.number)
      }
    }
    return (batch.features, batch.numbers)
  }
}
