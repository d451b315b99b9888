import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// The features of a layer of a file. Plumb itself reads an Esri feature set, because of its CRS
/// and curves, and Parquet and Arrow. OGR reads all other formats.
///
/// Only one thread at a time may use a `FeatureFile`.
package final class FeatureFile: FeatureSource {
  private enum Content {
    case vector(VectorFeatureReader)
    case esri(EsriFile)
    case memory(MemoryFeatures)
  }

  private struct MemoryFeatures {
    var fields: [Field]
    var features: [Feature]
    var geometryKind: String?
    var name: String?
    var faults: FeatureFaults

    /// Reads all rows of a Parquet or Arrow file.
    ///
    /// - Parameters:
    ///   - access: the permitted access. If a document names the file, its CRS cannot refer to other files.
    /// - Returns: the features, and their CRS.
    static func columnar(
      _ path: String, _ layer: String?, _ reference: SpatialReference?, _ access: GDALAccess?,
      skipsBadShapes: Bool
    ) throws -> (MemoryFeatures, SpatialReference?) {
      let documents = access?.trust == .document ? DocumentAccess.folder : .anywhere
      try OnlyLayer.check(layer, of: path, documents)
      let arrow = ColumnarTable.isArrow(path) ? try PeekedInput(path: path) : nil
      let source = try ColumnarFeatureSource(
        path: path, reference: reference, access: documents, fetching: access?.fetching,
        arrow: arrow)
      guard source.byteCount ?? arrow?.input.byteCount ?? 0 <= FeatureFile.sizeLimit else {
        throw PlumbError(
          "\(path.printable) has more than 2 GB; split it, or convert it to a GeoPackage")
      }
      var features: [Feature] = []
      while let part = try source.next(limit: 1 << 16) {
        try WorkCancellation.checkCurrent()
        features += part
      }
      if !skipsBadShapes, let fault = source.faults.first {
        throw PlumbError("\(path.printable): \(fault)")
      }
      let kinds = Set(features.lazy.compactMap { $0.geometry.map(kind) })
      let table = MemoryFeatures(
        fields: source.fields, features: features,
        geometryKind: kinds.count == 1 ? kinds.first : "Geometry",
        name: RemoteByteSource.address(of: path).map { OnlyLayer.stem(String($0.fileName)) },
        faults: source.faults)
      return (table, source.spatialReference)
    }

    /// The name of a geometry type that includes the type of a shape.
    private static func kind(_ geometry: Geometry) -> String {
      switch geometry {
      case .point: "Point"
      case .multipoint: "MultiPoint"
      case .polyline: "MultiLineString"
      case .polygon: "MultiPolygon"
      default: "Geometry"
      }
    }
  }

  private final class EsriFile {
    let bytes: UnsafeMutableRawBufferPointer
    let reader: EsriFeatureReader

    /// - Parameter allowsReferencedFiles: whether the file's CRS may refer to files of definitions
    ///   and grids.
    init(_ path: String, allowsReferencedFiles: Bool) throws {
      let file = try DocumentFile(startOf: path, limit: FeatureFile.sizeLimit)
      guard !file.isTruncated else {
        throw PlumbError(
          "\(path.printable) has more than 2 GB; split it, or convert it to a GeoPackage")
      }
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: file.bytes.count, alignment: 16)
      bytes.copyBytes(from: file.bytes)
      do {
        reader = try EsriFeatureReader(UnsafeRawBufferPointer(bytes)) { text in
          try SpatialReference.inDocument(text, allowsReferencedFiles ? .anywhere : .folder)
        }
      } catch {
        bytes.deallocate()
        throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
      }
      self.bytes = bytes
    }

    deinit { bytes.deallocate() }
  }

  /// The drivers that OGR may choose for a feature set, depending on the order of its members.
  private static let drivers: Set<String> = ["ESRIJSON", "GeoJSON"]
  private static let sizeLimit = 2 << 30
  private static let startSize = 1 << 16

  private let content: Content
  private let path: String
  private let reference: SpatialReference?
  private let skipsBadShapes: Bool
  private var position: Int64 = 0

  /// Opens a layer, with the parameters of `VectorFeatureReader`.
  package init(
    path: String, layer: String? = nil, reference: SpatialReference? = nil,
    access: GDALAccess? = nil, skipsBadShapes: Bool = true
  ) throws {
    self.path = path
    self.skipsBadShapes = skipsBadShapes
    if Self.readsTable(path, access) {
      let (table, reference) = try MemoryFeatures.columnar(
        path, layer, reference, access, skipsBadShapes: skipsBadShapes)
      (content, self.reference) = (.memory(table), reference)
      return
    }
    self.reference = reference
    guard access?.drivers.map({ !Self.drivers.isDisjoint(with: $0) }) ?? true, Self.isEsri(path)
    else {
      content = .vector(
        try VectorFeatureReader(
          path: path, layer: layer, reference: reference, access: access,
          skipsBadShapes: skipsBadShapes))
      return
    }
    // `ESRIJSON` is OGR's name of the only layer.
    guard layer.map({ (OnlyLayer.names(of: path) + ["ESRIJSON"]).contains($0) }) ?? true else {
      throw PlumbError(
        "\(path.printable) has no layer \"\(layer?.printable ?? "")\"; it has "
          + "\"\(OnlyLayer.stem(path).printable)\"")
    }
    content = .esri(try EsriFile(path, allowsReferencedFiles: access?.trust != .document))
  }

  /// Creates a source of features in memory.
  ///
  /// - Parameters:
  ///   - path: the origin of the features, for messages.
  ///   - name: the layer's name; nil for the path's last component.
  ///   - faults: the features that were read without their shapes.
  package convenience init(
    path: String, name: String? = nil, fields: [Field], features: [Feature],
    reference: SpatialReference?, geometryKind: String?, faults: FeatureFaults = FeatureFaults()
  ) {
    self.init(
      path, reference,
      MemoryFeatures(
        fields: fields, features: features, geometryKind: geometryKind, name: name,
        faults: faults))
  }

  private init(_ path: String, _ reference: SpatialReference?, _ memory: MemoryFeatures) {
    (self.path, self.reference, skipsBadShapes, content) = (path, reference, true, .memory(memory))
  }

  /// Returns the same features in memory, with their CRS replaced.
  func assuming(_ reference: SpatialReference) -> FeatureFile {
    guard case .memory(var memory) = content else { return self }
    for index in memory.features.indices {
      memory.features[index].geometry?.spatialReference = reference
    }
    return FeatureFile(path, reference, memory)
  }

  /// Whether a path is a URL, or a file in a bucket, with the extension of Parquet.
  package static func isRemoteTable(_ path: String) -> Bool { ColumnarTable.isRemote(path) }

  /// Whether a path is a file of Parquet or Arrow that may be read with the given access.
  private static func readsTable(_ path: String, _ access: GDALAccess?) -> Bool {
    if let drivers = access?.drivers, !drivers.contains("Parquet") { return false }
    if ColumnarTable.isRemote(path) {
      return access.map { $0.allowsNetwork || $0.fetching != nil } ?? true
    }
    return ColumnarTable.isParquet(path) || ColumnarTable.isArrow(path)
  }

  package static func isEsri(_ path: String) -> Bool {
    guard DocumentFile.startsLikeObject(path: path),
      case .success(let file) = Result(catching: {
        try DocumentFile(startOf: path, limit: startSize)
      })
    else { return false }
    return file.bytes.withUnsafeBytes { EsriFeatureReader.isFeatureSet($0) }
  }

  package var layerName: String {
    switch content {
    case .vector(let reader): reader.layerName
    case .esri: OnlyLayer.stem(path)
    case .memory(let table): table.name ?? OnlyLayer.stem(path)
    }
  }

  package var fields: [Field] {
    switch content {
    case .vector(let reader): reader.fields
    case .esri(let file): file.reader.fields
    case .memory(let table): table.fields
    }
  }

  /// The columns with their OGR declarations.
  package var vectorFields: [VectorField] {
    switch content {
    case .vector(let reader): reader.vectorFields
    case .esri(let file): file.reader.fields.map { VectorField($0) }
    case .memory(let table): table.fields.map { VectorField($0) }
    }
  }

  package var spatialReference: SpatialReference? {
    switch content {
    case .vector(let reader): reader.spatialReference
    case .esri(let file): reference ?? file.reader.spatialReference
    case .memory: reference
    }
  }

  package var featureCount: Int? {
    switch content {
    case .vector(let reader): reader.featureCount
    case .esri(let file): file.reader.featureCount
    case .memory(let table): table.features.count
    }
  }

  package var hasGeometry: Bool {
    switch content {
    case .vector(let reader): reader.hasGeometry
    case .esri: true
    case .memory(let table): table.geometryKind != nil
    }
  }

  package var geometryKind: String? {
    switch content {
    case .vector(let reader): reader.geometryKind
    case .esri(let file): file.reader.geometryKind ?? "Geometry"
    case .memory(let table): table.geometryKind
    }
  }

  package var extent: Envelope? {
    if case .vector(let reader) = content { reader.extent } else { nil }
  }

  package var files: [String] {
    switch content {
    case .vector(let reader): reader.files
    case .esri: [path]
    case .memory: []
    }
  }

  /// Whether the file is a JSON document whose features may have ids.
  package var isJSON: Bool {
    if case .vector(let reader) = content { reader.isJSON } else { false }
  }

  /// Whether a helper process reads the file, so that calls may wait for that process.
  package var isIsolated: Bool {
    if case .vector(let reader) = content { reader.isIsolated } else { false }
  }

  package var hasSpatialIndex: Bool {
    if case .vector(let reader) = content { reader.hasSpatialIndex } else { false }
  }

  /// The features that have been read without their shapes so far.
  package var faults: FeatureFaults {
    switch content {
    case .vector(let reader): reader.faults
    case .esri(let file): file.reader.faults
    case .memory(let table): table.faults
    }
  }

  /// The features read so far whose shapes are collections of several kinds.
  package var collections: FeatureFaults {
    if case .vector(let reader) = content { reader.collections } else { FeatureFaults() }
  }

  /// Restarts at the first feature; see `VectorFeatureReader.restart(in:)`.
  package func restart(in window: Envelope?) throws {
    switch content {
    case .vector(let reader): reader.restart(in: window)
    case .esri(let file):
      position = 0
      try file.reader.restart()
    case .memory: position = 0
    }
  }

  /// The columns whose values a database compares as Plumb does; empty unless the source is a database.
  package var comparableFields: [Field] {
    if case .vector(let reader) = content { reader.comparableFields } else { [] }
  }

  /// Restricts the features of a database to those that meet a condition in its SQL, and restarts at
  /// the first of them.
  ///
  /// - Parameter condition: nil for all features.
  package func select(_ condition: String?) {
    guard case .vector(let reader) = content, !reader.comparableFields.isEmpty else { return }
    reader.select(condition)
  }

  package func next(limit: Int) throws -> [Feature]? { try nextNumbered(limit: limit)?.features }

  /// Returns the next features with their ids in the file; nil at the end.
  package func nextNumbered(limit: Int) throws -> (features: [Feature], numbers: [Int64])? {
    if case .memory(let table) = content {
      let start = Int(position)
      let end = min(table.features.count, start + max(1, limit))
      guard start < end else { return nil }
      position = Int64(end)
      let features = Array(table.features[start..<end])
      return (features, features.enumerated().map { $1.id ?? Int64(start + $0) })
    }
    guard case .esri(let file) = content else {
      if case .vector(let reader) = content { return try reader.nextNumbered(limit: limit) }
      return nil
    }
    var features: [Feature] = []
    var numbers: [Int64] = []
    do {
      while features.count < max(1, limit), var feature = try file.reader.next() {
        if !skipsBadShapes, let fault = file.reader.faults.first {
          throw PlumbError("\(path.printable): \(fault)")
        }
        if let reference { feature.geometry?.spatialReference = reference }
        numbers.append(feature.id ?? position)
        features.append(feature)
        position += 1
      }
    } catch let error as FormatError {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
    return features.isEmpty ? nil : (features, numbers)
  }
}
