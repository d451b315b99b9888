import Foundation
import PlumbTestSupport
import Testing

/// Public declarations have documentation comments. `Tests/check-docs` checks the same with the
/// compiler, and builds the pages.
@Suite struct DocumentationTests {
  /// Requirements that the protocol's own comment describes: those of Equatable, Comparable,
  /// Hashable, Encodable, CustomStringConvertible, LocalizedError and PlumbFailure.
  private static let witnesses: Set<String> = [
    "==", "<", "hash", "encode", "description", "errorDescription", "summary",
  ]

  private static func undocumented(_ text: String) throws -> [PublicDeclarations.Declaration] {
    try PublicDeclarations(text).all.filter { !$0.isDocumented && !witnesses.contains($0.name) }
  }

  @Test func everyPublicDeclarationIsDescribed() throws {
    let sources = TestPaths.root + "/Sources"
    var count = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources).sorted()
    where path.hasSuffix(".swift") && path.hasPrefix("Plumb") && !path.hasPrefix("PlumbCommand/") {
      let text = try String(contentsOfFile: sources + "/" + path, encoding: .utf8)
      count += try PublicDeclarations(text).all.count
      for declaration in try Self.undocumented(text) {
        Issue.record("\(path):\(declaration.line): \(declaration.text) has no comment")
      }
    }
    // Checks that declarations were found.
    #expect(count > 2000)
  }

  @Test func everyModuleIsInTheTableAndInTheDesign() throws {
    let page = try GuidePages.text(GuidePages.article("use-from-swift"))
    let design = try String(
      contentsOfFile: TestPaths.root + "/Sources/Plumb/Plumb.docc/architecture.md", encoding: .utf8)
    let package = try String(contentsOfFile: TestPaths.root + "/Package.swift", encoding: .utf8)
    let modules = try FileManager.default.contentsOfDirectory(atPath: TestPaths.root + "/Sources")
      .filter { $0.hasPrefix("Plumb") }
    #expect(modules.count == 27)
    let named = page.matches(of: /\n\| `(Plumb\w*)` \|/).map { String($0.1) }
    #expect(Set(named) == Set(modules))
    for module in modules {
      let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(module)` | ") }
      #expect(rows.count == 1, "\(module) has \(rows.count) rows in the table of modules")
      #expect(design.contains(module))
      let isProduct =
        package.contains(".library(name: \"\(module)\"")
        || package.contains(".library(\n      name: \"\(module)\"")
      #expect(rows.first?.hasSuffix("| yes |") == isProduct, "\(module)")
    }
  }

  @Test func undocumentedDeclarationsAreFound() throws {
    func names(_ text: String) throws -> [String] { try Self.undocumented(text).map(\.name) }
    #expect(try names("public struct Point {}") == ["Point"])
    #expect(try names("/// A point.\npublic struct Point {}").isEmpty)
    #expect(try names("/// A point.\n@frozen\npublic struct Point {}").isEmpty)
    #expect(try names("/// A point.\n\npublic struct Point {}") == ["Point"])
    #expect(
      try names(
        """
        /// Kinds.
        public enum Kind: String {
          case one
          /// Two.
          case two
          public init?(_ text: String) { let case2 = "{"; self = .one }
          public static func < (a: Self, b: Self) -> Bool { false }
          public static func + (a: Self, b: Self) -> Self { a }
          @inlinable public static var all: [Kind] { [] }
          private func hidden() {
            switch self {
            case .one: break
            }
          }
        }
        """) == ["one", "init", "+", "all"])
    #expect(
      try names(
        """
        extension Kind {
          public var a: Int { 0 }
          var b: Int { 0 }
          public private(set) var c: Int
        }
        public extension Kind {
          func d() {}
          private func e() {}
          package func f() {}
        }
        /// A door.
        public protocol Door {
          func open()
          var isOpen: Bool { get }
        }
        """) == ["a", "c", "d", "open", "isOpen"])
    // Texts and comments are not a code.
    #expect(
      try names(
        ##"""
        let text = #"{ public"#
        let other = "{\(list.map { "}{" })"
        // public var g: Int {
        public let h = 1
        """##) == ["h"])
  }
}
