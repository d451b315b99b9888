import PlumbCore

/// A failure of a reference, a transformation or an operation on shapes, in one line for the user.
public struct GeometryError: PlumbFailure {
  /// The problem, in one line without the member.
  public var message: String
  /// The index of the failed member in the operation's list; nil if the failure is not about a
  /// member.
  public var member: Int?
  /// The kind of failure.
  public var code: FailureCode
  /// Alternative remedies.
  public var remedies: [MessageTemplate]

  /// An error of the whole operation, or of one member of its list.
  public init(
    _ message: String, member: Int? = nil, code: FailureCode = .failed,
    remedies: [MessageTemplate] = []
  ) {
    self.message = message
    self.member = member
    self.code = code
    self.remedies = remedies
  }

  /// Ends cancelled work early; `WorkCancellation.run` replaces it by `CancellationError`.
  package static var cancelled: GeometryError { GeometryError("the work was cancelled") }

  /// The failed member, if there is one.
  public var context: FailureContext { FailureContext(member: member) }

  public var description: String {
    member.map { "geometry \($0): \(message)" } ?? message
  }

  /// The same error for one member of a list.
  package func of(member index: Int) -> GeometryError {
    GeometryError(message, member: index, code: code, remedies: remedies)
  }
}
