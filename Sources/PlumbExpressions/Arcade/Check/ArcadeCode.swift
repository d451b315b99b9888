/// An operation of the evaluator's stack machine. A function's variables start at the base of its
/// frame on the stack. The program's variables start at the bottom of the stack.
enum ArcadeOperation: Sendable {
  /// Pushes a constant, a variable, a variable of the program, a global, or an attribute of a global.
  case constant(Int32)
  case load(Int32)
  case loadOuter(Int32)
  case input(Int32)
  case inputMember(Int32, member: Int32)
  /// Sets a variable to the value on top of the stack, without popping the value.
  case store(Int32)
  case storeOuter(Int32)
  case pop
  /// Pushes copies of the top one or two values.
  case duplicate(Int32)
  /// Replaces operands on top of the stack by the result.
  case array(Int32)
  case dictionary(keys: Int32)
  case join(Int32)
  case prefix(ArcadeSign)
  case binary(ArcadeSign)
  /// `+` with a left operand that is not referenced elsewhere.
  case addMore
  /// Adds to a number in a variable, member or element, and pushes the new or the old value.
  case change(Int32, isOuter: Bool, by: Int8, isBefore: Bool)
  case changeMember(Int32, by: Int8, isBefore: Bool)
  case changeIndex(by: Int8, isBefore: Bool)
  case member(Int32)
  case setMember(Int32)
  case index
  case setIndex
  case jump(Int32)
  /// Pops a boolean and jumps if it is false.
  case jumpUnless(Int32)
  /// Jumps if the boolean on top is false or true, respectively, and keeps the boolean. Otherwise,
  /// pops it.
  case jumpKeepingFalse(Int32)
  case jumpKeepingTrue(Int32)
  case requireBoolean
  /// Pops a value. If it equals the value below, pops the value below too. Otherwise, jumps.
  case jumpUnlessEqual(Int32)
  /// Jumps if the value on top is neither null nor empty text. Otherwise, pops the value.
  case jumpUnlessEmpty(Int32)
  /// Charges the budget for one iteration of a loop.
  case turn
  /// Replaces the value on top by the three state variables of an iteration.
  case beginEach(Int32, isOf: Bool)
  /// Pushes the next index, key or element, or jumps to `exit` if no element is left.
  case nextEach(Int32, exit: Int32)
  case call(Int32, count: Int32)
  case callDeclared(Int32, count: Int32)
  /// Calls the value below the arguments. If the value is not a function, calls the function
  /// `orElse` instead. Numbers from 0 up are built-in functions, numbers from −2 down are functions
  /// of the program, and −1 means no function.
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

/// A compiled program.
struct ArcadeCode: Sendable {
  struct Declared: Sendable {
    var name: String
    var parameters: Int
    /// The number of parameters and variables.
    var variables = 0
    var start = 0
  }

  var operations: [ArcadeOperation] = []
  /// The positions in the text for errors, one per operation.
  var positions: [ArcadePosition] = []
  var constants: [ArcadeConstant] = []
  var members: [String] = []
  var keys: [[String]] = []
  var functions: [ArcadeFunction] = []
  var declared: [Declared] = []
  /// The number of variables of the program itself.
  var variables = 0
  var globals: [String] = []
  var usedGlobals: Set<Int> = []
  /// Notes about code that is not interpreted as written, one line each.
  var notes: [String] = []
}
