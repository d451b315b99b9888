import PlumbCore
import PlumbGeometry
import PlumbRaster

// Asking a map from tasks: the work runs on threads of its own, so that other tasks go on
// meanwhile. Several tasks may ask one map at once.
extension Map {
  /// What the layers hold at a location, the topmost first: those that hold something, or failed.
  ///
  /// ```swift
  /// let results = try await map.identify(at: Point(x: 18.42, y: -33.92))
  /// ```
  ///
  /// - Parameters:
  ///   - point: in the map's reference unless it says another; shapes come back in the same.
  ///   - options: tolerance, scale and what else is asked.
  /// - Throws: `LayerError` as `identifyLayers(at:_:)` does; `CancellationError` when
  ///   the task was cancelled before the work began.
  public func identify(
    at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) async throws -> [IdentifyLayerResult] {
    try await Workers.inBackground { [self] _ in try identifyLayers(at: point, options) }
  }

  /// What one layer holds at a location, nothing perhaps.
  ///
  /// - Throws: `LayerError` as `identifyLayer(_:at:_:)` does; `CancellationError` when
  ///   the task was cancelled before the work began.
  public func identify(
    layer id: String, at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) async throws -> IdentifyLayerResult {
    try await Workers.inBackground { [self] _ in try identifyLayer(id, at: point, options) }
  }

  /// What the layers hold at each of many locations: for each one a list as `identifyLayers(at:_:)`
  /// returns it, in their order.
  ///
  /// - Parameters:
  ///   - x: easting or longitude.
  ///   - y: northing or latitude, as many as `x`.
  ///   - reference: of the locations; nil for the map's.
  ///   - options: tolerance, scale and what else is asked.
  ///   - workers: the threads that do the work.
  /// - Throws: `LayerError` for what no map can be asked; `CancellationError` when the task is
  ///   cancelled, which is looked for before each thousand of locations.
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

  /// Locations that are asked together.
  private static let chunk = 1024
}

extension MapIdentifier {
  /// What the layers hold at each of some locations of `reference`, the topmost first.
  fileprivate func identify(
    x: ArraySlice<Double>, y: ArraySlice<Double>
  ) -> [[IdentifyLayerResult]] {
    let locations = PointProjector.Columns(count: x.count)
    for (row, (x, y)) in zip(x, y).enumerated() {
      unsafe locations.x.base[row] = x
      unsafe locations.y.base[row] = y
      let isLocation = x.isFinite && y.isFinite
      unsafe locations.status.base[row] = (isLocation ? SampleStatus.ok : .badPoint).rawValue
    }
    return withExtendedLifetime(locations) {
      let answers = unsafe answers(
        to: PointCoordinates(
          x: locations.x.base, y: locations.y.base, status: locations.status.base,
          count: x.count), keepsProvenance: true)
      return zip(x, y).enumerated().map { row, location in
        results(at: row, of: answers, x: location.0, y: location.1)
      }
    }
  }
}
