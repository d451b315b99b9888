import PlumbCore

/// What a reference, a transformation or an operation on shapes could not do, in one line for the
/// user.
public struct GeometryError: PlumbFailure {
  /// What is wrong, in one line without the member.
  public var message: String
  /// The index in the operation's list of the member at fault; nil when it is not about one.
  public var member: Int?
  /// What sort of failure it is.
  public var code: FailureCode
  /// What to do about it: any of these.
  public var remedies: [Wording]

  /// An error of the whole operation, or of one member of its list.
  public init(
    _ message: String, member: Int? = nil, code: FailureCode = .failed, remedies: [Wording] = []
  ) {
    self.message = message
    self.member = member
    self.code = code
    self.remedies = remedies
  }

  /// Ends cancelled work early; `WorkCancellation.run` replaces it by `CancellationError`.
  package static var cancelled: GeometryError { GeometryError("the work was cancelled") }

  /// The member at fault, where it is about one.
  public var context: FailureContext { FailureContext(member: member) }

  public var description: String {
    member.map { "geometry \($0): \(message)" } ?? message
  }

  /// The same error, of one member of a list.
  package func of(member index: Int) -> GeometryError {
    GeometryError(message, member: index, code: code, remedies: remedies)
  }
}
