import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbIO

/// Compares JSON values whose pairs of numbers are packed with the same values as lists.
@Suite struct JSONTreeTests {
  private func tree(
    _ text: String, memory: Int = .max, packsPairs: Bool = true
  ) throws -> JSONTree {
    try Array(text.utf8).withUnsafeBytes {
      try JSONTree($0, memory: memory, packsPairs: packsPairs)
    }
  }

  private static let numbers = [
    "1", "-7", "0", "2.5", "-0.25", "1e300", "1e999", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "12345678901234567890", "1.0", "-0.0",
  ]

  private func text(_ random: inout SeededGenerator, depth: Int) -> String {
    let count = Int.random(in: 0...4, using: &random)
    switch Int.random(in: 0...(depth > 0 ? 5 : 2), using: &random) {
    case 0: return Self.numbers.randomElement(using: &random)!
    case 1: return ["null", "true", "\"a\""].randomElement(using: &random)!
    case 2:
      let pair = (0..<2).map { _ in Self.numbers.randomElement(using: &random)! }
      return "[\(pair.joined(separator: ","))]"
    case 3:
      let members = (0..<count).map { "\"m\($0)\":\(text(&random, depth: depth - 1))" }
      return "{\(members.joined(separator: ","))}"
    default:
      let elements = (0..<count).map { _ in text(&random, depth: depth - 1) }
      return "[\(elements.joined(separator: ","))]"
    }
  }

  /// Only members of the outermost object are compared.
  @Test(arguments: [
    (#"{"a":1,"a":1}"#, true), (#"{"a":1,"\u0061":null}"#, true), (#"{"a":1,"A":1}"#, false),
    (#"{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}]}"#, false), (#"[{"a":1,"a":1}]"#, true),
  ])
  func repeatedMembersAreRefused(text: String, isRefused: Bool) throws {
    let read = Result {
      try Array(text.utf8).withUnsafeBytes { try JSONTree($0, allowsRepeats: false) }
    }
    #expect((try? read.get()) == nil ? isRefused : !isRefused)
    _ = try tree(text)
  }

  /// Objects that are kept as text are valid JSON, and only members of the outermost object are kept.
  @Test func sourcesAreKept() throws {
    func parse(_ text: String) throws -> JSONTree {
      try Array(text.utf8).withUnsafeBytes { try JSONTree($0, sources: ["a"]) }
    }
    let source = #"{ "z":1.0, "b":12345678901234567890, "b":"\u0061" }"#
    let tree = try parse(#"{"c":{"a":{"z":1}}, "\u0061" : \#(source) , "d":[2]}"#)
    let inner = JSONTree.object(["a": .object(["z": .integer(1)])])
    #expect(
      tree == .object(["a": .source(Array(source.utf8)), "c": inner, "d": .list([.integer(2)])]))
    #expect(try parse(#"{"a":[1,{"z":2}]}"#) == self.tree(#"{"a":[1,{"z":2}]}"#, packsPairs: false))
    for text in [#"{"a":{"b":01}}"#, #"{"a":{"b":1}"#, #"{"a":{"b":1}}}"#, #"{"a":{b:1}}"#] {
      #expect(throws: FormatError.self) { try parse(text) }
    }
  }

  /// A tree whose pairs are lists.
  private func unpacked(_ tree: JSONTree) -> JSONTree {
    switch tree {
    case .list, .pair, .integerPair: .list((tree.elements ?? []).map { unpacked($0) })
    case .object(let members): .object(members.mapValues { unpacked($0) })
    default: tree
    }
  }

  @Test func packedPairsAreTheSameValues() throws {
    var random = SeededGenerator(seed: 36)
    for _ in 0..<3000 {
      let text = text(&random, depth: 4)
      let (packed, plain) = (try tree(text), try tree(text, packsPairs: false))
      #expect(unpacked(packed) == plain, "\(text)")
      #expect(packed.bytes == plain.bytes && packed.what == plain.what, "\(text)")
    }
  }

  @Test(arguments: ["[18,-34]", "[18.5,-34.5]"])
  func pointsNeedLittleMemory(point: String) throws {
    let list = "[" + Array(repeating: point, count: 1000).joined(separator: ",") + "]"
    guard case .list(let points) = try tree(list, memory: 33_000) else {
      Issue.record("not a list")
      return
    }
    #expect(points.count == 1000 && MemoryLayout<JSONTree>.stride <= 24)
    #expect(throws: FormatError.self) { try tree(list, memory: 31_000) }
    #expect(throws: FormatError.self) { try tree(list, memory: 100_000, packsPairs: false) }
  }
}
