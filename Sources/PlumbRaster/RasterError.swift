import PlumbCore

/// What a raster could not do, in one line for the user.
public struct RasterError: PlumbFailure {
  /// What sort of failure it is.
  public var code: FailureCode
  /// What is wrong, in one line of plain words.
  public var message: String

  /// An error of this one line.
  public init(_ message: String, code: FailureCode = .failed) {
    (self.message, self.code) = (message, code)
  }

  public var description: String { message }
}
