import PlumbCore
import PlumbGDAL
import PlumbLayers
import PlumbSources

/// The features of a layer of any source that OGR opens.
public final class VectorFeatureTable: FeatureTable {
  /// What is to be opened.
  package struct Source {
    package var path: String
    /// Nil for the only one.
    package var layer: String?
    /// Nil for what the user names.
    package var access: GDALAccess?
  }

  private let locate: () throws -> Source
  private let failure: (any Error) -> any Error
  private let reference: SpatialReference?
  private var reader: FeatureFile?
  /// Held while a helper reads: the map's lock is not, then.
  private let isRead = YieldingLock()
  private var faults = FeatureFaults()
  private var collections = FeatureFaults()
  /// What was opened; nil before.
  public private(set) var path: String?

  /// - Parameters:
  ///   - path: a file, or whatever else OGR takes for a source.
  ///   - layer: the layer's name; nil for the only one.
  ///   - reference: what the coordinates are in, whatever the source says; nil believes the source.
  public convenience init(
    path: String, layer: String? = nil, reference: SpatialReference? = nil
  ) {
    self.init(reference: reference) {
      Source(path: path, layer: layer)
    } failure: {
      $0
    }
  }

  /// A table of a source that may lead only to what `access` says.
  package convenience init(path: String, layer: String?, access: DocumentAccess) {
    self.init {
      Source(path: path, layer: layer, access: access.named)
    } failure: {
      $0
    }
  }

  /// - Parameters:
  ///   - locate: finds the source when the table is opened.
  ///   - failure: what to throw when it does not open.
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
  /// - Throws: when OGR does not open it, or it has no such layer.
  public func open() throws {
    // A helper process that does not answer holds up this layer alone.
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

  /// The layer's columns; none before it is open.
  public var fields: [Field] { reader?.fields ?? [] }
  /// What the coordinates are in: the reference that was given, else the source's; nil before it is
  /// open.
  public var spatialReference: SpatialReference? { reader?.spatialReference }
  /// The number of features where the source says it without reading them all.
  public var featureCount: Int? { reader?.featureCount }
  /// Whether the source has an index, so that windows are found without reading all features.
  public var hasSpatialIndex: Bool { reader?.hasSpatialIndex ?? false }
  /// False: OGR's features take the symbols of their layer.
  public var hasSymbols: Bool { false }
  /// The layer's extent where the source knows it without reading the features.
  public var extent: Envelope? { reader?.extent }
  /// The files that the source is made of; none before it is open.
  public var files: [String] { reader?.files ?? [] }
  /// Which features were read without their shape since it cannot be used, and which are
  /// collections of several kinds; nil where there are none.
  public var warning: String? {
    let lines = [faults.warning, collections.warning].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }
  /// Whether the features have shapes.
  public var hasGeometry: Bool { reader?.hasGeometry ?? false }
  /// The kind of shapes that the source declares, as `MultiPolygon` or `Point Z`, `Geometry` for
  /// any; nil without shapes.
  public var geometryKind: String? { reader?.geometryKind }

  /// Each feature once: those of windows by ascending number, all of them in the source's order.
  ///
  /// A feature whose shape cannot be used, or mixes kinds, is without one, and in `warning`.
  ///
  /// - Throws: when a feature cannot be read, naming it.
  public func features(in windows: [Envelope]?) throws -> [TableFeature] {
    guard let reader else { throw PlumbError("the table is not open") }
    guard reader.isIsolated else { return keep(try read(windows, reader)) }
    // As for opening.
    return keep(
      try YieldingLock.whileWaiting {
        try isRead.withLock {
          do {
            return try read(windows, reader)
          } catch let error as GDALError where error.isHelperKill {
            // Another process ended the one that reads: the layer is not to fail for good.
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
    var isWhole: Bool
  }

  private func keep(_ reading: Reading) -> [TableFeature] {
    if reading.isWhole {
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
      // OGR counts from 0 where a document of JSON has no ids.
      if reader.isJSON, numbers != Array(0..<Int64(numbers.count)) {
        for index in features.indices { features[index].id = numbers[index] }
      }
      return Reading(
        features: features.map { TableFeature($0) }, faults: reader.faults,
        collections: reader.collections, isWhole: true)
    }
    var reading = Reading(features: [], isWhole: false)
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
    // A damaged file may claim any number.
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

  /// The window and a little round it: whoever made it has rounded, and an index of floats too.
  fileprivate var widened: Envelope {
    let x = Self.margin(xMin, xMax)
    let y = Self.margin(yMin, yMax)
    return Envelope(xMin: xMin - x, yMin: yMin - y, xMax: xMax + x, yMax: yMax + y)
  }

  private static func margin(_ low: Double, _ high: Double) -> Double {
    max(max(low.magnitude, high.magnitude) * 1e-12, (high - low) * 1e-9, 1e-12)
  }
}
