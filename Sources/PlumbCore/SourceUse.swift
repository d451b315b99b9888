/// What a file is good for, whatever asks for it.
public enum SourceUse: String, Sendable, Hashable, CaseIterable {
  /// Points to identify at; features to draw buffers round.
  case points, buffer
  /// Fences to monitor: areas, and shapes that need a buffer distance.
  case fences, bufferedFences
  /// Locations of moving things to monitor; a line to simulate them along.
  case feed, simulation
  /// What an expression is evaluated for.
  case feature, location
  /// A layer of a web map.
  case mapLayer
  /// Layers and tables of a network document.
  case networkLines, networkPoints, networkTable
  /// A network to trace, and to divide into isolation segments.
  case trace, segments

  /// It in plain words, for where it has no name of its own.
  public var noun: String {
    switch self {
    case .points: "points to identify at"
    case .buffer: "features to draw buffers round"
    case .fences: "fences to monitor"
    case .bufferedFences: "fences to monitor with a buffer distance"
    case .feed: "a feed to monitor"
    case .feature: "features for an expression"
    case .location: "locations for an expression"
    case .mapLayer: "a layer of a web map"
    case .networkLines: "lines of a network document for trace"
    case .networkPoints: "points of a network document for trace"
    case .networkTable: "a table of a network document for trace"
    case .trace: "a network to trace"
    case .simulation: "a line to simulate locations along"
    case .segments: "a network to divide into isolation segments"
    }
  }
}

extension [SourceUse] {
  /// The list with uses called by some names; those without are called by their nouns.
  package func text(_ names: [SourceUse: String]) -> String {
    map { names[$0] ?? $0.noun }.joined(separator: ", ")
  }
}
