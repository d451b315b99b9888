import PlumbIO

/// A parameter of an ArcGIS REST operation, and the use of its value.
struct RESTParameter: Sendable {
  enum Use: Sendable {
    /// The value is used.
    case used
    /// Any value is accepted, because the parameter does not change rows, values or pixels.
    case ignored
    /// The parameter would change rows, values or pixels, so only a value without effect is
    /// accepted.
    case refused(Default)
  }

  /// The values without effect, in addition to an empty value.
  enum Default: Sendable {
    /// No value, not even an empty list.
    case none
    /// An empty list or object, or null.
    case nothing
    /// One of several words, regardless of case.
    case words([String])
    case flag(Bool)
    case number(Double)
    /// A rendering rule without a function, or with the function `None`.
    case noFunction
  }

  /// The name in Esri's spelling; requests may use any case.
  let name: String
  let use: Use
  /// The reason why the parameter is ignored or refused, without a full stop; empty for a used
  /// parameter.
  let reason: String

  var isUsed: Bool { if case .used = use { true } else { false } }

  /// - Parameter text: the trimmed value.
  /// - Returns: nil for an accepted value.
  func failure(_ text: String) -> ServiceError? {
    guard case .refused(let usual) = use, !text.isEmpty, !usual.accepts(text) else { return nil }
    return ServiceError(
      "'\(name)' parameter is not supported: \(reason); leave it out"
        + (usual.advice.map { " or send \($0)" } ?? ""))
  }
}

extension RESTParameter.Default {
  fileprivate func accepts(_ text: String) -> Bool {
    if case .none = self { return false }
    if ["{}", "[]", "null"].contains(text.lowercased()) { return true }
    switch self {
    case .none, .nothing: return false
    case .words(let words): return words.contains { $0.lowercased() == text.lowercased() }
    case .flag(let flag):
      let known = try? Parameters(["flag": text]).flag("flag")
      return known == flag
    case .number(let number): return Double(plain: text) == number
    case .noFunction:
      if text.lowercased() == "none" { return true }
      guard let tree = try? JSONTree.of(LenientJSON.quoted(text), ""), case .object = tree else {
        return false
      }
      guard let function = tree.member("rasterFunction") else {
        return tree.member("rasterFunctionDefinition") == nil
          && tree.member("functionName") == nil
      }
      return function.text?.lowercased() == "none"
    }
  }

  /// The accepted values for messages and documentation; nil if only an empty value is accepted.
  var advice: String? {
    switch self {
    case .none, .nothing: nil
    case .words(let words): words.joined(separator: " or ")
    case .flag(let flag): flag ? "true" : "false"
    case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .noFunction: "{\"rasterFunction\":\"None\"}"
    }
  }
}

/// Functions that create the tables of parameters.
extension RESTParameter {
  static func used(_ names: String...) -> [RESTParameter] {
    names.map { RESTParameter(name: $0, use: .used, reason: "") }
  }

  static func ignored(_ name: String, _ reason: String) -> [RESTParameter] {
    [RESTParameter(name: name, use: .ignored, reason: reason)]
  }

  static func refused(
    _ name: String, _ reason: String, _ usual: Default = .nothing
  ) -> [RESTParameter] {
    [RESTParameter(name: name, use: .refused(usual), reason: reason)]
  }
}
