import Foundation
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// The user documentation lists exactly the functions that exist, each in its family and with its
/// number of parameters.
@Suite struct ArcadePageTests {
  private struct Entry: Hashable {
    var family: String
    var counts: ClosedRange<Int>
  }

  /// `Round(x, points?)` as 1...2, `Max(x, ...)` as 1 or more.
  private static func counts(_ values: Substring) -> ClosedRange<Int> {
    let words = values.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let named = words.filter { $0 != "..." }
    let minimum = named.filter { !$0.hasSuffix("?") }.count
    return minimum...(named.count < words.count ? Int.max : named.count)
  }

  private static func entries() throws -> [String: Entry] {
    let page = try String(
      contentsOfFile: TestPaths.root + "/Sources/Plumb/Plumb.docc/expressions.md",
      encoding: .utf8)
    var entries: [String: Entry] = [:]
    var family = ""
    for line in page.split(separator: "\n") {
      if line.hasPrefix("#") { family = "" }
      if line.hasPrefix("### ") { family = line.dropFirst(4).lowercased() }
      guard !family.isEmpty, line.hasPrefix("| `"),
        let first = line.split(separator: "|").first
      else { continue }
      for call in first.split(separator: "`") {
        guard let open = call.firstIndex(of: "("), call.hasSuffix(")") else { continue }
        let name = call[..<open].trimmingCharacters(in: .whitespaces)
        let values = call[call.index(after: open)...].dropLast()
        let isNew = entries.updateValue(
          Entry(family: family, counts: counts(values)), forKey: name)
        #expect(isNew == nil, "\(name) is listed twice")
      }
    }
    return entries
  }

  @Test func `every function is on the page, and no other`() throws {
    let entries = try Self.entries()
    for function in Set(ArcadeFunction.all.map(\.name)) {
      let entry = try #require(entries[function], "\(function) is missing")
      let known = try #require(ArcadeFunction.named(function))
      #expect(entry.family == known.family.rawValue, "\(function)")
      #expect(entry.counts == known.counts, "\(function)")
    }
    for name in entries.keys { #expect(ArcadeFunction.named(name)?.name == name, "\(name)") }
    #expect(entries.count > 100)
  }
}
