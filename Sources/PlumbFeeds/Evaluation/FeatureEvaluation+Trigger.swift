import PlumbCore
import PlumbExpressions
import PlumbGeotriggers
import PlumbSources

extension FeatureEvaluation {
  /// The locations for which an expression is evaluated.
  public enum Locations: Sendable, Hashable {
    /// One point with its longitude and latitude in degrees on WGS84 and its horizontal accuracy in
    /// metres; the accuracy is NaN if unknown.
    case point(x: Double, y: Double, accuracy: Double)
    /// Each row of a feed; `-` is standard input.
    case feed(path: String)
  }

  /// Evaluates the expression as a monitor's message or filter, once for each fence, for each
  /// location, or for each pair of a location and a fence. The value of `$fencefeature` is the
  /// fence. The value of `$feedfeature` and `$locationupdate` is the location. This function does
  /// not test whether a location is in a fence.
  ///
  /// - Parameters:
  ///   - fences: `FILE` or `FILE:LAYER`.
  ///   - locations: the locations; nil to evaluate only for fences.
  ///   - type: the value of `$fencenotificationtype`.
  ///   - now: the time in milliseconds since 1970. It is the time of a location without a time, and
  ///     the value of `Now()` if there is no location. With a location, the value of `Now()` is the
  ///     location's time, as in a monitor.
  ///   - access: the other files that the file of fences may refer to.
  ///   - services: sends requests to services; nil if GDAL opens URLs.
  ///   - warn: receives the errors in rows of the feed.
  ///   - body: receives each value as text.
  /// - Throws: when a file cannot be read, or for the first error of an evaluation, which names the
  ///   location and the fence.
  public func run(
    fences: String?, locations: Locations?, type: FenceEventType, now: Int64,
    access: DocumentAccess = .folder, services: FeatureServices? = nil,
    warn: (MessageTemplate) -> Void,
    _ body: @escaping (String) throws -> Void
  ) throws {
    if reads(.feature) { throw Global.feature.isMissing }
    if fences == nil, reads(.fenceFeature) { throw Global.fenceFeature.isMissing }
    for global in [Global.feedFeature, .locationUpdate] where locations == nil && reads(global) {
      throw global.isMissing
    }
    let trial = TriggerTrial(
      evaluator: makeEvaluator(),
      fences: try fences.map { try FenceFile($0, access: access, services: services) },
      type: type, body: body)
    switch locations {
    case nil: try trial.run(nil, row: nil, now: now)
    case .point(let x, let y, let accuracy):
      var names = EntityNames()
      var batch = LocationBatch()
      (batch.index, batch.entity, batch.time) = ([0], [names.number(of: "")], [now])
      (batch.x, batch.y, batch.horizontalAccuracy) = ([x], [y], [accuracy])
      var locations = LocationFeature()
      try trial.run(locations.feature(batch, 0, entities: names), row: nil, now: now)
    case .feed(let path):
      let feed = try LocationFeed(path, attributes: true)
      var locations = LocationFeature()
      while let batch = try feed.next(limit: 1024) {
        for issue in feed.drainIssues() { warn(issue.report) }
        for row in 0..<batch.count {
          try trial.run(
            locations.feature(batch, row, entities: feed.entities), row: batch.index[row],
            now: batch.time[row])
        }
      }
      for issue in feed.drainIssues() { warn(issue.report) }
    }
  }
}

/// Evaluates one expression for a location and each fence. It is called once for each location.
private struct TriggerTrial {
  private let evaluator: ArcadeEvaluator
  /// The fences; nil if there is no file of fences.
  private let fences: [(id: String, feature: ArcadeFeature)]?
  private let type: FenceEventType
  private let body: (String) throws -> Void

  init(
    evaluator: ArcadeEvaluator, fences file: FenceFile?, type: FenceEventType,
    body: @escaping (String) throws -> Void
  ) {
    self.evaluator = evaluator
    self.type = type
    self.body = body
    let fields = ArcadeFields(file?.fields ?? [])
    fences = file?.fences.map { fence in
      let attributes = fence.attributes.map { ArcadeValue($0) }
      return (
        fence.id,
        ArcadeFeature(fields: fields, attributes: attributes, geometry: fence.geometry)
      )
    }
  }

  func run(_ location: ArcadeFeature?, row: Int?, now: Int64) throws {
    let location = location.map { ArcadeValue.feature($0) } ?? .null
    var globals: [FeatureEvaluation.Global: ArcadeValue] = [
      .feedFeature: location, .locationUpdate: location,
      .fenceNotificationType: .text(type.rawValue),
    ]
    guard let fences else { return try evaluate(globals, row.map { "row \($0)" }, now) }
    for fence in fences {
      globals[.fenceFeature] = .feature(fence.feature)
      let at = (row.map { "row \($0), " } ?? "") + "fence \(fence.id.printable)"
      try evaluate(globals, at, now)
    }
  }

  private func evaluate(
    _ globals: [FeatureEvaluation.Global: ArcadeValue], _ at: String?, _ now: Int64
  ) throws {
    let text: String
    do throws(ExpressionError) {
      text = try evaluator.evaluate(
        FeatureEvaluation.values(globals), now: ArcadeDate(milliseconds: now)
      ).shown()
    } catch {
      throw at.map { PlumbError("\($0)", error) } ?? PlumbError(error)
    }
    try body(text)
  }
}
