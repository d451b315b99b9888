/// A use of a file.
public enum SourceUse: String, Sendable, Hashable, CaseIterable {
  /// Points at which to identify; features to buffer.
  case points, buffer
  /// Fences to monitor: areas, and geometries that need a buffer distance.
  case fences, bufferedFences
  /// Locations of moving objects to monitor; a line to simulate locations along.
  case feed, simulation
  /// Features and locations for an expression.
  case feature, location
  /// A layer of a web map.
  case mapLayer
  /// Layers and tables of a network document.
  case networkLines, networkPoints, networkTable
  /// A network to trace; a network to divide into isolation segments.
  case trace, segments

  /// The use in plain words, for front ends that have no name for the use.
  public var itemName: String {
    switch self {
    case .points: "points to identify at"
    case .buffer: "features to buffer"
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
  /// The list of uses, each by its name in `names`, or in plain words if `names` does not contain it.
  package func text(_ names: [SourceUse: String]) -> String {
    map { names[$0] ?? $0.itemName }.joined(separator: ", ")
  }
}
