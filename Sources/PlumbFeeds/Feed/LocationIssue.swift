/// What is wrong with a row of a feed.
public struct LocationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The row's number in the feed, from 0.
  public var index: Int
  /// The line, from 1, on which the row begins.
  public var line: Int
  public var message: String

  public init(index: Int, line: Int, message: String) {
    self.index = index
    self.line = line
    self.message = message
  }

  public var description: String { "line \(line): \(message)" }
}
