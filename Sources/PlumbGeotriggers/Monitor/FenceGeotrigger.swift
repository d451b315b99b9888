/// The fences to watch, and the messages of notifications.
public struct FenceGeotrigger: Sendable {
  /// The geotrigger's name in notifications.
  public var name: String
  /// The fences that locations enter and leave.
  public var fences: FenceSet
  /// The names of the fences' attributes, in their order.
  public var fenceFields: [String]
  /// The events to report, and how they are determined.
  public var rules: FenceRules
  /// nil for the fence's name as the message.
  public var messageExpression: MessageExpression?

  /// By default, reports enters and exits with the fence's name as the message.
  public init(
    name: String = "", fences: FenceSet, fenceFields: [String] = [],
    rules: FenceRules = FenceRules(),
    messageExpression: MessageExpression? = nil
  ) {
    self.name = name
    self.fences = fences
    self.fenceFields = fenceFields
    self.rules = rules
    self.messageExpression = messageExpression
  }
}
