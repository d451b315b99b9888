import PlumbCore
import PlumbExpressions
import Testing

/// The parts of conditions that a database evaluates.
@Suite struct ConditionDatabaseTests {
  private static let fields = [
    Field(name: "pop", kind: .integer), Field(name: "Name", kind: .text),
    Field(name: "share", kind: .real), Field(name: "open", kind: .boolean),
    Field(name: "day", kind: .text),
  ]

  private func filter(_ text: String?) -> String? {
    Condition.databaseFilter(
      text, on: Self.fields, comparable: Array(Self.fields.dropLast()))
  }

  @Test func comparisons() throws {
    #expect(filter("POP > 1000") == #""pop" > 1000"#)
    #expect(filter("1000 <= pop") == #""pop" >= 1000"#)
    #expect(filter("pop <> 5") == #""pop" <> 5"#)
    #expect(filter("share = 0.5") == #""share"::float8 = 0.5::float8"#)
    #expect(filter("name = 'O''Hara'") == #""Name"::text = 'O''Hara'"#)
    // A combining character after the mark.
    let name = try #require(filter("name = 'O''\u{301}Hara'"))
    #expect(Array(name.utf8) == Array("\"Name\"::text = 'O''\u{301}Hara'".utf8))
    #expect(filter("open = TRUE") == #""open" = TRUE"#)
    #expect(filter("pop BETWEEN 1 AND 2") == #"("pop" >= 1 AND "pop" <= 2)"#)
    #expect(filter("name IN ('a', 'b')") == #"("Name"::text = 'a' OR "Name"::text = 'b')"#)
    #expect(filter("name IS NULL") == #""Name" IS NULL"#)
    #expect(filter("share IS NOT NULL") == #""share" IS NOT NULL"#)
  }

  @Test func otherPartsStayWithPlumb() {
    for text in [
      "name <> 'a'", "name < 'a'", "day = '2024-05-31'", "share IS NULL", "NOT pop = 1",
      "pop = 1 OR name LIKE 'a%'", "pop NOT IN (1)", "pop + 1 = 2", "pop = share", "pop = 1.5",
      "name = 'a\\b'", "nosuch = 1", "pop =", "pop > -5",
    ] {
      #expect(filter(text) == nil, "\(text)")
    }
    #expect(filter(nil) == nil)
    #expect(filter("name LIKE 'a%' AND pop = 1") == #"("pop" = 1)"#)
    #expect(Condition.databaseFilter("pop = 1", on: Self.fields, comparable: []) == nil)
  }
}
