import PlumbCore
import PlumbGeometry

/// Carries places from their reference to each of the rasters', on all workers.
final class PlaceProjector {
  private enum Route {
    /// The raster's coordinates are the places' own.
    case same
    case transform([Transformation])
  }

  private let routes: [Route]
  private let workers: Workers

  /// - Parameters:
  ///   - source: of the places; nil when they are in each raster's own coordinates.
  ///   - targets: the rasters' references; nil where one has none.
  init(from source: SpatialReference?, to targets: [SpatialReference?], workers: Workers) throws {
    self.workers = workers
    routes = try targets.map { target in
      guard let source, let target, target.isGeoreferenced, !source.isEquivalent(to: target)
      else { return .same }
      return .transform(
        try (0..<workers.count).map { _ in try Transformation(from: source, to: target) })
    }
  }

  /// A batch of places in one reference, kept as long as its owner.
  final class Columns {
    let x: TrivialBuffer<Double>
    let y: TrivialBuffer<Double>
    let status: TrivialBuffer<UInt8>

    init(count: Int) {
      x = TrivialBuffer(count: count)
      y = TrivialBuffer(count: count)
      status = TrivialBuffer(count: count)
    }
  }

  /// Calls `body` with the places in each target reference.
  func project<Result>(
    _ places: PlaceCoordinates, _ body: ([PlaceCoordinates]) throws -> Result
  ) rethrows -> Result {
    var kept: [Columns] = []
    let coordinates = routes.map { route in
      guard case .transform(let transformations) = route else { return places }
      let columns = transform(places, with: transformations)
      kept.append(columns)
      return PlaceCoordinates(
        x: columns.x.base, y: columns.y.base, status: columns.status.base, count: places.count)
    }
    return try withExtendedLifetime(kept) { try body(coordinates) }
  }

  private func transform(
    _ places: PlaceCoordinates, with transformations: [Transformation]
  ) -> Columns {
    let columns = Columns(count: places.count)
    let (ok, failed) = (PlaceStatus.ok.rawValue, PlaceStatus.transformFailed.rawValue)
    workers.runRanges(places.count, grain: 1 << 14) { worker, range in
      let (x, y) = (columns.x.base + range.lowerBound, columns.y.base + range.lowerBound)
      x.update(from: places.x + range.lowerBound, count: range.count)
      y.update(from: places.y + range.lowerBound, count: range.count)
      transformations[worker].apply(x: x, y: y, count: range.count)
      for i in range {
        let isMapped = columns.x.base[i].isFinite && columns.y.base[i].isFinite
        let own = places.status?[i] ?? ok
        columns.status.base[i] = own != ok || isMapped ? own : failed
      }
    }
    return columns
  }
}
