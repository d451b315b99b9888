import PlumbCore

/// Tiles and files that could not be read: the first few in words, and how many there were.
public struct ReadFailures: Sendable {
  /// One failure.
  public struct Line: Sendable, Hashable {
    /// The file's.
    public var path: String
    /// What was wrong with it and what to do, without the path.
    public var wording: Wording
  }

  /// The first few of all, and the first of each of some more files.
  public private(set) var lines: [Line] = []
  /// How many failures there were in all.
  public private(set) var count = 0

  private static let (lineLimit, pathLimit) = (10, 20)

  /// No failures so far.
  public init() {}

  mutating func add(_ path: String, _ wording: Wording) {
    count += 1
    let line = Line(path: path, wording: wording)
    let isNewPath = lines.count < Self.pathLimit && !lines.contains { $0.path == path }
    guard isNewPath || lines.count < Self.lineLimit && !lines.contains(line) else { return }
    lines.append(line)
  }

  /// Each of `lines` with its path.
  public var messages: [Wording] { lines.map { "\($0.path.printable): \($0.wording)" } }
}
