import Plumb
import PlumbVerbs

/// What a monitor watches for.
struct MonitorSettings: Sendable {
  var plan = FencePlan()
  var access: DocumentAccess
  var workers: Workers

  /// - Parameters:
  ///   - options: all of them are taken.
  ///   - hasHeld: whether the caller has fences.
  /// - Throws: what does not go together.
  init(_ options: inout Options, hasHeld: Bool) throws {
    plan.fences = try options.texts("fences") ?? []
    plan.rasterFences = try options.texts("raster_fences") ?? []
    plan.condition = try options.text("where")
    let hasArea = options.has("area")
    plan.area = try Self.envelope(options.numbers("area"))
    plan.buffer = try options.number("buffer") ?? 0
    plan.filter = try options.text("feed_filter")
    plan.message = try options.text("message")
    plan.name = try options.text("name")
    var rules = FenceRules()
    rules.rule = try options.word("rule", FenceRuleType.self) ?? .enterOrExit
    let usesAccuracy = try options.flag("accuracy")
    rules.feedAccuracyMode = usesAccuracy ? .useGeometryWithAccuracy : .useGeometry
    rules.relationship =
      try options.word("relationship", FenceEnterExitRelationship.self)
      ?? .enterContainsAndExitDoesNotIntersect
    rules.dwell = try Self.seconds(&options, "dwell")
    rules.cooldown = try Self.seconds(&options, "cooldown")
    rules.forgetsAfter = try Self.seconds(&options, "forget")
    rules.reportsCrossings = try options.flag("crossings")
    rules.firesInitially = try options.flag("initial", default: true)
    rules.measuresDistances = try options.flag("explain")
    plan.rules = rules
    access = try options.access()
    workers = try options.workers()
    try options.finish()
    guard plan.buffer >= 0 else {
      throw CallError.bad("the option buffer: a number of metres, 0 or more, is expected")
    }
    if rules.forgetsAfter == 0 {
      throw CallError.bad("the option forget: a number of seconds above 0 is expected")
    }
    let sources = [hasHeld, !plan.fences.isEmpty, !plan.rasterFences.isEmpty].count { $0 }
    guard sources == 1 else {
      throw CallError.bad(
        sources == 0
          ? "there are no fences: give some, or the option fences or raster_fences"
          : "give fences in one way: shapes, fences or raster_fences")
    }
    if hasHeld || !plan.rasterFences.isEmpty, plan.condition != nil || hasArea {
      throw CallError.bad("the options where and area go with fences from files")
    }
    if !plan.rasterFences.isEmpty, plan.buffer != 0 || usesAccuracy || rules.reportsCrossings {
      throw CallError.bad("the options buffer, accuracy and crossings do not go with raster_fences")
    }
  }

  private static func seconds(_ options: inout Options, _ name: String) throws -> Double? {
    let seconds = try options.number(name)
    if let seconds, seconds < 0 {
      throw CallError.bad("the option \(name): a number of seconds, 0 or more, is expected")
    }
    return seconds
  }

  private static func envelope(_ numbers: [Double]?) throws -> Envelope? {
    guard let numbers else { return nil }
    guard numbers.count == 4, numbers[1] <= numbers[3] else {
      throw CallError.bad(
        "the option area: xmin, ymin, xmax, ymax in degrees are expected, the lesser ones first "
          + "(xmin may exceed xmax across 180 degrees)")
    }
    return Envelope(
      xMin: numbers[0], yMin: numbers[1], xMax: numbers[2], yMax: numbers[3],
      spatialReference: .wgs84)
  }
}

/// How a feed is read.
struct FeedSettings: Sendable {
  var columns: LocationColumns
  var maxAhead: Double?
  /// Nil for a feed of locations; of a walk along a line how it goes.
  var pace: SimulatedLocationSource.Pace?
  var segment: Double?
  var start: String?

  /// - Parameter options: all of them are taken.
  init(_ options: inout Options) throws {
    columns = LocationColumns(
      id: try options.text("id"), time: try options.text("time"), x: try options.text("x"),
      y: try options.text("y"))
    maxAhead = try options.number("max_ahead")
    let simulates = try options.flag("simulate")
    let velocity = try options.number("velocity")
    segment = try options.number("segment")
    start = try options.text("start")
    try options.finish()
    if let maxAhead, maxAhead < 0 {
      throw CallError.bad("the option max_ahead: a number of seconds, 0 or more, is expected")
    }
    guard simulates else {
      if velocity != nil || segment != nil || start != nil {
        throw CallError.bad("the options velocity, segment and start go with simulate")
      }
      return
    }
    if velocity != nil, segment != nil {
      throw CallError.bad("the options velocity and segment do not go together")
    }
    if maxAhead != nil {
      throw CallError.bad("the options max_ahead and simulate do not go together")
    }
    for number in [velocity, segment] {
      if let number, number <= 0 {
        throw CallError.bad("the options velocity and segment: numbers above 0 are expected")
      }
    }
    pace = segment == nil ? .velocity(velocity ?? 10) : .vertexPerUpdate
  }
}
