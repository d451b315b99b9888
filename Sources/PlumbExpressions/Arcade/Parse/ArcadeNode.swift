/// An expression. Consecutive operators of the same precedence form one node, and so do consecutive steps
/// into a value. Long chains therefore result in wide trees instead of deep trees.
indirect enum ArcadeNode: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case name(String, ArcadePosition)
  /// The name with its `$`.
  case global(String, ArcadePosition)
  case array([ArcadeNode], ArcadePosition)
  case dictionary([ArcadeMember], ArcadePosition)
  /// A template. It has one piece of text before, between and after its values.
  case template([String], [ArcadeNode], ArcadePosition)
  /// `-`, `+`, `!` or `~` before an operand.
  case prefix(ArcadeSign, ArcadeNode, ArcadePosition)
  case chain(ArcadeNode, [ArcadeTerm])
  case call(String, [ArcadeNode], ArcadePosition)
  case path(ArcadeNode, [ArcadeStep])
  /// An assignment with `=`, or with a compound sign such as `+=` if the operator is not nil.
  case assignment(ArcadeNode, ArcadeSign?, ArcadeNode, ArcadePosition)
  /// `++` or `--`, before or after the operand.
  case change(ArcadeNode, ArcadeSign, isBefore: Bool, ArcadePosition)
}

struct ArcadeMember: Hashable, Sendable {
  var key: String
  var value: ArcadeNode
}

struct ArcadeTerm: Hashable, Sendable {
  var sign: ArcadeSign
  var operand: ArcadeNode
  var position: ArcadePosition
}

/// A step into a value: `.name` or `[index]`.
enum ArcadeStep: Hashable, Sendable {
  case member(String, ArcadePosition)
  case index(ArcadeNode, ArcadePosition)
}

indirect enum ArcadeStatement: Hashable, Sendable {
  case variables([ArcadeVariable])
  case function(ArcadeDeclaration)
  /// `if`, its `else if`s, and `else`.
  case condition([ArcadeBranch], otherwise: ArcadeStatement?)
  case forLoop(ArcadeStatement?, ArcadeNode?, ArcadeNode?, ArcadeStatement, ArcadePosition)
  case forEach(ArcadeEach, ArcadeStatement)
  case whileLoop(ArcadeNode, ArcadeStatement, ArcadePosition)
  case leave(ArcadePosition)
  case next(ArcadePosition)
  case result(ArcadeNode?, ArcadePosition)
  case block([ArcadeStatement])
  case expression(ArcadeNode, ArcadePosition)
}

struct ArcadeVariable: Hashable, Sendable {
  var name: String
  var value: ArcadeNode?
  var position: ArcadePosition
}

struct ArcadeBranch: Hashable, Sendable {
  var condition: ArcadeNode
  var body: ArcadeStatement
  var position: ArcadePosition
}

/// `for (var name in values)` iterates over the indices of an array, or over the keys of other
/// values. With `of`, it iterates over the elements.
struct ArcadeEach: Hashable, Sendable {
  var name: String
  var isDeclared: Bool
  var isOf: Bool
  var values: ArcadeNode
  var position: ArcadePosition
}

struct ArcadeDeclaration: Hashable, Sendable {
  var name: String
  var parameters: [ArcadeVariable]
  var body: [ArcadeStatement]
  var position: ArcadePosition
}
