import Plumb
import PlumbCore
import PlumbFeeds
import PlumbGeotriggers

/// The fences of a monitor, the rules for its events, and the expressions that it evaluates.
package struct FencePlan: Sendable {
  /// The files of fences, each as `FILE` or `FILE:LAYER`.
  package var fences: [String] = []
  /// The regions of rasters that are fences, each as `PATH: EXPR`.
  package var rasterFences: [String] = []
  /// A condition that selects fences of files.
  package var condition: String?
  /// The extent to which the fences of files are restricted; nil for all fences.
  package var area: Envelope?
  package var rules = FenceRules()
  /// The width of the buffer around each fence, in metres.
  package var buffer = 0.0
  /// An Arcade expression that selects the locations to use.
  package var filter: String?
  /// An Arcade expression for the text of events.
  package var message: String?
  /// The monitor's name in events; nil to use the name of each layer.
  package var name: String?
  /// The maximum number of pairs of an entity and a fence that the monitor stores.
  package var stayLimit = Int.max
  /// The maximum number of warnings to list for one set of fences; nil lists every unusable fence and up to
  /// 1,000 faulty shapes.
  package var warningLimit: Int?

  package init() {}
}

/// Open fences that are ready to be monitored.
package struct WatchedFences {
  package let notifiers: FenceNotifierGroup
  package let geotriggers: [FenceGeotrigger]
  package let regions: [RasterFence]
  /// The files that were read.
  package let files: [String]
  /// Whether the expressions read attributes of locations.
  package let readsAttributes: Bool

  /// Opens the fences of a plan.
  ///
  /// - Parameters:
  ///   - callerFences: the caller's fences, which need no file.
  ///   - access: the files and hosts that may be read.
  ///   - services: reads fences from services.
  ///   - warn: receives the faults of the fences, one line each, even if a later step fails.
  /// - Throws: the first invalid expression, or the first file that cannot be read.
  package init(
    _ plan: FencePlan, and callerFences: [(name: String, fences: [Fence], fields: [String])] = [],
    access: DocumentAccess, services: FeatureServices, workers: Workers = Workers(),
    warn: (MessageTemplate) -> Void
  ) throws {
    let filter = try plan.filter.map { try FeedFilter($0) }
    let message = try plan.message.map { try MessageExpression($0) }
    readsAttributes = filter != nil || message?.readsLocation == true
    regions = try plan.rasterFences.map { try RasterFence($0, access: access) }
    let condition = try plan.condition.map { try Condition($0) }
    let files = try plan.fences.map {
      try FenceFile(
        $0, where: condition, area: plan.area, access: access, services: services)
    }
    let sources = files.map { ($0.name, $0.fences, $0.fields) } + callerFences
    geotriggers =
      try sources.map { name, fences, fields in
        FenceGeotrigger(
          name: plan.name ?? name,
          fences: try FenceSet(fences, bufferDistance: plan.buffer, workers: workers),
          fenceFields: fields, rules: plan.rules, messageExpression: message)
      }
      + regions.map {
        FenceGeotrigger(
          name: plan.name ?? $0.name, fences: $0.set, rules: plan.rules,
          messageExpression: message)
      }
    self.files = files.flatMap(\.files) + regions.flatMap(\.files)
    let isOne = geotriggers.count == 1
    for geotrigger in geotriggers {
      for line in Self.warnings(of: geotrigger.fences, limit: plan.warningLimit) {
        warn(MessageTemplate((isOne ? "" : geotrigger.name + ": ") + line))
      }
    }
    for line in regions.flatMap(\.warnings) { warn(MessageTemplate(line)) }
    notifiers = FenceNotifierGroup(
      try geotriggers.map {
        try FenceNotifier($0, filter: filter, stayLimit: plan.stayLimit, workers: workers)
      })
  }

  /// The faults in the values of raster fences since the last call, one line each.
  package func drainFaults() -> [MessageTemplate] {
    regions.compactMap { region in
      region.drainFault().map {
        MessageTemplate("the raster fence \(region.name.printable): \($0)")
      }
    }
  }

  /// Faults of fences, one line each.
  ///
  /// - Parameter limit: the maximum number of faults to list; nil lists every unusable fence and up
  ///   to 1,000 faulty shapes. If faults are omitted, another line contains their number.
  package static func warnings(of fences: FenceSet, limit: Int?) -> [String] {
    let unusable = fences.warnings.map(\.description)
    let faulty = fences.shapeWarnings().map(\.description)
    let all = unusable + faulty
    let limit = limit ?? unusable.count + shapeLimit
    var lines = [fences.transformationWarning].compactMap { $0 } + all.prefix(limit)
    if all.count > limit { lines.append("and \(all.count - limit) more fences") }
    if !fences.hasUsableFence { lines.append("no fence is valid") }
    return lines
  }

  private static let shapeLimit = 1000
}
