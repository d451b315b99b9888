import PlumbCore

/// An error in a row of a feed.
public struct LocationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The row's number in the feed, from 0.
  public var index: Int
  /// The line, from 1, on which the row begins; nil if the feed is not text.
  public var line: Int?
  /// The message without the line, with placeholders for settings.
  public var messageTemplate: MessageTemplate

  /// Creates an issue of one row.
  public init(index: Int, line: Int?, message: String) {
    self.init(index: index, line: line, messageTemplate: MessageTemplate(message))
  }

  /// Creates an issue of one row whose message names settings.
  public init(index: Int, line: Int?, messageTemplate: MessageTemplate) {
    self.index = index
    self.line = line
    self.messageTemplate = messageTemplate
  }

  /// The message without the line.
  public var message: String { messageTemplate.description }

  /// The message with the line, or with the row's number.
  public var report: MessageTemplate {
    if let line { return "line \(line): \(messageTemplate)" }
    return "location \(index): \(messageTemplate)"
  }

  public var description: String { report.description }
}
