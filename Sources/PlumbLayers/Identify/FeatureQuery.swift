import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A feature layer, prepared for identification.
public final class FeatureQuery {
  /// The queried layer.
  public let layer: FeatureLayer
  let reference: SpatialReference?
  private let options: IdentifyOptions
  private let hitTest: HitTest
  private let workers: Workers
  /// The transformation to the points' CRS, in which shapes are returned; nil if shapes are not transformed.
  private let toPoints: Transformation?
  private let pointReference: SpatialReference?
  private let mapReference: SpatialReference?
  /// The reason why points cannot be located in the layer.
  let failure: LayerError?

  /// - Parameters:
  ///   - layer: a loaded layer.
  ///   - reference: the CRS of the points.
  init(
    _ layer: FeatureLayer, options: IdentifyOptions, reference: SpatialReference?,
    mapReference: SpatialReference?, workers: Workers
  ) {
    self.layer = layer
    self.options = options
    self.workers = workers
    self.reference = layer.table.spatialReference
    pointReference = reference
    self.mapReference = mapReference
    var failure: LayerError?
    var toPoints: Transformation?
    var hitTest = HitTest.planar(0)
    do throws(GeometryError) {
      if let layerReference = self.reference, let reference,
        !layerReference.isEquivalent(to: reference)
      {
        toPoints = try Transformation(from: layerReference, to: reference)
      }
      hitTest = try HitTest(
        options, of: self.reference, on: mapReference, workers: workers)
    } catch {
      failure = LayerError(code: .transformFailed, error)
    }
    self.toPoints = toPoints
    self.hitTest = hitTest
    self.failure = failure
  }

  /// Returns a copy for another thread. Must be called within `Map.withLock`.
  func copy() -> FeatureQuery {
    FeatureQuery(
      layer, options: options, reference: pointReference, mapReference: mapReference,
      workers: Workers(count: 1))
  }

  /// A one-line warning if the transformation may be less accurate than the CRSs allow; nil if there is none.
  public var transformationWarning: String? {
    guard toPoints != nil, let reference, let pointReference else { return nil }
    return Transformation.warning(
      from: pointReference, to: reference, around: layer.table.extent?.corners ?? [], in: reference)
  }

  /// A one-line warning about the features read so far, or the reason why no features can be found; nil if
  /// there is neither.
  var warning: MessageTemplate? {
    if let failure = failure ?? readFailure { return failure.line }
    let sizes = hitTest.countsSymbols ? layer.properties.undrawn.sizeWarning : nil
    let lines = [layer.warning, sizes].compactMap { $0 }
    return lines.isEmpty ? nil : MessageTemplate(lines.joined(separator: "; "))
  }

  /// The failure of the last attempt to read features.
  private(set) var readFailure: LayerError?

  /// Queries the layer at a batch of points, which are in the layer's CRS.
  ///
  /// - Parameters:
  ///   - keepsPoints: whether results will be created from the answer.
  ///   - map: the map, which is locked while features are read, but not while the features are
  ///     searched.
  func answer(
    to coordinates: PointCoordinates, keepsPoints: Bool, of map: Map
  ) -> FeatureAnswer {
    if let failure { return FeatureAnswer(failure: failure, points: coordinates) }
    if coordinates.count == 1,
      unsafe coordinates.status.map({ unsafe $0[0] != SampleStatus.ok.rawValue }) == true
    {
      // Do not read features for an unusable point.
      return FeatureAnswer(failure: nil, points: coordinates)
    }
    do {
      let features = try map.withLock {
        () throws(LayerError) -> FeatureSet in try self.features(for: coordinates)
      }
      let finder = hitTest.finder(features)
      let hits: ItemLists
      if finder.isExact, coordinates.count == 1 {
        let items = unsafe features.locator.items(at: SIMD2(coordinates.x[0], coordinates.y[0]))
        hits = ItemLists(
          offsets: [0, items.count], items: items.map { Int32(truncatingIfNeeded: $0) })
      } else if finder.isExact {
        hits = unsafe features.locator.items(
          atEach: coordinates.x, coordinates.y, count: coordinates.count, workers: workers)
      } else {
        hits = try finder.items(near: coordinates, workers: workers)
      }
      readFailure = nil
      var answer = FeatureAnswer(
        features: features, hits: hits, coordinates, keepsPoints: keepsPoints)
      if keepsPoints, layer.popup?.showsAttachments == true {
        map.withLock { attach(to: &answer) }
      }
      return answer
    } catch {
      let failure = LayerError(code: .readError, error)
      readFailure = failure
      return FeatureAnswer(failure: failure, points: coordinates)
    }
  }

  /// Whether a point in the layer's CRS is within the extent of the features.
  func reaches(_ point: PointCoordinates, of map: Map) -> Bool {
    guard failure == nil, !layer.table.isRemote,
      unsafe point.status.map({ unsafe $0[0] == SampleStatus.ok.rawValue }) ?? true,
      let extent = map.withLock({ layer.table.extent })
        ?? answer(to: point, keepsPoints: false, of: map).features?.locator.envelope
    else { return false }
    let (x, y) = unsafe (point.x[0], point.y[0])
    return x >= extent.xMin && x <= extent.xMax && y >= extent.yMin && y <= extent.yMax
  }

  /// Adds the attachments of all features that results may contain. A failure does not affect the rest of the
  /// answer.
  private func attach(to answer: inout FeatureAnswer) {
    guard let features = answer.features else { return }
    var ids: Set<Int64> = []
    for row in 0..<answer.rowCount {
      for item in answer.items(at: row).suffix(options.maximumResultsPerLayer ?? .max) {
        if let id = features.features[Int(item)].id { ids.insert(id) }
      }
    }
    guard !ids.isEmpty else { return }
    do {
      answer.attachments = try layer.table.attachments(of: ids.sorted())
    } catch {
      answer.attachmentFailure = LayerError(code: .readError, error)
    }
  }

  /// Returns the features to search. For a local layer, these are the features around a single point, or all
  /// features for several points; for a remote layer, the features around all points.
  private func features(for coordinates: PointCoordinates) throws(LayerError) -> FeatureSet {
    if layer.table.isRemote {
      guard !layer.hasFeatures, let windows = hitTest.windows(roundEach: coordinates, of: layer)
      else { return try layer.loadFeatures() }
      return try layer.features(in: windows)
    }
    guard coordinates.count == 1, !layer.hasFeatures,
      let windows = unsafe hitTest.windows(
        round: SIMD2(coordinates.x[0], coordinates.y[0]), of: layer)
    else { return try layer.loadFeatures() }
    return try layer.features(in: windows)
  }

  /// Fills the result with the layer's features at a point.
  ///
  /// - Parameters:
  ///   - point: the point in the CRS of the requested points.
  ///   - keepsShapes: whether shapes are needed in the points' CRS.
  func fill(
    _ result: inout IdentifyLayerResult, at row: Int, _ answer: FeatureAnswer,
    _ point: SIMD2<Double>, keepsShapes: Bool
  ) {
    if let failure = answer.failure(at: row) {
      result.error = failure
      return
    }
    guard let features = answer.features else { return }
    let hits = answer.items(at: row)
    result.foundCount = hits.count
    let count = min(hits.count, options.maximumResultsPerLayer ?? .max)
    result.isTransferLimitExceeded = count < hits.count
    let location = answer.point(at: row)
    var failure: LayerError?
    result.geoElements = hits.suffix(count).reversed().map { item in
      var feature = features.features[Int(item)]
      if keepsShapes, let toPoints, let pointReference, let shape = feature.geometry {
        do throws(GeometryError) {
          feature.geometry = try toPoints.project(shape, to: pointReference)
        } catch {
          feature.geometry = nil
          failure =
            failure
            ?? LayerError(
              code: .transformFailed,
              message: "the shape of a found feature cannot be transformed to "
                + "\(pointReference.label): \(error.message)")
        }
      }
      return .feature(
        IdentifiedFeature(
          fields: features.fields, feature: feature,
          distance: hitTest.groundDistance(from: location, to: Int(item), of: features.locator)))
    }
    result.error = failure ?? (hits.isEmpty ? nil : answer.attachmentFailure)
  }
}

/// The features of one layer at a batch of points.
public struct FeatureAnswer: Sendable {
  /// The searched features; nil if the layer could not be read.
  public let features: FeatureSet?
  private let hits: ItemLists?
  private let failure: LayerError?
  private let status: [UInt8]
  private let points: [SIMD2<Double>]
  /// The attachments of features by feature id, if popups show them.
  var attachments: [Int64: [Attachment]] = [:]
  /// The reason why the attachments could not be read.
  var attachmentFailure: LayerError?
  /// The number of points.
  var rowCount: Int { hits.map { $0.offsets.count - 1 } ?? 0 }

  init(failure: LayerError?, points: PointCoordinates) {
    self.failure = failure
    (features, hits) = (nil, nil)
    status = Self.status(of: points)
    self.points = []
  }

  init(
    features: FeatureSet, hits: ItemLists, _ points: PointCoordinates, keepsPoints: Bool
  ) {
    self.features = features
    self.hits = hits
    failure = nil
    status = Self.status(of: points)
    self.points =
      keepsPoints ? (0..<points.count).map { unsafe SIMD2(points.x[$0], points.y[$0]) } : []
  }

  /// The indices in `features` of the layer's features at a point, in reverse order of the results.
  /// The indices are sorted by descending distance, so that features that contain the point are
  /// last. Features at the same distance are in drawing order.
  public func items(at row: Int) -> ArraySlice<Int32> { hits?[row] ?? [] }

  /// The number of the layer's features at a point.
  public func count(at row: Int) -> Int {
    hits.map { $0.offsets[row + 1] - $0.offsets[row] } ?? 0
  }

  /// The index in `features` of the first result at a point; nil if there is none.
  public func top(at row: Int) -> Int? {
    guard let hits, isAnswered(at: row), hits.offsets[row + 1] > hits.offsets[row] else {
      return nil
    }
    return Int(hits.items[hits.offsets[row + 1] - 1])
  }

  /// Whether the layer could be queried at a point.
  public func isAnswered(at row: Int) -> Bool {
    failure == nil && (status.isEmpty || status[row] == SampleStatus.ok.rawValue)
  }

  /// The number of points at which the layer could not be queried, by status; `readError` for all points if
  /// the layer itself failed.
  public var unanswered: [SampleStatus: Int] {
    var counts = [Int](repeating: 0, count: 256)
    for status in status { counts[Int(status)] += 1 }
    if failure != nil {
      counts[Int(SampleStatus.readError.rawValue)] += counts[Int(SampleStatus.ok.rawValue)]
    }
    counts[Int(SampleStatus.ok.rawValue)] = 0
    var result: [SampleStatus: Int] = [:]
    for status in SampleStatus.allCases where counts[Int(status.rawValue)] > 0 {
      result[status] = counts[Int(status.rawValue)]
    }
    return result
  }

  private static func status(of points: PointCoordinates) -> [UInt8] {
    unsafe points.status.map { unsafe Array(UnsafeBufferPointer(start: $0, count: points.count)) }
      ?? []
  }

  /// The reason why the layer could not be queried at a point; nil if the layer was queried. A
  /// fault of the point takes precedence over a failure of the layer.
  public func failure(at row: Int) -> LayerError? {
    guard !status.isEmpty, let status = SampleStatus(rawValue: status[row]), status != .ok else {
      return failure
    }
    return LayerError(
      code: FailureCode(rawValue: status.name) ?? .failed, message: status.explanation)
  }

  /// The point in the layer's CRS.
  func point(at row: Int) -> SIMD2<Double> { points[row] }
}
