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

  /// A raster of which nothing says where its cells lie.
  package static func notGeoreferenced(_ name: String, _ reason: String) -> RasterError {
    RasterError(
      "\(name.printable) is not georeferenced: \(reason)", code: .noReference,
      remedies: ["ask for its cells with \(.pixel)"])
  }

  public var description: String { summary }
}
