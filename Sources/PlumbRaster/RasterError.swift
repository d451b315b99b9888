import PlumbCore

/// What a raster could not do, in one line for the user.
public struct RasterError: PlumbFailure {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
