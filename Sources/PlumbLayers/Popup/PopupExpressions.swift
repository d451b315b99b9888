import PlumbCore
import PlumbExpressions

/// The expressions used by a layer's popups, compiled once and evaluated element by element. Must be used by
/// one thread at a time.
final class PopupExpressions {
  /// The limits of an evaluation, which are low because a user waits for the popup.
  static let limits = ArcadeLimits(steps: 1_000_000, bytes: 8 << 20, callDepth: 64)

  private struct Compiled {
    let expression: PopupDefinition.Expression
    let format: PopupDefinition.NumberFormat?
    /// The evaluator; nil if the expression does not compile.
    let evaluator: ArcadeEvaluator?
    let readsFeature: Bool
    /// The first failure, and the number of elements for which the expression failed.
    var failure: ExpressionError?
    var failureCount = 0
  }

  private var compiled: [Compiled] = []
  /// The errors of expressions that do not compile, one line each.
  private var mistakes: [String] = []
  private var fields = ArcadeFields([])
  /// Whether an expression reads the attributes or the shape of the element.
  let readsFeature: Bool

  /// - Returns: nil if the popup uses none of its expressions.
  init?(_ popup: PopupDefinition) {
    let named = popup.expressions.named(by: popup)
    guard !named.isEmpty else { return nil }
    for expression in named {
      let format = popup.fields.first {
        PopupDefinition.expression($0.name, in: [expression]) != nil
      }
      do throws(ExpressionError) {
        let program = try ArcadeProgram(expression.expression, globals: ["$feature"])
        compiled.append(
          Compiled(
            expression: expression, format: format?.format,
            evaluator: ArcadeEvaluator(program, limits: Self.limits),
            readsFeature: !program.usedGlobals.isEmpty))
      } catch {
        mistakes.append(Self.line(expression, error))
        compiled.append(
          Compiled(expression: expression, format: nil, evaluator: nil, readsFeature: false))
      }
    }
    readsFeature = compiled.contains(where: \.readsFeature)
  }

  private static func line(
    _ expression: PopupDefinition.Expression, _ error: ExpressionError
  ) -> String {
    "popup: the expression \(expression.name.printable): \(error.message)"
  }

  /// The warnings about the expressions so far, one line each: the compilation error, or the first
  /// failure and the number of elements that failed.
  var warnings: [String] {
    mistakes
      + compiled.compactMap { one in
        guard let failure = one.failure else { return nil }
        let others = one.failureCount > 1 ? ", the first of \(one.failureCount) elements" : ""
        return Self.line(one.expression, failure) + others
      }
  }

  /// Returns the expressions' values as strings, by name; the string is empty if the expression fails or is
  /// null.
  ///
  /// - Parameter element: an element with its shape in the displayed CRS.
  func texts(of element: GeoElement) -> [(name: String, text: String)] {
    var feature: ArcadeFeature?
    if readsFeature {
      let names = element.attributeNames
      if fields.names != names { fields = ArcadeFields(names) }
      feature = element.arcadeFeature(fields)
    }
    let now = Self.now
    return compiled.indices.map { index in
      (compiled[index].expression.name, text(index, feature, now))
    }
  }

  private func text(_ index: Int, _ feature: ArcadeFeature?, _ now: ArcadeDate) -> String {
    let one = compiled[index]
    guard let evaluator = one.evaluator else { return "" }
    do throws(ExpressionError) {
      // Expressions cannot change the element.
      let value = try evaluator.evaluate([feature.map { .feature($0) } ?? .null], now: now)
      return one.expression.returnType.text(of: value, one.format)
    } catch {
      compiled[index].failure = one.failure ?? error
      compiled[index].failureCount += 1
      return ""
    }
  }

  private static var now: ArcadeDate { ArcadeDate(milliseconds: WallClock.milliseconds) }
}

extension PopupDefinition {
  /// Returns the expression for `expression/NAME`, matched exactly or, if there is no exact match,
  /// case-insensitively; nil for the name of a field.
  static func expression(_ name: String, in expressions: [Expression]) -> Expression? {
    guard let slash = name.firstIndex(of: "/"), name[..<slash].lowercased() == "expression" else {
      return nil
    }
    let expressionName = name[name.index(after: slash)...]
    return expressions.first { $0.name == expressionName }
      ?? expressions.first { $0.name.lowercased() == expressionName.lowercased() }
  }
}

extension [PopupDefinition.Expression] {
  /// The expressions that a popup uses in its title, its text, a visible field, an image or a
  /// chart.
  fileprivate func named(by popup: PopupDefinition) -> Self {
    var named: [String] = popup.fields.filter(\.isVisible).map(\.name)
    named += popup.media.flatMap(\.fields)
    for template in [popup.title, popup.text] + popup.media.flatMap(\.templates) {
      for piece in PopupTemplate(template).pieces {
        if case .name(let name) = piece { named.append(name) }
      }
    }
    let used = Set(named.compactMap { PopupDefinition.expression($0, in: self)?.name })
    var seen: Set<String> = []
    return filter { used.contains($0.name) && seen.insert($0.name).inserted }
  }
}

extension PopupDefinition.Expression.ReturnType? {
  /// Returns the text of a value in a popup. A number is written in the field's format, unless the
  /// return type is a string.
  fileprivate func text(
    of value: ArcadeValue, _ format: PopupDefinition.NumberFormat?
  ) -> String {
    guard let format, self != .string else { return value.asText }
    var number: Double?
    switch value {
    case .number(let numberValue): number = numberValue
    case .text(let text) where self == .number: number = Double(text)
    default: break
    }
    return number.flatMap { format.text(of: $0.description) } ?? value.asText
  }
}
