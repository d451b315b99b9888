import PlumbCore
import Testing

@testable import PlumbExpressions

/// The context of single function calls, with a fixed time and budgets.
final class CallContext: ArcadeContext {
  let now: ArcadeDate
  private var steps: Int
  private var bytes: Int
  private(set) var stepsSpent = 0

  init(now: Int64 = 1_477_411_391_000, steps: Int = 50_000_000, bytes: Int = 500_000_000) {
    self.now = ArcadeDate(milliseconds: now)
    self.steps = steps
    self.bytes = bytes
  }

  func spend(steps: Int, bytes: Int) throws(ArcadeFailure) {
    #expect(steps >= 0 && bytes >= 0, "a budget does not grow")
    guard steps <= self.steps, bytes <= self.bytes else { throw ArcadeFailure("over budget") }
    self.steps -= steps
    self.bytes -= bytes
    stepsSpent += steps
  }

  func call(
    _ function: ArcadeCallable, _ values: [ArcadeValue]
  ) throws(ArcadeFailure) -> ArcadeValue {
    throw ArcadeFailure("no functions here")
  }
}

/// Calls a function of strings, dates or geometries, as a program would.
@discardableResult
func arcade(
  _ name: String, _ values: ArcadeValue..., context: CallContext = CallContext()
) throws -> ArcadeValue {
  try arcade(name, values, context)
}

func arcade(
  _ name: String, _ values: [ArcadeValue], _ context: CallContext
) throws -> ArcadeValue {
  let all = ArcadeFunction.texts + ArcadeFunction.dates + ArcadeFunction.geometries
  let function = try #require(all.first { $0.name == name }, "no function \(name)")
  try #require(function.counts.contains(values.count), "\(name) takes \(function.counts)")
  return try function.body(ArcadeArguments(values, context))
}

/// A value in the tests' notation.
extension ArcadeValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(arrayLiteral elements: ArcadeValue...) { self = .array(ArcadeArray(elements)) }
  public init(dictionaryLiteral elements: (String, ArcadeValue)...) {
    let dictionary = ArcadeDictionary()
    for (key, value) in elements { dictionary[key] = value }
    self = .dictionary(dictionary)
  }
}

/// Whether all elements are equal, in order.
func same(_ a: ArcadeValue, _ b: ArcadeValue) -> Bool {
  switch (a, b) {
  case (.array(let a), .array(let b)):
    a.elements.count == b.elements.count && zip(a.elements, b.elements).allSatisfy(same)
  case (.number(let a), .number(let b)) where a.isNaN: b.isNaN
  default: a.isEqual(to: b)
  }
}
