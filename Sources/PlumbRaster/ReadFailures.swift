/// Tiles and files that could not be read: the first few in words, and how many there were.
public struct ReadFailures: Sendable {
  /// One failure.
  public struct Line: Sendable, Hashable {
    /// The file's.
    public var path: String
    /// What was wrong with it, without the path.
    public var message: String
  }

  /// The first few of all, and the first of each of some more files.
  public private(set) var lines: [Line] = []
  /// How many failures there were in all.
  public private(set) var count = 0

  private static let (lineLimit, pathLimit) = (10, 20)

  /// No failures so far.
  public init() {}

  mutating func add(_ path: String, _ message: String) {
    count += 1
    let line = Line(path: path, message: message)
    let isNewPath = lines.count < Self.pathLimit && !lines.contains { $0.path == path }
    guard isNewPath || lines.count < Self.lineLimit && !lines.contains(line) else { return }
    lines.append(line)
  }

  /// `path: message` of each of `lines`.
  public var messages: [String] { lines.map { "\($0.path): \($0.message)" } }
}
