/// The types that a Swift file declares for other files, and the types that it names. The file is
/// parsed without the compiler: comments and string literals are omitted, interpolated code is
/// included.
struct SourceOutline {
  /// Top-level types of the file, and types that an extension adds to another type; without private
  /// types.
  private(set) var declared: Set<String> = []
  /// Capitalized names that are not members of the preceding name.
  private(set) var named: Set<String> = []

  private enum Scope {
    case type, `extension`, other
  }

  private static let typeWords: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "typealias",
  ]
  /// Keywords of declarations other than types.
  private static let otherWords: Set<String> = [
    "var", "let", "func", "init", "subscript", "case", "import", "extension",
  ]

  init(_ text: String) {
    var scopes: [Scope] = []
    var next = Scope.other
    var (isPrivate, isDeclaration) = (false, false)
    var before: SourceToken?
    for (token, _) in SourceToken.tokens(of: text) {
      defer { before = token }
      switch token {
      case .symbol(UInt8(ascii: "{")):
        scopes.append(next)
        next = .other
      case .symbol(UInt8(ascii: "}")): _ = scopes.popLast()
      case .symbol: break
      case .word(let word):
        if isDeclaration, !Self.otherWords.contains(word) {
          if !isPrivate, scopes.isEmpty || scopes == [.extension] { declared.insert(word) }
          (isPrivate, isDeclaration) = (false, false)
          continue
        }
        isDeclaration = false
        if before == .symbol(UInt8(ascii: ".")) { continue }
        if word == "private" || word == "fileprivate" { isPrivate = true }
        if Self.typeWords.contains(word) {
          (isDeclaration, next) = (true, .type)
        } else if Self.otherWords.contains(word) {
          (isPrivate, next) = (false, word == "extension" ? .extension : .other)
        } else if word.first?.isUppercase == true {
          named.insert(word)
        }
      }
    }
  }
}
