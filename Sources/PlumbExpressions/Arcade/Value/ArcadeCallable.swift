/// A function as a value.
public struct ArcadeCallable {
  /// As it was declared.
  public let name: String
  /// A function of the table, or the number of one that the program declares.
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
