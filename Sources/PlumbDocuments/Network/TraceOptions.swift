import PlumbNetwork

/// An option of a trace. Its raw value is the stem from which each front end makes its own name.
package enum TraceOption: String, CaseIterable, Sendable {
  case type, start, barrier
  case filterBarrier = "filter-barrier"
  case filterCategory = "filter-category"
  case filter, condition, inoperable
  case oneWay = "one-way"
  case includeIsolated = "include-isolated"
  case cost, domain, tier, request, segments
}

/// The options that a trace is given, and every rule about which of them go together.
package struct TraceOptions: Sendable {
  /// The options that are given, whatever their values.
  package var given: Set<TraceOption>
  /// How many starts are given.
  package var startCount: Int
  package var type: TraceType?

  package init(_ given: Set<TraceOption>, type: TraceType?, startCount: Int) {
    (self.given, self.type, self.startCount) = (given, type, startCount)
  }

  /// What `segments` goes with.
  private static let ofSegments: Set<TraceOption> = [
    .segments, .filter, .filterCategory, .filterBarrier,
  ]
  /// What `request` goes with.
  private static let ofRequests: Set<TraceOption> = [.request, .inoperable, .oneWay]

  /// The first rule that the options break; nil when they break none.
  package var violation: TraceViolation? {
    if given.contains(.filter), given.contains(.filterCategory) { return .twoFilters }
    if given.contains(.segments) { return stranger(to: .segments, besides: Self.ofSegments) }
    if given.contains(.request) { return stranger(to: .request, besides: Self.ofRequests) }
    guard let type else { return .nothingToTrace }
    if startCount == 0 { return .noStart }
    if type == .shortestPath {
      if startCount != 2 { return .notTwoStarts }
      if !given.contains(.cost) { return .noCost }
    } else if given.contains(.cost) {
      return .needsType(.cost, .shortestPath)
    }
    if type != .isolation, given.contains(.includeIsolated) {
      return .needsType(.includeIsolated, .isolation)
    }
    return violation(of: type)
  }

  /// The first rule that the options break in a trace of a type, which a request may have named; nil
  /// when they break none.
  package func violation(of type: TraceType) -> TraceViolation? {
    if given.contains(.oneWay), type == .connected || type == .shortestPath {
      return .passesOneWay(type)
    }
    if type != .isolation, given.contains(.inoperable) {
      return .needsType(.inoperable, .isolation)
    }
    return nil
  }

  private func stranger(
    to option: TraceOption, besides companions: Set<TraceOption>
  ) -> TraceViolation? {
    TraceOption.allCases.first { given.contains($0) && !companions.contains($0) }
      .map { .excludes($0, option) }
  }
}

/// A rule that the options of a trace break.
package enum TraceViolation: Sendable, Equatable {
  case twoFilters
  case excludes(TraceOption, TraceOption)
  case nothingToTrace, noStart, notTwoStarts, noCost
  case needsType(TraceOption, TraceType)
  case passesOneWay(TraceType)

  /// One line about it.
  ///
  /// - Parameter name: what the front end calls an option; nil for one that it does not offer.
  package func text(_ name: (TraceOption) -> String?) -> String {
    func called(_ option: TraceOption) -> String { name(option) ?? option.rawValue }
    func typed(_ type: TraceType) -> String { "\(called(.type)) \(type.word)" }
    switch self {
    case .twoFilters:
      return "\(called(.filter)) and \(called(.filterCategory)) do not go together: put both in "
        + "\(called(.filter)), as category('NAME') AND ..."
    case .excludes(let option, let other):
      return "\(called(option)) does not go with \(called(other))"
    case .nothingToTrace:
      let names = [TraceOption.type, .request, .segments].compactMap(name)
      return "give \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    case .noStart: return "give where the trace starts with \(called(.start))"
    case .notTwoStarts: return "\(typed(.shortestPath)) needs two of \(called(.start))"
    case .noCost: return "\(typed(.shortestPath)) needs \(called(.cost)), the attribute to sum"
    case .needsType(let option, let type): return "\(called(option)) goes with \(typed(type))"
    case .passesOneWay(let type):
      return "\(called(.oneWay)) does not go with \(typed(type)), which passes one-way elements "
        + "either way"
    }
  }
}

extension TraceType {
  /// The type's name as front ends write it, `shortest-path`.
  package var word: String {
    rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
