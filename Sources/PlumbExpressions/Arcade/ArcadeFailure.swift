/// An error of a function, without its position.
struct ArcadeFailure: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
