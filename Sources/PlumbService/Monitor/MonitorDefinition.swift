import Plumb
import PlumbDocuments
import PlumbIO
import PlumbVerbs

/// What a monitor watches for, as its file says: the options of `plumb monitor` by their long names.
struct MonitorDefinition: Sendable {
  var plan = FencePlan()
  var explains = false
  var columns = LocationColumns()
  var maxAhead: Double?

  /// Options of the command that a server has no use for.
  private static let others: Set = [
    "feed", "simulate", "velocity", "segment", "start", "output", "of", "format", "overwrite",
    "picture", "quiet", "encoding", "allow-outside",
  ]

  /// - Parameters:
  ///   - path: the file.
  ///   - access: which files it may name.
  /// - Throws: what cannot be read or does not go together, with the file's name.
  init(path: String, access: DocumentAccess) throws {
    do {
      let folder = try DocumentFolder(ofMap: path, access: access)
      try self.init(Self.bytes(of: path), folder)
    } catch let error as ServiceError {
      throw PlumbError("\(path.printable): \(error.message)", code: error.kind)
    } catch {
      throw PlumbError("\(path.printable)", error)
    }
  }

  private init(_ bytes: [UInt8], _ folder: DocumentFolder) throws {
    var options = try PlainOptions(bytes)
    for name in Self.others.sorted() where options.take(name) != nil {
      throw ServiceError("\(name) is no option of a server's monitor", kind: .badOption)
    }
    plan.fences = try options.texts("fences").map { try Self.fencePath($0, folder) }
    plan.rasterFences = try options.texts("raster-fence").map { try Self.rasterFence($0, folder) }
    plan.condition = try options.text("where")
    plan.area = try Self.area(&options)
    plan.buffer = try options.number("buffer") ?? 0
    plan.filter = try options.text("feed-filter")
    plan.message = try options.text("message")
    plan.name = try options.text("name")
    explains = try options.flag("explain")
    columns = LocationColumns(
      id: try options.text("id"), time: try options.text("time"), x: try options.text("x"),
      y: try options.text("y"))
    maxAhead = try Self.seconds(&options, "max-ahead", allowsInfinity: true)
    var rules = FenceRules()
    rules.rule = try options.word("rule", FenceRuleType.self) ?? .enterOrExit
    let isDisc = try options.flag("accuracy")
    rules.feedAccuracyMode = isDisc ? .useGeometryWithAccuracy : .useGeometry
    rules.relationship =
      try options.word("relationship", FenceEnterExitRelationship.self) ?? rules.relationship
    rules.dwell = try Self.seconds(&options, "dwell")
    rules.cooldown = try Self.seconds(&options, "cooldown")
    rules.forgetsAfter = try Self.seconds(&options, "forget")
    rules.reportsCrossings = try options.flag("crossings")
    rules.firesInitially = try !options.flag("no-initial")
    rules.measuresDistances = explains
    plan.rules = rules
    try options.finish()
    try check()
  }

  private func check() throws(ServiceError) {
    guard plan.fences.isEmpty != plan.rasterFences.isEmpty else {
      throw ServiceError("give the fences with either fences or raster-fence", kind: .badOption)
    }
    guard plan.buffer >= 0, plan.buffer.isFinite else {
      throw ServiceError("buffer: metres, 0 or more, are expected", kind: .badOption)
    }
    if plan.rules.forgetsAfter == 0 {
      throw ServiceError("forget: seconds above 0 are expected", kind: .badOption)
    }
    guard !plan.rasterFences.isEmpty else { return }
    for (name, isGiven) in [
      ("buffer", plan.buffer != 0), ("where", plan.condition != nil), ("area", plan.area != nil),
      ("accuracy", plan.rules.feedAccuracyMode != .useGeometry),
      ("crossings", plan.rules.reportsCrossings),
    ] where isGiven {
      throw ServiceError("\(name) goes with fences", kind: .badOption)
    }
  }

  private static func seconds(
    _ options: inout PlainOptions, _ name: String, allowsInfinity: Bool = false
  ) throws(ServiceError) -> Double? {
    guard let value = options.take(name) else { return nil }
    if allowsInfinity, case .text(let text) = value, text.lowercased() == "inf" {
      return .infinity
    }
    guard let seconds = value.number, seconds >= 0 else {
      throw ServiceError("\(name): seconds, 0 or more, are expected", kind: .badOption)
    }
    return seconds
  }

  private static func area(_ options: inout PlainOptions) throws(ServiceError) -> Envelope? {
    guard let value = options.take("area") else { return nil }
    let numbers = value.list?.compactMap(\.number) ?? value.text.flatMap { Parameters.numbers($0) }
    guard let numbers, numbers.count == 4, numbers.allSatisfy(\.isFinite),
      numbers[1] <= numbers[3]
    else {
      throw ServiceError(
        "area: xmin, ymin, xmax and ymax are expected, in degrees, the lesser ones first (xmin may "
          + "exceed xmax across 180 degrees)",
        kind: .badOption)
    }
    return Envelope(
      xMin: numbers[0], yMin: numbers[1], xMax: numbers[2], yMax: numbers[3],
      spatialReference: .wgs84)
  }

  // MARK: Files

  /// A definition is small.
  private static let sizeLimit = 1 << 20

  private static func bytes(of path: String) throws -> [UInt8] {
    if let bytes = try SmallFile.bytes(of: path, limit: sizeLimit) { return bytes }
    throw PlumbError("over \(sizeLimit >> 20) MB; a monitor's file is smaller")
  }

  private static func resolved(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    do {
      return try folder.path(of: text)
    } catch {
      guard error.code == .notAllowed else { throw ServiceError(error) }
      throw ServiceError(
        "\(text.shown) lies outside the folder of the monitor's file", kind: .notAllowed)
    }
  }

  /// - Parameter text: `FILE`, `FILE:LAYER` or the address of a service's layer.
  private static func fencePath(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    // Whoever opens it asks whether its host may be asked.
    if FeatureServices.areAsked(for: text) { return text }
    let layer = FenceFile.split(text.hasPrefix("/") ? text : folder.prefix + text).layer
    guard let layer else { return try resolved(text, folder) }
    return try resolved(String(text.dropLast(layer.count + 1)), folder) + ":" + layer
  }

  /// - Parameter text: `PATH: EXPR`.
  private static func rasterFence(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    guard let colon = text.firstRange(of: ": ") else { return text }
    return try resolved(String(text[..<colon.lowerBound]), folder) + text[colon.lowerBound...]
  }
}
