import Foundation
@testable import Plumb
import PlumbTestSupport
@testable import PlumbVerbs
import Testing

/// Compares the pages and headers that list options with the tables. If PLUMB_WRITE_PAGES=1 is set,
/// the pages and headers are written.
@Suite struct OptionPageTests {
  private static let pagePath = TestPaths.root + "/Sources/Plumb/Plumb.docc/options.md"
  private static let headerPath = TestPaths.root + "/Sources/PlumbC/include/plumb.h"

  private static let page =
    """
    # Options of the verbs

    The options that the command, C and Python, and the server's plain JSON have in common.

    ## Overview

    This page is generated from the tables that check requests. An option has one spelling in each front end:
    `--filter-category` of `plumb`, `filter_category` of C and Python, and `"filter-category"` under `/api` and in the file of
    a server's monitor.
    The case of words is ignored, and hyphens are optional. In JSON, an option that may be repeated also accepts a single string, and a member that is null is ignored.


    """ + section("identify", Identify.options) + "\n"
    + list(Identify.Part.allCases.map { part($0.rawValue, $0.options, $0.frontEnd) }) + "\n"
    + section("zonal", Zonal.options) + "\n"
    + section("trace", Trace.options) + "\n"
    + list(Trace.Part.allCases.map { part($0.rawValue, $0.options, .library) }) + "\n"
    + section("buffer", Buffer.options) + "\n" + section("monitor", Monitor.options) + "\n"
    + list(Monitor.Part.allCases.map { part($0.rawValue, $0.options, .library) }) + "\n"
    + section("info", Info.options) + "\n" + section("draw", Draw.options) + "\n"
    + section("stack", Stack.options) + "\n"
    + section("eval", Eval.options) + "\n" + section("locate", Locate.options)

  private static func list(_ parts: [String]) -> String {
    (["Functions and addresses that take a subset of the options:", ""] + parts)
      .joined(separator: "\n") + "\n"
  }

  /// The options of a function or address that has some of a verb's options.
  private static func part<Request>(
    _ name: String, _ table: OptionTable<Request>, _ frontEnd: FrontEnd
  ) -> String {
    let names = table.options(of: frontEnd).map { "`\(frontEnd.spelling(of: $0.option))`" }
    return "- `\(name)`: \(names.joined(separator: ", "))."
  }

  private static func section<Request>(
    _ verb: String, _ table: OptionTable<Request>
  ) -> String {
    let without = Self.missing(table)
    var lines = ["## \(verb)", ""]
    for (frontEnd, reason) in without.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines += ["Not \(place(frontEnd, verb)): \(reason).", ""]
    }
    lines += ["| option | value | |", "|---|---|---|"]
    for option in table.options {
      let stem = option.option.rawValue
      let library = FrontEnd.library.spelling(of: option.option)
      let name =
        switch option.option {
        case .output: "`-o`, `output`"
        case .format: "`--of`, `format`"
        case .band, .resampling, .rasterFence, .noInitial: "`\(stem)`; in C and Python `\(library)`"
        default: "`\(stem)`"
        }
      var help = option.helpWithDefault.text(FrontEnd.service.allSpellings)
      if case .number(let range) = option.kind, !range.unit.isEmpty {
        help += " In \(range.unit)."
      }
      for (frontEnd, words) in option.missingWords.sorted(by: { $0.key.rawValue < $1.key.rawValue })
      {
        for (word, reason) in words.sorted(by: <) {
          help += " Not \(word) \(place(frontEnd, verb)): \(reason)."
        }
      }
      for (frontEnd, reason) in option.missing.sorted(by: { $0.key.rawValue < $1.key.rawValue })
      where without[frontEnd] == nil {
        help += " Not \(place(frontEnd, verb)): \(reason)."
      }
      lines.append("| \(name) | \(value(option)) | \(help) |")
    }
    if !table.rules.isEmpty { lines += ["", "Rules:", ""] }
    for rule in table.rules { lines.append("- \(text(rule))") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The front ends that do not offer any option of a verb, with the common reason.
  private static func missing<Request>(_ table: OptionTable<Request>) -> [FrontEnd: String] {
    var result: [FrontEnd: String] = [:]
    for frontEnd in FrontEnd.allCases {
      let reasons = Set(table.options.map { $0.missing[frontEnd] })
      if reasons.count == 1, let reason = reasons.first ?? nil { result[frontEnd] = reason }
    }
    return result
  }

  private static func place(_ frontEnd: FrontEnd, _ verb: String) -> String {
    switch frontEnd {
    case .command: "in the command"
    case .library: "in C and Python"
    case .service: verb == "monitor" ? "in a server's monitor" : "under `/api`"
    }
  }

  private static func value<Request>(_ option: VerbOption<Request>) -> String {
    switch option.kind {
    case .flag: "flag"
    case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    default: "*\(option.valueName)*"
    }
  }

  private static func text(_ rule: OptionRule) -> String {
    func code(_ options: [Setting]) -> String {
      options.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
    return switch rule {
    case .excludes(let first, let second, _): "\(code([first])) excludes \(code([second]))."
    case .replaces(let option, let others): "\(code([option])) excludes \(code(others))."
    case .needsOne(let options):
      options.count == 1
        ? "\(code(options)) is required." : "At least one of \(code(options)) is required."
    case .needsExactlyOne(let options): "Exactly one of \(code(options)) is required."
    case .needAny(let options, let others):
      "\(code(options)) \(options.count == 1 ? "needs" : "need") "
        + (others.count == 1 ? "" : "one of ") + "\(code(others))."
    case .needs(let option, let other, _): "\(code([option])) needs \(code([other]))."
    case .valueNeeds(let option, let value, let other, _):
      "\(code([option])) `\(value)` needs \(code([other]))."
    case .valueNeedsCount(let option, let value, let other, let count):
      "\(code([option])) `\(value)` needs exactly \(count) values of \(code([other]))."
    case .onlyWith(let option, let other, let value):
      "\(code([option])) needs \(code([other])) `\(value)`."
    case .notWith(let option, let other, let values, _):
      "\(code([option])) excludes \(code([other])) \(values.map { "`\($0)`" }.joined(separator: " or "))."
    case .valueNotWith(let option, let value, let other):
      "\(code([option])) `\(value)` excludes \(code([other]))."
    }
  }

  /// The option list of a function in the C header, one option per line.
  private static func header<Request>(_ table: OptionTable<Request>) -> String {
    var text = "   options: {\n"
    for option in table.options(of: .library) {
      let name = FrontEnd.library.spelling(of: option.option)
      let words = option.words(of: .library)
      let value =
        switch option.kind {
        case .flag where option.option == .noInitial: "true"
        case .flag, .table: "false"
        case .box: "[xmin, ymin, xmax, ymax]"
        case .number, .integer, .bytes, .limit: option.headerNumber
        case .integers: "[1]"
        case .word:
          String(decoding: (option.defaultValue ?? .text(option.valueName)).bytes, as: UTF8.self)
        case .texts: "[\"\(option.valueName)\"]"
        default: "\"\(option.valueName)\""
        }
      let start = "     \"\(name)\": \(value)"
      var help = option.help(for: .library).text(FrontEnd.library.spellings)
      if case .number(let range) = option.kind, !range.unit.isEmpty, !help.contains(range.unit) {
        help += " In \(range.unit)."
      }
      if case .bytes = option.kind { help += " In bytes." }
      if !words.isEmpty {
        help += " One of \(words.joined(separator: ", ")); case and hyphens are ignored."
      }
      text += wrapped(
        start.padding(toLength: max(30, start.count + 1), withPad: " ", startingAt: 0), help)
    }
    return text + "   }"
  }

  private static func wrapped(_ start: String, _ text: String) -> String {
    var result = ""
    var line = start
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > 98 {
        result += line.replacing(#/ +$/#, with: "") + "\n"
        line = String(repeating: " ", count: 30)
      }
      line += (line.hasSuffix(" ") ? "" : " ") + word
    }
    return result + line + "\n"
  }

  private static func check(_ path: String, _ expected: String) throws {
    if ProcessInfo.processInfo.environment["PLUMB_WRITE_PAGES"] != nil {
      try expected.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let expectedText = try String(contentsOfFile: path, encoding: .utf8)
    #expect(expectedText == expected, "run this test with PLUMB_WRITE_PAGES=1")
  }

  @Test func `the page has the options of the tables`() throws {
    try Self.check(Self.pagePath, Self.page)
  }

  /// Replaces the option list before a function.
  private static func replaceList(
    in header: inout String, of function: String, _ list: String
  ) throws {
    let end = try #require(header.range(of: "int \(function)("))
    let start = try #require(
      header.range(
        of: "   options: {\n", options: .backwards,
        range: header.startIndex..<end.lowerBound))
    let close = try #require(
      header.range(of: "\n   }", range: start.lowerBound..<end.lowerBound))
    header.replaceSubrange(start.lowerBound..<close.upperBound, with: list)
  }

  @Test func `the C header has the options of the tables`() throws {
    var header = try String(contentsOfFile: Self.headerPath, encoding: .utf8)
    for part in Trace.Part.allCases {
      try Self.replaceList(in: &header, of: part.rawValue, Self.header(part.options))
    }
    for part in Identify.Part.allCases where part.frontEnd == .library {
      try Self.replaceList(in: &header, of: part.rawValue, Self.header(part.options))
    }
    for part in Monitor.Part.allCases {
      try Self.replaceList(in: &header, of: part.rawValue, Self.header(part.options))
    }
    try Self.replaceList(in: &header, of: "plumb_info", Self.header(Info.options))
    try Self.replaceList(in: &header, of: "plumb_buffer", Self.header(Buffer.options))
    try Self.replaceList(in: &header, of: "plumb_zonal", Self.header(Zonal.options))
    try Self.check(Self.headerPath, header)
  }
}

extension VerbOption {
  /// The option's number in C's option lists.
  fileprivate var headerNumber: String {
    if case .integer(let number)? = defaultValue { return "\(number)" }
    return switch option {
    case .scale: "50000"
    case .maxDeviation: "0.5"
    case .coverageThreshold: "0"
    default: "N"
    }
  }
}
