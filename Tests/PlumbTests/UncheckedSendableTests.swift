import Foundation
import PlumbTestSupport
import Testing

/// Uses of unchecked concurrency: they are few, and each states a reason.
@Suite struct UncheckedSendableTests {
  /// The lines of a file that bypass the compiler's check, and whether the comment directly above
  /// contains an invariant.
  private static func claims(_ text: String) -> [(line: Int, hasInvariant: Bool)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.drop { $0 == " " }
    }
    return lines.indices.compactMap { index in
      guard !lines[index].hasPrefix("//"),
        lines[index].contains("@unchecked Sendable")
          || lines[index].contains("nonisolated(unsafe)")
      else { return nil }
      let above = lines[..<index].reversed().drop { $0.hasPrefix("@") }
        .prefix { $0.hasPrefix("//") }
      return (index + 1, above.contains { $0.contains("Invariant: ") })
    }
  }

  @Test func fewAndEachWithItsInvariant() throws {
    let sources = TestPaths.root + "/Sources"
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: sources)
    where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: sources + "/" + name, encoding: .utf8)
      for claim in Self.claims(text) {
        count += 1
        #expect(claim.hasInvariant, "\(name):\(claim.line) does not say what keeps it safe")
      }
    }
    #expect((1...16).contains(count), "\(count) claims that the compiler does not check")
  }

  @Test func claimsAreFound() {
    let text = """
      /// A cache.
      ///
      /// - Invariant: one thread
      ///   at a time.
      @frozen
      final class A: @unchecked Sendable {
        // Written once.
        nonisolated(unsafe) var b = 1
      }
      // - Invariant: too far away.

      struct C: @unchecked Sendable {}
      """
    #expect(Self.claims(text).map(\.line) == [6, 8, 12])
    #expect(Self.claims(text).map(\.hasInvariant) == [true, false, false])
  }
}
