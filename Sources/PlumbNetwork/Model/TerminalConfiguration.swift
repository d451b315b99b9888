/// The terminals of a kind of device and how its inside may join them.
public struct TerminalConfiguration: Sendable, Hashable {
  public enum Traversability: String, Sendable, Hashable {
    /// Flow passes each pair of a path one way: from the upstream terminal to the other; where both
    /// or neither is upstream, from `from` to `to`.
    case directional
    case bidirectional
  }

  /// The most terminals that a device has.
  public static let terminalLimit = 8

  public var id: Int
  public var name: String
  public var traversability: Traversability
  /// 1 to 8 terminals.
  public var terminals: [Terminal]
  public var validPaths: [TerminalPath]
  /// The name of the path that a feature without one of its own has. Nil for the only one there is;
  /// without valid paths all terminals are joined.
  public var defaultPath: String?

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

/// A place where edges connect to a device.
public struct Terminal: Sendable, Hashable {
  /// Unique in its configuration.
  public var id: Int
  public var name: String
  public var isUpstream: Bool

  public init(id: Int, name: String, isUpstream: Bool = false) {
    self.id = id
    self.name = name
    self.isUpstream = isUpstream
  }
}

/// A named way in which a device joins its terminals; one without pairs joins none.
public struct TerminalPath: Sendable, Hashable {
  public struct Pair: Sendable, Hashable {
    public var from: Int
    public var to: Int

    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  public var name: String
  public var pairs: [Pair]

  public init(name: String, pairs: [Pair]) {
    self.name = name
    self.pairs = pairs
  }
}
