import PlumbCore

/// Why a layer, a map or a query cannot answer: a word for scripts and a line for people.
public struct LayerError: PlumbFailure, Hashable {
  /// `bad_point` belongs to one point; `transform_failed` and `read_error` to a point or a whole
  /// layer; `load_failed`, `no_reference`, `bad_condition`, `bad_layer` and `no_popups` to a layer;
  /// `bad_query` to a query.
  public var code: FailureCode
  /// What is wrong and where, with settings that each calls by its own names.
  public var wording: Wording
  /// What to do about it: any of these.
  public var remedies: [Wording]
  private var reason: FailureCause?

  /// An error of this one line.
  public init(code: FailureCode, message: String) {
    self.init(code: code, wording: Wording(message))
  }

  /// An error whose message may name settings, with what to do about it and what is behind it.
  public init(
    code: FailureCode, wording: Wording, remedies: [Wording] = [], cause: (any Error)? = nil
  ) {
    self.code = code
    self.wording = wording
    self.remedies = remedies
    reason = cause.map { FailureCause($0) }
  }

  /// An error under this code.
  package init(code: FailureCode, _ error: any Error) {
    let shaped = PlumbError(error)
    self.init(code: code, wording: shaped.wording, remedies: shaped.remedies, cause: error)
  }

  /// The same error, as part of something that is said before it.
  package func of(_ part: String) -> LayerError {
    LayerError(code: code, wording: "\(part): \(wording)", remedies: remedies, cause: cause)
  }

  /// What is wrong, in one line of plain words.
  public var message: String { wording.description }

  /// The failure behind it; nil when it is the first.
  public var cause: (any Error)? { reason?.error }

  public var description: String { summary }
}
