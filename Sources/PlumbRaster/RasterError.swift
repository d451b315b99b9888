import PlumbCore

/// What a raster could not do, in one line for the user.
public struct RasterError: PlumbFailure {
  public var code: FailureCode
  public var message: String

  public init(_ message: String, code: FailureCode = .failed) {
    (self.message, self.code) = (message, code)
  }

  public var description: String { message }
}
