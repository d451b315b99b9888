import PlumbCore

/// An error in a row of a feed.
public struct LocationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The row's number in the feed, from 0.
  public var index: Int
  /// The line, from 1, on which the row begins.
  public var line: Int
  /// The message without the line, with placeholders for settings.
  public var wording: Wording

  /// Creates an issue of one row.
  public init(index: Int, line: Int, message: String) {
    self.init(index: index, line: line, wording: Wording(message))
  }

  /// Creates an issue of one row whose message names settings.
  public init(index: Int, line: Int, wording: Wording) {
    self.index = index
    self.line = line
    self.wording = wording
  }

  /// The message without the line.
  public var message: String { wording.description }

  /// The message with the line.
  public var report: Wording { "line \(line): \(wording)" }

  public var description: String { report.description }
}
