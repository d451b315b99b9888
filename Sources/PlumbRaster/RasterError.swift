import PlumbCore

/// What a raster could not do, in one line for the user.
public struct RasterError: PlumbFailure {
  /// What sort of failure it is.
  public var code: FailureCode
  /// What is wrong, in one line of plain words.
  public var message: String
  /// What to do about it: any of these.
  public var remedies: [Wording]

  /// An error of this one line.
  public init(_ message: String, code: FailureCode = .failed, remedies: [Wording] = []) {
    (self.message, self.code, self.remedies) = (message, code, remedies)
  }

  /// Another failure, as one of rasters.
  package init(_ failure: any Error) {
    let failure = PlumbError(failure)
    self.init(failure.message, code: failure.code, remedies: failure.remedies)
  }

  public var description: String { summary }
}
