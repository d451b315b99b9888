/// An error of a function or an operation, without its position in the program.
struct ArcadeFailure: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
