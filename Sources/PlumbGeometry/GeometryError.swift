/// What a reference or a transformation could not do, in one line for the user.
public struct GeometryError: Error, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
