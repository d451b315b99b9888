/// What the evaluator's machine does next. Values lie on a stack; a frame's variables lie at its
/// base, and those of the program at the bottom.
enum ArcadeOperation: Sendable {
  /// Pushes a constant, a variable, one of the program's, a global, or a global's attribute.
  case constant(Int32)
  case load(Int32)
  case loadOuter(Int32)
  case input(Int32)
  case inputMember(Int32, member: Int32)
  /// Sets a variable to the top, which stays.
  case store(Int32)
  case storeOuter(Int32)
  case pop
  /// Pushes the top one or two values again.
  case duplicate(Int32)
  /// Replaces values by what they make.
  case array(Int32)
  case dictionary(keys: Int32)
  case join(Int32)
  case prefix(ArcadeSign)
  case binary(ArcadeSign)
  /// `+` whose left side nothing else holds.
  case addMore
  /// Adds to a number variable or removes; leaves the value after or before.
  case change(Int32, isOuter: Bool, by: Int8, isBefore: Bool)
  case changeMember(Int32, by: Int8, isBefore: Bool)
  case changeIndex(by: Int8, isBefore: Bool)
  case member(Int32)
  case setMember(Int32)
  case index
  case setIndex
  case jump(Int32)
  /// Takes a boolean and jumps when it is false.
  case jumpUnless(Int32)
  /// Jumps when the boolean on top is false, or true, and keeps it; else drops it.
  case jumpKeepingFalse(Int32)
  case jumpKeepingTrue(Int32)
  case requireBoolean
  /// Takes a value; when it equals the one below takes that too, else jumps.
  case jumpUnlessEqual(Int32)
  /// Jumps when the top is neither null nor an empty text; else drops it.
  case jumpUnlessEmpty(Int32)
  /// One turn of a loop.
  case turn
  /// Puts the values on top into three variables, to go through them.
  case beginEach(Int32, isOf: Bool)
  /// Pushes the next index, key or element, or jumps when there is none.
  case nextEach(Int32, exit: Int32)
  case call(Int32, count: Int32)
  case callDeclared(Int32, count: Int32)
  /// Calls the value below the arguments; when it is not a function, a built-in one, or from −2
  /// down one that the program declares; −1 for none.
  case callValue(orElse: Int32, count: Int32)
  case finish
}

enum ArcadeConstant: Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case builtIn(ArcadeFunction)
  case declared(name: String, Int)
}

/// A program made ready for the machine.
struct ArcadeCode: Sendable {
  struct Declared: Sendable {
    var name: String
    var parameters: Int
    /// Parameters and variables.
    var variables = 0
    var start = 0
  }

  var operations: [ArcadeOperation] = []
  /// One per operation: where its error is.
  var positions: [ArcadePosition] = []
  var constants: [ArcadeConstant] = []
  var members: [String] = []
  var keys: [[String]] = []
  var functions: [ArcadeFunction] = []
  var declared: [Declared] = []
  /// How many variables the program itself has.
  var variables = 0
  var globals: [String] = []
  var usedGlobals: Set<Int> = []
  /// What is understood otherwise than it is written, a line each.
  var notes: [String] = []
}
