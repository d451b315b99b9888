import PlumbCore

/// What is wrong with a row of a feed.
public struct LocationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The row's number in the feed, from 0.
  public var index: Int
  /// The line, from 1, on which the row begins.
  public var line: Int
  /// What is wrong, without the line, with the settings that it names.
  public var wording: Wording

  /// An issue of one row.
  public init(index: Int, line: Int, message: String) {
    self.init(index: index, line: line, wording: Wording(message))
  }

  /// An issue of one row, whose words name settings.
  public init(index: Int, line: Int, wording: Wording) {
    self.index = index
    self.line = line
    self.wording = wording
  }

  /// What is wrong, without the line.
  public var message: String { wording.description }

  /// The line for people.
  public var report: Wording { "line \(line): \(wording)" }

  public var description: String { report.description }
}
