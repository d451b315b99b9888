import PlumbCore
import PlumbGeometry
import PlumbRaster

// Methods that identify layers from asynchronous tasks. The work runs on separate threads, so that
// other tasks are not blocked. Several tasks may use a map concurrently.
extension Map {
  /// Identifies the layers at a location. Returns results for the layers that have elements or failed, the
  /// topmost first.
  ///
  /// ```swift
  /// let results = try await map.identify(at: Point(x: 18.42, y: -33.92))
  /// ```
  ///
  /// - Parameters:
  ///   - point: the location, in the map's CRS unless the point has another CRS; shapes are returned in the
  ///     CRS of the point.
  ///   - options: the tolerance, scale and other options.
  /// - Throws: the errors of `identifyLayers(at:_:)`; `CancellationError` if the task is cancelled
  ///   before the work begins.
  public func identify(
    at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) async throws -> [IdentifyLayerResult] {
    try await Workers.inBackground { [self] _ in try identifyLayers(at: point, options) }
  }

  /// Identifies one layer at a location; the result may be empty.
  ///
  /// - Throws: the errors of `identifyLayer(_:at:_:)`; `CancellationError` if the task is cancelled
  ///   before the work begins.
  public func identify(
    layer id: String, at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) async throws -> IdentifyLayerResult {
    try await Workers.inBackground { [self] _ in try identifyLayer(id, at: point, options) }
  }

  /// Identifies the layers at each of many locations. Returns one list of results per location, in
  /// the order of the locations. Each list is like the result of `identifyLayers(at:_:)`.
  ///
  /// - Parameters:
  ///   - x: the eastings or longitudes.
  ///   - y: the northings or latitudes, as many as `x`.
  ///   - reference: the CRS of the locations; nil for the map's CRS.
  ///   - options: the tolerance, scale and other options.
  ///   - workers: the threads that do the work.
  /// - Throws: `LayerError` for an invalid query; `CancellationError` if the task is cancelled.
  ///   Cancellation is checked every 1024 locations.
  public func identify(
    atEach x: [Double], _ y: [Double], reference: SpatialReference? = nil,
    _ options: IdentifyOptions = IdentifyOptions(), workers: Workers = Workers()
  ) async throws -> [[IdentifyLayerResult]] {
    precondition(x.count == y.count, "as many y as x")
    return try await Workers.inBackground { [self] cancellation in
      let identifier = try MapIdentifier(
        self, options: options, reference: reference, workers: workers)
      var results: [[IdentifyLayerResult]] = []
      results.reserveCapacity(x.count)
      for start in stride(from: 0, to: x.count, by: Self.chunk) {
        try cancellation.check()
        let rows = start..<min(x.count, start + Self.chunk)
        results += identifier.identify(x: x[rows], y: y[rows])
      }
      return results
    }
  }

  /// The number of locations that are identified together.
  private static let chunk = 1024
}

extension MapIdentifier {
  /// Identifies the layers at each of some locations in `reference`. Returns one list of results
  /// per location, with the topmost layer first.
  fileprivate func identify(
    x: ArraySlice<Double>, y: ArraySlice<Double>
  ) -> [[IdentifyLayerResult]] {
    var results: [[IdentifyLayerResult]] = []
    identify(x: x, y: y) { results.append($0) }
    return results
  }

  /// Identifies the layers at each of some locations in `reference`, and calls `send` once per
  /// location, in order, with the location's results.
  package func identify(
    x: ArraySlice<Double>, y: ArraySlice<Double>,
    _ send: ([IdentifyLayerResult]) throws -> Void
  ) rethrows {
    let locations = PointProjector.Columns(count: x.count)
    for (row, (x, y)) in zip(x, y).enumerated() {
      unsafe locations.x.base[row] = x
      unsafe locations.y.base[row] = y
      let isLocation = x.isFinite && y.isFinite
      unsafe locations.status.base[row] = (isLocation ? SampleStatus.ok : .badPoint).rawValue
    }
    try withExtendedLifetime(locations) {
      let answers = unsafe answers(
        to: PointCoordinates(
          x: locations.x.base, y: locations.y.base, status: locations.status.base,
          count: x.count), keepsProvenance: true)
      for (row, location) in zip(x, y).enumerated() {
        try send(results(at: row, of: answers, x: location.0, y: location.1))
      }
    }
  }
}
