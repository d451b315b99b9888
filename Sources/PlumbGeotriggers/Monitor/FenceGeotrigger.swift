/// The fences to watch, the rules of events, and the messages of notifications.
public struct FenceGeotrigger: Sendable {
  /// The geotrigger's name in notifications.
  public var name: String
  /// The fences that entities enter and exit.
  public var fences: FenceSet
  /// The names of the fences' attributes, in their order.
  public var fenceFields: [String]
  /// The events to report, and how they are determined.
  public var rules: FenceRules
  /// The expression for messages; nil to use the fence's name as the message.
  public var messageExpression: MessageExpression?

  /// Creates a geotrigger. By default, it reports entering and exiting, with the fence's name as
  /// the message.
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
