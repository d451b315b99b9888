import PlumbCore
import PlumbGeometry

/// Reads a layer of any source that OGR opens as features: geometries of any kind, attributes.
///
/// x is easting or longitude whatever the source's axis order. One thread at a time may use it.
public final class VectorFeatureReader: FeatureSource {
  /// The layer's name.
  public var layerName: String { source.facts.name }
  /// The layer's columns, in its order: each feature has one attribute for each.
  public let fields: [Field]
  /// The layer's columns with their OGR declarations, for a `VectorRowWriter`.
  public var vectorFields: [VectorField] { source.facts.fields }
  /// What the features are in: the reference that was given, else the layer's; nil where neither is
  /// known.
  public let spatialReference: SpatialReference?
  /// The number of features where the driver says it without reading them all.
  public var featureCount: Int? { source.facts.featureCount }
  /// Whether the layer has geometries.
  public var hasGeometry: Bool { source.facts.hasGeometry }
  /// The kind of geometries that the source declares, as WKT calls it: `MultiPolygon`, `Point Z`,
  /// `Geometry` for any; nil without geometries.
  public var geometryKind: String? { source.facts.geometryKind }
  /// Round all geometries; nil when only reading them all would tell.
  public var extent: Envelope? {
    source.facts.extent.map {
      Envelope(
        xMin: $0[0], yMin: $0[1], xMax: $0[2], yMax: $0[3], spatialReference: spatialReference)
    }
  }
  /// The files that the source consists of, as far as its driver tells.
  public var files: [String] { source.facts.files }
  /// Whether it is a document of GeoJSON's or Esri's, whose features may have ids.
  package var isJSON: Bool { source.facts.isJSON }
  /// Whether a helper process reads it, which may be waited for.
  package var isIsolated: Bool { source.isIsolated }
  /// Whether the features' numbers stand in the source, rather than being their count.
  public var hasNumbers: Bool { source.facts.hasNumbers }

  /// The features that were read without a shape because theirs cannot be used, when faults are
  /// let pass.
  package private(set) var faults = FeatureFaults()
  /// The features whose shapes are collections of several kinds, when faults are let pass.
  package private(set) var collections = FeatureFaults()

  private let source: any LayerCursor
  private let passesFaults: Bool

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: a file, or whatever else OGR takes for a source.
  ///   - name: the layer's name; nil for the only one.
  ///   - reference: what the coordinates are in, whatever the source says; nil believes the source.
  ///   - access: what GDAL may use for it; nil for what it may for a path that the user names.
  ///   - passesFaults: whether a feature whose shape cannot be used is read without it, rather than
  ///     ending the reading; a collection of several kinds is in its `collection` then.
  /// - Throws: `GDALError` when the source does not open, or which layers there are when none or
  ///   an unknown one was named; `GeometryError` when the source's reference is none of PROJ's.
  public init(
    path: String, layer name: String? = nil, reference: SpatialReference? = nil,
    access: GDALAccess? = nil, passesFaults: Bool = false
  ) throws {
    source = try layerCursor(
      path: path, layer: name, keepsText: true, access: access ?? .named(path))
    self.passesFaults = passesFaults
    fields = source.facts.fields.map(\.field)
    spatialReference = try reference ?? source.facts.referenceText.map { try SpatialReference($0) }
  }

  /// The next features in the layer's order: at most `limit`, fewer when they have very many
  /// vertices; nil at the end.
  ///
  /// Curves become chains of straight edges, faces of surfaces polygons, and a collection whose
  /// members are of one kind one geometry.
  /// - Throws: `GDALError` when a feature cannot be read or, unless faults are let pass, has a
  ///   geometry of mixed kinds, naming the feature, counted from 1.
  public func next(limit: Int) throws -> [Feature]? { try nextNumbered(limit: limit)?.features }

  /// Whether `restart(in:)` finds the features of a window without reading all.
  public var hasSpatialIndex: Bool { source.facts.hasSpatialIndex }

  /// Starts again from the first feature.
  ///
  /// - Parameter window: finite, in the layer's reference; leaves out features that do not meet it.
  public func restart(in window: Envelope?) {
    source.restart(in: window)
    faults.clear()
    collections.clear()
  }

  /// The next features as `next(limit:)` gives them, with the numbers that OGR has for them.
  ///
  /// The numbers are unique in the layer, also when only OGR counts them.
  public func nextNumbered(limit: Int) throws -> (features: [Feature], numbers: [Int64])? {
    let reading = FeatureReading(limit: limit, passesFaults: passesFaults)
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
