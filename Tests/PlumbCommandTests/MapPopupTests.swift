import Foundation
import PlumbTestSupport
import Testing

/// Popups of `plumb identify MAP.json` with evaluated expressions.
struct MapPopupTests {
  private static let popup = #"""
    "popupInfo":{"title":"{expression/t}","description":"{N} of {expression/s}",
     "fieldInfos":[{"fieldName":"expression/s","format":{"places":2}}],
     "expressionInfos":[
      {"name":"t","title":"T","expression":"Proper($feature.NAME) + Text($feature.N, ' #00')"},
      {"name":"s","title":"Share","returnType":"number","expression":"$feature.N / 3"}]}
    """#

  @Test func `JSON and tree show the values`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair(more: Self.popup)
    let run = try plumb(["identify", map, "--at", "2.5,2.5", "--format", "json"])
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let popup = try #require(try run.results.first?.first?.popups.first)
    #expect(
      popup as NSDictionary
        == (try jsonObject(
          #"{"title":"High 02","text":"2 of 0.67","#
            + #""fields":[{"name":"expression/s","label":"Share","value":"0.67"}]}"#)))
    let tree = try plumb(["identify", map, "--at", "0.5,0.5"])
    #expect(tree.output.contains("Low 01"), "\(tree.output)")
    let alone = try plumb([
      "identify", map, "--at", "2.5,2.5", "--format", "json", "--popups-only",
    ])
    #expect(try alone.results.first?.first?.popups.first as NSDictionary? == popup as NSDictionary)
  }

  @Test func `a batch shows them row by row`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair(more: Self.popup)
    let run = try plumb(
      ["identify", map, "--points", "-", "--of", "jsonl"],
      input: "x,y\n0.5,0.5\n9,9\n2.5,2.5\n")
    let titles = try run.results.map { $0.flatMap(\.popups).compactMap { $0["title"] as? String } }
    #expect(titles == [["Low 01"], [], ["High 02"]])
  }

  @Test func `faults are warnings, and errors with --strict`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair(
      more: #"""
        "popupInfo":{"title":"{NAME}{expression/bad}{expression/odd}","expressionInfos":[
         {"name":"bad","expression":"1 + * 2"},{"name":"odd","expression":"$feature.height"}]}
        """#)
    let sendRequest = ["identify", map, "--at", "0.5,0.5", "--format", "json"]
    let run = try plumb(sendRequest)
    #expect(run.status == 0)
    #expect(try run.results.first?.first?.popups.first?["title"] as? String == "low")
    let lines = run.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 2, "\(run.errors)")
    let start = "Squares: popup: the expression "
    #expect(lines.first?.contains(start + "bad: line 1, column 5: ") == true, "\(run.errors)")
    #expect(
      lines.last?.contains(start + "odd: line 1, column 9: the feature has no field height")
        == true, "\(run.errors)")
    try plumb(sendRequest + ["--strict"]).expectRefusal(
      start + "bad: line 1", "--strict refuses that")
    let batch = ["identify", map, "--points", "-", "--of", "jsonl"]
    let rows = try plumb(batch, input: "x,y\n0.5,0.5\n2.5,2.5\n0.5,0.5\n")
    #expect(rows.lines.count == 3)
    #expect(rows.errors.contains(start + "bad: line 1"), "\(rows.errors)")
    #expect(rows.errors.contains("the first of 3 elements"), "\(rows.errors)")
  }
}
