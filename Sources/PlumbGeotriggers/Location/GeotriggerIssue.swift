/// Something that is wrong with one location, or with what was to be said of it; the feed goes on.
public struct GeotriggerIssue: Sendable, Hashable, CustomStringConvertible {
  /// The location's number in the feed.
  public var index: Int
  /// The line that it stands on; nil where there is none.
  public var line: Int?
  /// What is wrong, in one line without the row's number.
  public var message: String
  /// Whether the location counted all the same: then it is its words that are amiss.
  package var wasTaken = false
  /// Whether it was refused for lack of room alone.
  package var lacksRoom = false

  /// An issue of one location.
  public init(index: Int, line: Int? = nil, message: String) {
    self.index = index
    self.line = line
    self.message = message
  }

  public var description: String {
    (line.map { "line \($0): " } ?? "location \(index): ") + message
  }
}
