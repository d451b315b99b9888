/// An expression. Operators of one level stand in one node, and so do steps into a value, so that
/// long chains are wide and not deep.
indirect enum ArcadeNode: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case name(String, ArcadePlace)
  /// With its `$`.
  case global(String, ArcadePlace)
  case array([ArcadeNode], ArcadePlace)
  case dictionary([ArcadeMember], ArcadePlace)
  /// One more piece of text than values.
  case template([String], [ArcadeNode], ArcadePlace)
  /// `-`, `+`, `!` or `~` before an operand.
  case prefix(ArcadeSign, ArcadeNode, ArcadePlace)
  case chain(ArcadeNode, [ArcadeTerm])
  case call(String, [ArcadeNode], ArcadePlace)
  case path(ArcadeNode, [ArcadeStep])
  /// `=`, or with an operator `+=` and its kin.
  case assignment(ArcadeNode, ArcadeSign?, ArcadeNode, ArcadePlace)
  /// `++` or `--`, before or after.
  case change(ArcadeNode, ArcadeSign, isBefore: Bool, ArcadePlace)
}

struct ArcadeMember: Hashable, Sendable {
  var key: String
  var value: ArcadeNode
}

struct ArcadeTerm: Hashable, Sendable {
  var sign: ArcadeSign
  var operand: ArcadeNode
  var place: ArcadePlace
}

/// A step into a value: `.name` or `[index]`.
enum ArcadeStep: Hashable, Sendable {
  case member(String, ArcadePlace)
  case index(ArcadeNode, ArcadePlace)
}

indirect enum ArcadeStatement: Hashable, Sendable {
  case variables([ArcadeVariable])
  case function(ArcadeDeclaration)
  /// `if`, its `else if`s, and `else`.
  case condition([ArcadeBranch], otherwise: ArcadeStatement?)
  case forLoop(ArcadeStatement?, ArcadeNode?, ArcadeNode?, ArcadeStatement, ArcadePlace)
  case forEach(ArcadeEach, ArcadeStatement)
  case whileLoop(ArcadeNode, ArcadeStatement, ArcadePlace)
  case leave(ArcadePlace)
  case next(ArcadePlace)
  case result(ArcadeNode?, ArcadePlace)
  case block([ArcadeStatement])
  case expression(ArcadeNode, ArcadePlace)
}

struct ArcadeVariable: Hashable, Sendable {
  var name: String
  var value: ArcadeNode?
  var place: ArcadePlace
}

struct ArcadeBranch: Hashable, Sendable {
  var condition: ArcadeNode
  var body: ArcadeStatement
  var place: ArcadePlace
}

/// `for (var name in values)`: the indices of an array, the keys of all else; with `of` the
/// elements.
struct ArcadeEach: Hashable, Sendable {
  var name: String
  var isDeclared: Bool
  var isOf: Bool
  var values: ArcadeNode
  var place: ArcadePlace
}

struct ArcadeDeclaration: Hashable, Sendable {
  var name: String
  var parameters: [ArcadeVariable]
  var body: [ArcadeStatement]
  var place: ArcadePlace
}
