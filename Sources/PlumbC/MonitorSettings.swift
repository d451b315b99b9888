import Plumb

/// What a monitor watches for.
struct MonitorSettings: Sendable {
  var fences: [String]
  var rasterFences: [String]
  var condition: String?
  var area: Envelope?
  var rules = FenceRules()
  var buffer: Double
  var filter: String?
  var message: String?
  var name: String?
  var access: DocumentAccess
  var workers: Workers

  /// - Parameters:
  ///   - options: all of them are taken.
  ///   - hasHeld: whether the caller has fences.
  /// - Throws: what does not go together.
  init(_ options: inout Options, hasHeld: Bool) throws {
    fences = try options.texts("fences") ?? []
    rasterFences = try options.texts("raster_fences") ?? []
    condition = try options.text("where")
    let hasArea = options.has("area")
    area = try Self.envelope(options.numbers("area"))
    buffer = try options.number("buffer") ?? 0
    filter = try options.text("feed_filter")
    message = try options.text("message")
    name = try options.text("name")
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
    access = try options.access()
    workers = try options.workers()
    try options.finish()
    guard buffer >= 0 else {
      throw CallError.bad("the option buffer: a number of metres, 0 or more, is expected")
    }
    if rules.forgetsAfter == 0 {
      throw CallError.bad("the option forget: a number of seconds above 0 is expected")
    }
    let sources = [hasHeld, !fences.isEmpty, !rasterFences.isEmpty].count { $0 }
    guard sources == 1 else {
      throw CallError.bad(
        sources == 0
          ? "there are no fences: give some, or the option fences or raster_fences"
          : "give fences in one way: shapes, fences or raster_fences")
    }
    if hasHeld || !rasterFences.isEmpty, condition != nil || hasArea {
      throw CallError.bad("the options where and area go with fences from files")
    }
    if !rasterFences.isEmpty, buffer != 0 || usesAccuracy || rules.reportsCrossings {
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
