import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbLayers
import PlumbSources

/// The features of a layer of any OGR source.
public final class VectorFeatureTable: FeatureTable {
  /// The source to open.
  package struct Source {
    package var path: String
    /// The layer's name; nil for the only layer.
    package var layer: String?
    /// The permitted access; nil for sources that the user names, which may access anything.
    package var access: GDALAccess?
  }

  private let locate: () throws -> Source
  private let failure: (any Error) -> any Error
  private let reference: SpatialReference?
  private var reader: FeatureFile?
  /// The lock that is held while a helper process reads; the map's lock is released meanwhile.
  private let isRead = YieldingLock()
  private var faults = FeatureFaults()
  private var collections = FeatureFaults()
  /// The path that was opened; nil before the table is open.
  public private(set) var path: String?

  /// - Parameters:
  ///   - path: a file, or any other OGR data source.
  ///   - layer: the layer's name; nil for the only layer.
  ///   - reference: the CRS of the coordinates, which overrides the source's CRS; nil for the
  ///     source's CRS.
  public convenience init(
    path: String, layer: String? = nil, reference: SpatialReference? = nil
  ) {
    self.init(reference: reference) {
      Source(path: path, layer: layer)
    } failure: {
      $0
    }
  }

  /// Creates a table of a source. The source may access only what `access` permits.
  package convenience init(path: String, layer: String?, access: DocumentAccess) {
    self.init {
      Source(path: path, layer: layer, access: access.named)
    } failure: {
      $0
    }
  }

  /// - Parameters:
  ///   - locate: returns the source when the table is opened.
  ///   - failure: converts an error that occurs while the source is opened into the error to throw.
  package init(
    reference: SpatialReference? = nil, locate: @escaping () throws -> Source,
    failure: @escaping (any Error) -> any Error
  ) {
    self.reference = reference
    self.failure = failure
    self.locate = locate
  }

  /// Finds and opens the source.
  ///
  /// - Throws: if OGR cannot open the source, or the source has no such layer.
  public func open() throws {
    // The map's lock is released while waiting, so that a helper process that does not respond blocks only
    // this layer.
    let (opened, source) = try YieldingLock.whileWaiting { () throws in
      let source = try locate()
      do {
        return (
          try FeatureFile(
            path: source.path, layer: source.layer, reference: reference, access: source.access),
          source
        )
      } catch {
        throw failure(error)
      }
    }
    (reader, path) = (opened, source.path)
  }

  /// The layer's columns; empty before the table is open.
  public var fields: [Field] { reader?.fields ?? [] }
  /// The CRS of the coordinates: the given CRS or, if none is given, the source's CRS; nil before
  /// the table is open.
  public var spatialReference: SpatialReference? { reader?.spatialReference }
  /// The number of features; nil if the number is unknown without reading all features.
  public var featureCount: Int? { reader?.featureCount }
  /// Whether the source has an index for queries by window without reading all features.
  public var hasSpatialIndex: Bool { reader?.hasSpatialIndex ?? false }
  /// Always false: OGR features use their layer's symbols.
  public var hasSymbols: Bool { false }
  /// The layer's extent; nil if the extent is unknown without reading the features.
  public var extent: Envelope? { reader?.extent }
  /// The files of the source; empty before the table is open.
  public var files: [String] { reader?.files ?? [] }
  /// A warning about features whose geometry was dropped because the geometry cannot be used, or is
  /// a collection of several kinds of geometries; nil if there are none.
  public var warning: String? {
    let lines = [faults.warning, collections.warning].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }
  /// Whether the features have geometries.
  public var hasGeometry: Bool { reader?.hasGeometry ?? false }
  /// The geometry type in the source, such as `MultiPolygon` or `Point Z`. It is `Geometry` if any type is
  /// allowed, and nil if there are no geometries.
  public var geometryKind: String? { reader?.geometryKind }

  /// If the source is a database, sends it the parts of the condition that it evaluates in the same way
  /// as Plumb.
  ///
  /// - Returns: false, because the layer has to evaluate the whole condition.
  public func restrict(to condition: String?) -> Bool {
    if let reader {
      reader.select(
        Condition.databaseFilter(
          condition, on: reader.fields, comparable: reader.comparableFields))
    }
    return false
  }

  /// Returns each feature once. If windows are given, all of them are finite, and the source has a
  /// spatial index, the features in the windows are returned in ascending order of their numbers.
  /// Otherwise, all features are returned in the source's order.
  ///
  /// A feature whose geometry cannot be used, or mixes several kinds, is returned without a geometry, and
  /// is reported in `warning`.
  ///
  /// - Throws: if a feature cannot be read; the error contains its number.
  public func features(in windows: [Envelope]?) throws -> [TableFeature] {
    guard let reader else { throw PlumbError("the table is not open") }
    guard reader.isIsolated else { return keep(try read(windows, reader)) }
    // See `open()`.
    return keep(
      try YieldingLock.whileWaiting {
        try isRead.withLock {
          do {
            return try read(windows, reader)
          } catch let error as GDALError where error.isHelperKill {
            // The helper process was killed by another process. The features are read again, so
            // that the layer does not fail permanently.
            return try read(windows, reader)
          }
        }
      })
  }

  private struct Reading {
    var features: [TableFeature]
    var faults = FeatureFaults()
    var collections = FeatureFaults()
    /// Whether all features were read.
    var isComplete: Bool
  }

  private func keep(_ reading: Reading) -> [TableFeature] {
    if reading.isComplete {
      (faults, collections) = (reading.faults, reading.collections)
    } else {
      faults.formUnion(reading.faults)
      collections.formUnion(reading.collections)
    }
    return reading.features
  }

  private func read(_ windows: [Envelope]?, _ reader: FeatureFile) throws -> Reading {
    let windows = windows?.filter { !$0.isEmpty }
    let areAllFinite = windows?.allSatisfy(\.isFinite) ?? false
    guard let windows, areAllFinite, reader.hasSpatialIndex else {
      try reader.restart(in: nil)
      var (features, numbers) = try rest(of: reader)
      // The numbers are the ids in a JSON document. If the document has no ids, OGR numbers
      // features from 0.
      if reader.isJSON, numbers != Array(0..<Int64(numbers.count)) {
        for index in features.indices { features[index].id = numbers[index] }
      }
      return Reading(
        features: features.map { TableFeature($0) }, faults: reader.faults,
        collections: reader.collections, isComplete: true)
    }
    var reading = Reading(features: [], isComplete: false)
    var found: [Int64: Feature] = [:]
    for window in windows {
      try reader.restart(in: window.widened)
      let (features, numbers) = try rest(of: reader)
      for (feature, number) in zip(features, numbers) { found[number] = feature }
      reading.faults.formUnion(reader.faults)
      reading.collections.formUnion(reader.collections)
    }
    reading.features = found.sorted { $0.key < $1.key }.map { TableFeature($0.value) }
    return reading
  }

  private func rest(
    of reader: FeatureFile
  ) throws -> (features: [Feature], numbers: [Int64]) {
    var all: (features: [Feature], numbers: [Int64]) = ([], [])
    // The feature count of a damaged file may be any number.
    all.features.reserveCapacity(min(reader.featureCount ?? 0, 1 << 20))
    while let (features, numbers) = try reader.nextNumbered(limit: 4096) {
      all.features += features
      all.numbers += numbers
    }
    return all
  }
}

extension Envelope {
  fileprivate var isFinite: Bool {
    xMin.isFinite && yMin.isFinite && xMax.isFinite && yMax.isFinite
  }

  /// The window with a small margin for the rounding errors of the caller.
  fileprivate var widened: Envelope {
    let x = Self.margin(xMin, xMax)
    let y = Self.margin(yMin, yMax)
    return Envelope(xMin: xMin - x, yMin: yMin - y, xMax: xMax + x, yMax: yMax + y)
  }

  private static func margin(_ low: Double, _ high: Double) -> Double {
    max(max(low.magnitude, high.magnitude) * 1e-12, (high - low) * 1e-9, 1e-12)
  }
}
