import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The front end adds the names of settings to messages; libraries do not use them.
@Suite struct MessageTemplateTests {
  @Test func `a setting is shown by its name, or by its itemName`() {
    let messageTemplate: MessageTemplate =
      "say it with \(.crs), as \(.crs, "EPSG:4326"), or \(3) times"
    #expect(messageTemplate.settings == [.crs, .crs])
    #expect(
      messageTemplate.description
        == "say it with the CRS, as the CRS, or 3 times")
    #expect(
      messageTemplate.text([.crs: "--crs"]) == "say it with --crs, as --crs EPSG:4326, or 3 times")
    #expect(messageTemplate.text([.layer: "--layer"]) == messageTemplate.description)
    #expect("a\(MessageTemplate("b"))\("c")" as MessageTemplate == MessageTemplate("a") + "bc")
  }

  @Test func `nouns and raw values differ, and name no flag`() {
    #expect(Setting.plainNames.count == Setting.allCases.count)
    #expect(Set(Setting.allCases.map(\.plainName)).count == Setting.allCases.count)
    #expect(Set(SourceUse.allCases.map(\.itemName)).count == SourceUse.allCases.count)
    for itemName in Setting.allCases.map(\.plainName) + SourceUse.allCases.map(\.itemName) {
      #expect(!itemName.isEmpty && !itemName.contains("-"))
    }
    for code in FailureCode.allCases {
      #expect(code.rawValue.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
    }
  }

  @Test func `an error keeps its code, remedies and context in other errors`() throws {
    let inner = FormatError(
      "no columns", line: 3, code: .notFound, remedies: ["name them with \(.xColumn)"])
    let error = PlumbError("row 7", inner, context: FailureContext(file: "p.csv", row: 7))
    #expect(error.code == .notFound)
    #expect(error.message == "row 7: no columns (line 3)")
    #expect(error.remedies == inner.remedies)
    #expect(error.context == FailureContext(file: "p.csv", row: 7, line: 3))
    #expect(error.cause is FormatError)
    #expect(error.summary == "row 7: no columns (line 3); name them with the column of x")
    #expect(error.line.text([.xColumn: "--x"]).hasSuffix("(line 3); name them with --x"))
    let layer = LayerError(code: .loadFailed, error).of("rivers")
    #expect(layer.code == .loadFailed && layer.remedies == inner.remedies)
    #expect(layer.summary == "rivers: " + error.summary)
    #expect((layer.cause as? PlumbError)?.code == .notFound)
    #expect(layer.localizedDescription == layer.summary)
  }

  @Test func `every error has a code`() throws {
    let absent = #expect(throws: (any Error).self) { try Raster.open("/absent/x.tif") }
    #expect((absent as? any PlumbFailure)?.code == .notFound)
    #expect((absent as? any PlumbFailure)?.context.file == "/absent/x.tif")
    let expression = #expect(throws: ExpressionError.self) { try FeatureEvaluation("1 +") }
    #expect(expression?.code == .badExpression && expression?.context.line == 1)
    let folder = try TemporaryFolder()
    let file = try folder.write("old.csv", "x")
    let old = #expect(throws: PlumbError.self) { try ResultOutput(path: file) }
    #expect(old?.code == .exists && old?.remedies == ["\(.overwrite) replaces it"])
  }

  /// The lines of a Swift file with strings that name a flag of the command; comments are ignored.
  private static func flags(in text: String) -> [String] {
    let flag = /--[a-z]|"-[a-z] |[ "\\(]-o[ "),;]/
    return text.split(separator: "\n").map(String.init).filter { line in
      let words = line.drop { $0 == " " }
      guard words.contains("\""), !words.hasPrefix("//") else {
        // A multi-line string literal does not contain quotes.
        return !words.hasPrefix("//") && words.contains(/(^|[^a-z])--[a-z]/)
      }
      return words.prefix(upTo: words.range(of: " // ")?.lowerBound ?? words.endIndex)
        .contains(flag)
    }
  }

  @Test func `no text of a library names a flag or a verb of the command`() throws {
    #expect(Self.flags(in: "throw E(\"say it with --crs\")").count == 1)
    #expect(Self.flags(in: "  throw E(\"write it with -o FILE\")").count == 1)
    #expect(Self.flags(in: "/// say it with `--crs`").isEmpty)
    #expect(Self.flags(in: "count -= 1  // as \"--crs\" says").isEmpty)
    let sources = TestPaths.root + "/Sources"
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: sources)
    where name.hasSuffix(".swift") && !name.hasPrefix("PlumbCommand/")
      && !name.hasPrefix("PlumbServer/") && name != "PlumbVerbs/Options/FrontEnd.swift"
    {
      count += 1
      let text = try String(contentsOfFile: sources + "/" + name, encoding: .utf8)
      for line in Self.flags(in: text) { Issue.record("\(name): \(line)") }
      #expect(!text.contains("\"plumb "), "\(name) names the command")
    }
    #expect(count > 300)
  }
}
