/// A function as a value.
public struct ArcadeCallable {
  /// The name as declared.
  public let name: String
  /// A built-in function, or the index of a function of the program.
  enum Target {
    case builtIn(ArcadeFunction)
    case declared(Int)
  }

  let target: Target

  init(name: String, target: Target) {
    self.name = name
    self.target = target
  }
}
