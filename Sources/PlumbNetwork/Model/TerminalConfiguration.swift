/// The terminals of a kind of device and how its inside may join them.
public struct TerminalConfiguration: Sendable, Hashable {
  /// Whether the inside of a device lets flow pass one way only.
  public enum Traversability: String, Sendable, Hashable {
    /// Flow passes each pair of a path one way: from the upstream terminal to the other; where both
    /// or neither is upstream, from `from` to `to`.
    case directional
    /// Flow passes each pair of a path both ways.
    case bidirectional
  }

  /// The most terminals that a device has.
  public static let terminalLimit = 8

  /// Unique in the definition.
  public var id: Int
  /// What people call it.
  public var name: String
  /// Whether flow passes the device one way only.
  public var traversability: Traversability
  /// 1 to 8 terminals.
  public var terminals: [Terminal]
  /// The ways in which the device may join its terminals; empty joins all of them.
  public var validPaths: [TerminalPath]
  /// The name of the path that a feature without one of its own has. Nil for the only one there is;
  /// without valid paths all terminals are joined.
  public var defaultPath: String?

  /// A configuration that lets flow pass both ways, unless said otherwise.
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
  /// Unique in its configuration.
  public var id: Int
  /// What people call it.
  public var name: String
  /// Whether flow comes in there, where the configuration is directional.
  public var isUpstream: Bool

  /// A terminal of a configuration.
  public init(id: Int, name: String, isUpstream: Bool = false) {
    self.id = id
    self.name = name
    self.isUpstream = isUpstream
  }
}

/// A named way in which a device joins its terminals; one without pairs joins none.
public struct TerminalPath: Sendable, Hashable {
  /// Two terminals that a path joins.
  public struct Pair: Sendable, Hashable {
    /// The id of one terminal: where flow comes in, unless `isUpstream` says otherwise.
    public var from: Int
    /// The id of the other terminal.
    public var to: Int

    /// Terminals by their ids in the configuration.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// What features' `terminalPath` calls it; unique in its configuration.
  public var name: String
  /// The terminals that are joined.
  public var pairs: [Pair]

  /// A path by name.
  public init(name: String, pairs: [Pair]) {
    self.name = name
    self.pairs = pairs
  }
}
