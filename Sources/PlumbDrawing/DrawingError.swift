import PlumbCore

/// Why a picture cannot be drawn.
public struct DrawingError: PlumbFailure, Hashable {
  /// `missing_library` without Cairo, `bad_option` for a view that cannot be, `failed` for what Cairo
  /// cannot do.
  public var code: FailureCode
  /// What is wrong, with settings that each calls by its own names.
  public var wording: Wording

  /// An error of one line.
  public init(_ wording: Wording, code: FailureCode = .failed) {
    self.wording = wording
    self.code = code
  }

  /// What is wrong, in one line of plain words.
  public var message: String { wording.description }

  public var description: String { summary }
}
