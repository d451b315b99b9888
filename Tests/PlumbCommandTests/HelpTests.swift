import Foundation
import PlumbTestSupport
import Testing

/// The help of the verbs: order, grammar, and working examples.
struct HelpTests {
  private static let verbs = ["identify", "buffer", "trace", "monitor", "eval", "info"]

  private func help(_ verb: String) throws -> [String] {
    let run = try plumb([verb, "--help"])
    #expect(run.status == 0 && run.errors.isEmpty)
    return run.lines.map { String($0) }
  }

  @Test(arguments: verbs)
  func `inputs are first and outputs near the end`(verb: String) throws {
    let titles = ["ARGUMENTS:", "INPUT:", "OUTPUT:", "RUN:", "OPTIONS:"]
    let found = try help(verb).filter { $0.hasSuffix(":") && $0 == $0.uppercased() }
    #expect(found.filter(titles.contains) == titles.filter(found.contains), "\(found)")
    if found.contains("OUTPUT:") { #expect(found.suffix(3) == ["OUTPUT:", "RUN:", "OPTIONS:"]) }
    #expect(found.first == (verb == "monitor" ? "INPUT:" : "ARGUMENTS:"))
  }

  /// The text after an option in a verb's help, its lines joined; nil if there is none.
  private func text(of option: String, _ verb: String) throws -> String? {
    let lines = try help(verb)
    guard
      let start = lines.firstIndex(where: {
        $0.hasPrefix("  -")
          && $0.split(separator: " ").prefix(2).contains { word in
            word == option || word == option + ","
          }
      })
    else { return nil }
    let end = lines[(start + 1)...].firstIndex { !$0.hasPrefix("      ") } ?? lines.endIndex
    return lines[start..<end].joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  @Test(arguments: [
    "--threads", "-q", "-o", "--overwrite", "--encoding", "--allow-outside",
  ])
  func `an option has the same meaning in every verb that has it`(option: String) throws {
    let texts = try Self.verbs.compactMap { try text(of: option, $0) }
    #expect(texts.count > 1 && Set(texts).count == 1, "\(texts)")
  }

  @Test(arguments: verbs)
  func `every option except help's own is under a title`(verb: String) throws {
    let lines = try help(verb)
    let start = try #require(lines.firstIndex(of: "OPTIONS:"))
    let options = lines[(start + 1)...].filter { $0.hasPrefix("  -") }
    #expect(options.map { $0.split(separator: " ")[0] } == ["--version", "-h,"], "\(options)")
  }

  @Test func `word values have one spelling in the help, and other spellings are accepted`() throws
  {
    for verb in Self.verbs {
      for line in try help(verb).joined(separator: " ").split(separator: " ")
      where line.contains(/^[a-z]+[A-Z][A-Za-z]+[,.]?$/) {
        // Esri's names of members and inputs are unchanged.
        #expect(
          ["fenceId", "includesAny(attribute,", "bits)"].contains(String(line).trimmed),
          "\(verb): \(line)")
      }
    }
    for rule in ["enter-or-exit", "enterOrExit", "ENTER_OR_EXIT"] {
      let run = try plumb(
        [
          "monitor", "--feed", TestPaths.rasters + "/walk.csv", "--fences",
          TestPaths.rasters + "/garden_sections.geojson", "-q", "--rule", rule,
        ])
      #expect(run.status == 0, "\(run)")
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: TestPaths.rasters), "no rasters/"),
    arguments: verbs.filter { $0 != "eval" })
  func `the examples work`(verb: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("rasters"), withDestinationPath: TestPaths.rasters)
    let start = "plumb \(verb) "
    let lines = try help(verb)
    let overview = lines.prefix { !$0.hasPrefix("USAGE:") }.joined(separator: "\n")
    // A line that ends with a backslash continues on the next one.
    let examples = overview.replacing("\\\n", with: " ").split(separator: "\n")
      .filter { $0.hasPrefix(start) }
    #expect((2...3).contains(examples.count), "\(lines)")
    for example in examples {
      let run = try shell("\"$PLUMB\" " + example.dropFirst("plumb ".count), folder: folder.path)
      #expect(run.status == 0 && !run.errors.contains("plumb: warning"), "\(example) \(run)")
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: CharacterSet(charactersIn: ",.")) }
}
