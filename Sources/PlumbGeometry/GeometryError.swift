import PlumbCore

/// An error of a CRS, a transformation or a geometry operation, with a message of one line for the
/// user.
public struct GeometryError: PlumbFailure {
  /// The message on one line, without the index of the member.
  public var message: String
  /// The index of the member that failed in the operation's list of geometries; nil if the error is
  /// not about one member.
  public var member: Int?
  /// The kind of failure.
  public var code: FailureCode
  /// Alternative ways to correct the error.
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

  /// The error that ends cancelled work early; `WorkCancellation.run` replaces it with
  /// `CancellationError`.
  package static var cancelled: GeometryError { GeometryError("the work was cancelled") }

  /// The index of the failed member, if there is one.
  public var context: FailureContext { FailureContext(member: member) }

  public var description: String {
    member.map { "geometry \($0): \(message)" } ?? message
  }

  /// The same error for one member of a list.
  package func of(member index: Int) -> GeometryError {
    GeometryError(message, member: index, code: code, remedies: remedies)
  }
}
