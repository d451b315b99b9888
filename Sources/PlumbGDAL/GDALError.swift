/// Why GDAL or OGR could not do what it was asked.
public struct GDALError: Error, CustomStringConvertible, Sendable, Hashable {
  /// One printable line that says what is wrong and, where it helps, what to do.
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
