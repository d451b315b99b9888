import PlumbCore

/// Tiles and files that could not be read: the first few failures and the total number.
public struct ReadFailures: Sendable {
  /// One failure.
  public struct Line: Sendable, Hashable {
    /// The path of the file.
    public var path: String
    /// The message and the remedy, without the path.
    public var messageTemplate: MessageTemplate
  }

  /// The first few failures, and the first failure of each of several more files.
  public private(set) var lines: [Line] = []
  /// The total number of failures.
  public private(set) var count = 0

  private static let (lineLimit, pathLimit) = (10, 20)

  /// Creates an empty list of failures.
  public init() {}

  mutating func add(_ path: String, _ messageTemplate: MessageTemplate) {
    count += 1
    let line = Line(path: path, messageTemplate: messageTemplate)
    let isNewPath = lines.count < Self.pathLimit && !lines.contains { $0.path == path }
    guard isNewPath || lines.count < Self.lineLimit && !lines.contains(line) else { return }
    lines.append(line)
  }

  /// Adds the failures of another list.
  package mutating func add(_ other: ReadFailures) {
    for line in other.lines { add(line.path, line.messageTemplate) }
    count += other.count - other.lines.count
  }

  /// The messages of `lines`, each with its path.
  public var messages: [MessageTemplate] {
    lines.map { "\($0.path.printable): \($0.messageTemplate)" }
  }
}
