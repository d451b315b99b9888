import PlumbCore
import Testing

@testable import PlumbExpressions

/// Runs programs in tests.
enum ArcadeTesting {
  static let small = ArcadeLimits(steps: 20_000, bytes: 1 << 18, callDepth: 24)

  static func value(
    _ text: String, _ globals: [(String, ArcadeValue)] = [],
    limits: ArcadeLimits = ArcadeLimits()
  ) throws(ExpressionError) -> ArcadeValue {
    let program = try ArcadeProgram(text, globals: globals.map(\.0))
    return try ArcadeEvaluator(program, limits: limits)
      .evaluate(globals.map(\.1), now: ArcadeDate(milliseconds: 0))
  }

  /// The value as JSON, with strings in quotes and NaN and infinities by name, so that kinds can be
  /// distinguished.
  static func shown(
    _ text: String, _ globals: [(String, ArcadeValue)] = []
  ) throws(ExpressionError) -> String {
    let value = try value(text, globals)
    if case .number(let number) = value { return ArcadeNumber.text(number) }
    var writer = ArcadeJSONWriter(byteLimit: 1 << 20)
    writer.append(value)
    return writer.text
  }

  /// The error of a program, when checked or evaluated; nil if there is none.
  static func failure(_ text: String, _ globals: [(String, ArcadeValue)] = []) -> String? {
    do throws(ExpressionError) {
      _ = try value(text, globals)
      return nil
    } catch {
      return error.message
    }
  }

  static var feature: ArcadeValue {
    .feature(
      ArcadeFeature(
        fields: ArcadeFields(["Name", "Height", "Empty", "Open"]),
        attributes: [.text("Oak"), .number(12.5), .null, .boolean(true)],
        geometry: .point(Point(x: 24.5, y: 60.25, spatialReference: .wgs84))))
  }
}

/// A program and its value in the format of `ArcadeTesting.shown`.
struct ArcadeCase: CustomTestStringConvertible, Sendable {
  var program: String
  var value: String

  init(_ program: String, _ value: String) {
    self.program = program
    self.value = value
  }

  var testDescription: String { program }
}
