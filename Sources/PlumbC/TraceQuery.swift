import Plumb

/// What is traced in a network, and how the answer is written.
struct TraceQuery: Sendable {
  /// What a trace gives.
  struct Answer: Sendable {
    var text: String
    var isSuccess = true
    var warnings: [String] = []
  }

  private enum Format: String, CaseIterable { case json, geojson, text, csv }

  private var format: Format
  private var isSegments: Bool
  /// The path of a request that says all but what is inoperable and the flow.
  private var request: String?
  private var setup: TraceSetup
  private let options: TraceOptions

  /// - Parameter options: all of them are taken.
  /// - Throws: what does not go together.
  init(_ options: inout Options) throws {
    format = try options.word("format", Format.self) ?? .json
    var given = Set(TraceOption.allCases.filter { options.has($0.word) })
    isSegments = try options.flag("segments")
    request = try options.text("request")
    let type = try options.word("type", TraceType.self)
    setup = TraceSetup(type ?? .isolation)
    setup.starts = try options.texts("start") ?? []
    setup.barriers = try options.texts("barrier") ?? []
    setup.filterBarriers = try options.texts("filter_barrier") ?? []
    setup.inoperable = try options.texts("inoperable") ?? []
    setup.filterCategory = try options.text("filter_category")
    setup.filter = try options.text("filter")
    setup.condition = try options.text("condition")
    (setup.domain, setup.tier) = (try options.text("domain"), try options.text("tier"))
    setup.cost = try options.text("cost")
    setup.includesIsolated = try options.flag("include_isolated")
    setup.oneWayFlow = try options.word("one_way", OneWayFlow.self) ?? .hold
    // A flag that is false is one that is not given.
    if !isSegments { given.remove(.segments) }
    if !setup.includesIsolated { given.remove(.includeIsolated) }
    self.options = TraceOptions(given, type: type, startCount: setup.starts.count)
    if let violation = self.options.violation { throw CallError(violation) }
    if isSegments, format == .text {
      throw CallError.bad("the option format: segments have no text")
    }
    if !isSegments, format == .csv {
      throw CallError.bad("the option format: csv goes with segments")
    }
  }

  // MARK: The trace

  /// Traces a network.
  func run(_ opened: OpenedNetwork) throws -> Answer {
    if isSegments { return try segments(opened) }
    var warnings: [String] = []
    if format == .geojson, opened.spatialReference == nil { warnings.append(Self.noReference) }
    var parameters: UtilityTraceParameters
    if let request {
      let (asked, passedOver) = try opened.parameters(
        request: request, inoperable: setup.inoperable)
      warnings += passedOver
      if let violation = options.violation(of: asked.traceType) { throw CallError(violation) }
      parameters = asked
      parameters.oneWayFlow = setup.oneWayFlow
    } else {
      parameters = try setup.parameters(in: opened)
    }
    let result = try opened.network.trace(parameters)
    let bytes: [UInt8] =
      switch format {
      case .json, .csv: result.json(in: opened.network)
      case .geojson: try result.geoJSON(in: opened)
      case .text:
        Array(
          result.text(
            parameters, in: opened.network, listsIsolated: setup.includesIsolated
          ).utf8)
      }
    return Answer(
      text: Self.text(bytes), isSuccess: result.isSuccess, warnings: warnings + result.warnings)
  }

  private static let noReference =
    "the network has no reference: its coordinates are written as they are"

  private func segments(_ opened: OpenedNetwork) throws -> Answer {
    var warnings: [String] = []
    if format == .geojson, opened.spatialReference == nil { warnings.append(Self.noReference) }
    let (found, hasValves) = try opened.segments(between: setup)
    if !hasValves { warnings.append("there is no valve that may be closed") }
    let bytes: [UInt8] =
      switch format {
      case .csv: found.csv(in: opened)
      case .geojson: try found.geoJSON(in: opened)
      case .json, .text: found.json(in: opened)
      }
    return Answer(text: Self.text(bytes), warnings: warnings)
  }

  /// Without the last line's end.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}

extension CallError {
  fileprivate init(_ violation: TraceViolation) {
    self = .bad("the options: \(violation.text { $0.word })")
  }
}

extension TraceOption {
  /// What C calls the option.
  fileprivate var word: String { rawValue.replacing("-", with: "_") }
}
