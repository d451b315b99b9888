import PlumbCore
import Testing

@testable import PlumbExpressions

/// Text, date and geometry functions in whole programs.
@Suite struct ArcadeTextProgramTests {
  @Test("Programs call functions of all families, regardless of the case of names")
  func programs() throws {
    let cases = [
      ("Text(1234.567, '#,###.00')", "1,234.57"),
      (
        "text(DATE(2016, 9, 25, 8, 43, 11), 'dddd, MMMM D, Y @ h:m:s')",
        "Tuesday, October 25, 2016 @ 8:43:11"
      ),
      ("Text(Date('2026-05-01T10:00:00Z'), 'MMM D, Y')", "May 1, 2026"),
      ("var p = Point({x: 3, y: 4, spatialReference: {wkid: 3857}}); p.x + p.y", "7"),
      ("Area(Buffer(Extent({xmin: 0, ymin: 0, xmax: 2, ymax: 2}), 0))", "4"),
      ("Geometry('{\"x\": 1, \"y\": 2}').y", "2"),
      ("Concatenate(Split('a,b,c', ','), '-')", "a-b-c"),
      ("Year(DateAdd(Date(2024, 1, 29), 1, 'years'))", "2025"),
      ("Proper('section ' + Upper('b'), 'firstword')", "Section b"),
      ("Equals(Point({x: 1, y: 2}), Point({x: 1, y: 2})) && Equals(3, 3)", "true"),
      ("Length(Densify(Polyline({paths: [[[0, 0], [3, 4]]]}), 1)) == 5", "true"),
    ]
    for (text, answer) in cases {
      let program = try ArcadeProgram(text, globals: [])
      let value = try ArcadeEvaluator(program).evaluate([], now: ArcadeDate(milliseconds: 0))
      #expect(value.asText == answer, "\(text)")
    }
  }
}
