/// The terminals of a kind of device, and the paths by which the device may join the terminals.
public struct TerminalConfiguration: Sendable, Hashable {
  /// Whether flow through a device is limited to one direction.
  public enum Traversability: String, Sendable, Hashable {
    /// Flow passes each pair of a path in one direction: from the upstream terminal to the other terminal or,
    /// if both or neither are upstream, from `from` to `to`.
    case directional
    /// Flow passes each pair of a path in both directions.
    case bidirectional
  }

  /// The maximum number of terminals of a device.
  public static let terminalLimit = 8

  /// The id, unique in the definition.
  public var id: Int
  /// The display name.
  public var name: String
  /// Whether flow through the device is limited to one direction.
  public var traversability: Traversability
  /// The terminals, 1 to 8.
  public var terminals: [Terminal]
  /// The paths by which the device may join its terminals; if empty, all terminals are joined.
  public var validPaths: [TerminalPath]
  /// The name of the path for features that have no explicit path; nil for no default path. Without
  /// a default path, these features use the only valid path. If the configuration has no valid
  /// paths, all terminals of these features are joined.
  public var defaultPath: String?

  /// Creates a configuration; bidirectional by default.
  public init(
    id: Int, name: String, traversability: Traversability = .bidirectional,
    terminals: [Terminal], validPaths: [TerminalPath] = [], defaultPath: String? = nil
  ) {
    self.id = id
    self.name = name
    self.traversability = traversability
    self.terminals = terminals
    self.validPaths = validPaths
    self.defaultPath = defaultPath
  }
}

/// A point where edges connect to a device.
public struct Terminal: Sendable, Hashable {
  /// The id, unique in its configuration.
  public var id: Int
  /// The display name.
  public var name: String
  /// Whether flow enters at the terminal, if the configuration is directional.
  public var isUpstream: Bool

  /// Creates a terminal of a configuration.
  public init(id: Int, name: String, isUpstream: Bool = false) {
    self.id = id
    self.name = name
    self.isUpstream = isUpstream
  }
}

/// A named set of joined terminals of a device; a path without pairs joins no terminals.
public struct TerminalPath: Sendable, Hashable {
  /// Two joined terminals.
  public struct Pair: Sendable, Hashable {
    /// The id of the terminal where flow enters, unless the terminals' `isUpstream` specifies
    /// otherwise.
    public var from: Int
    /// The id of the other terminal.
    public var to: Int

    /// Creates a pair from the terminals' ids in the configuration.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// The name, which is the value of features' `terminalPath`; unique in its configuration.
  public var name: String
  /// The joined terminals.
  public var pairs: [Pair]

  /// Creates a path.
  public init(name: String, pairs: [Pair]) {
    self.name = name
    self.pairs = pairs
  }
}
