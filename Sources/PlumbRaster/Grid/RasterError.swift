import PlumbCore

/// An error of a raster, with a one-line message for the user.
public struct RasterError: PlumbFailure {
  /// The kind of failure.
  public var code: FailureCode
  /// The message, as one line of plain text.
  public var message: String
  /// Ways to correct the error; one of them is enough.
  public var remedies: [MessageTemplate]

  /// Creates an error with a one-line message.
  public init(_ message: String, code: FailureCode = .failed, remedies: [MessageTemplate] = []) {
    (self.message, self.code, self.remedies) = (message, code, remedies)
  }

  /// Converts another error to a raster error.
  package init(_ failure: any Error) {
    let failure = PlumbError(failure)
    self.init(failure.message, code: failure.code, remedies: failure.remedies)
  }

  /// The error for a raster that is not georeferenced.
  static func notGeoreferenced(_ name: String, _ reason: String) -> RasterError {
    RasterError(
      "\(name.printable) is not georeferenced: \(reason)", code: .noReference,
      remedies: ["read its cells with \(.pixel)"])
  }

  public var description: String { summary }
}
