/// What an error of any of Plumb's modules has for people.
public protocol PlumbFailure: Error, Sendable, CustomStringConvertible {
  /// What is wrong, in one line.
  var message: String { get }
  /// The message together with where it is and what to do about it, in one line.
  var summary: String { get }
}

extension PlumbFailure {
  public var summary: String { message }
}

/// What the user asked for and cannot have, in one line that says what to do.
public struct PlumbError: PlumbFailure {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }

  /// The line for the user of any error.
  public static func message(of error: any Error) -> String {
    (error as? any PlumbFailure)?.summary ?? String(describing: error).printable
  }
}
