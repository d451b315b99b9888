import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbLayers

/// The text of an element's popup.
@Suite struct PopupTests {
  private static let attributes: [(name: String, value: FieldValue)] = [
    ("NAME", .text("Khayelitsha")), ("pop", .integer(391_749)), ("area", .real(38.71)),
    ("empty", .null), ("open", .boolean(true)), ("list", .json("[1,2]")), ("name2", .text("{pop}")),
    ("Pop", .integer(7)),
  ]

  private func fill(_ template: String, _ fields: [PopupDefinition.FieldInfo] = []) -> String {
    let popup = PopupDefinition(title: template, text: template, fields: fields).popup(
      of: Self.attributes)
    #expect(popup.title == popup.text)
    return popup.title
  }

  @Test(arguments: [
    ("", ""), ("no field", "no field"), ("{NAME}", "Khayelitsha"), ("{name}", "Khayelitsha"),
    ("{NAME}: {pop} on {area} km²", "Khayelitsha: 391749 on 38.71 km²"),
    ("[{empty}]", "[]"), ("{open} {list}", "true [1,2]"),
    // Names that differ only in case are distinguished.
    ("{pop} {Pop}", "391749 7"),
    // Names that are not fields are kept.
    ("{none}", "{none}"), ("{}", "{}"), ("{ NAME }", "{ NAME }"),
    ("{none} {NAME}", "{none} Khayelitsha"),
    // Unmatched braces are kept.
    ("{NAME", "{NAME"), ("NAME}", "NAME}"), ("}{", "}{"), ("{NAME} {", "Khayelitsha {"),
    ("{ {NAME}", "{ Khayelitsha"), ("{{NAME}}", "{Khayelitsha}"),
    // A value is not interpreted as a template.
    ("{name2}", "{pop}"),
    // An expression that the popup does not have has no value.
    ("a{expression/expr0}b{Expression/x}c", "abc"),
  ])
  func `templates`(template: String, text: String) { #expect(fill(template) == text) }

  @Test func `a million open braces`() {
    let braces = String(repeating: "{", count: 1_000_000)
    #expect(fill(braces) == braces)
  }

  @Test func `fields in their order, by label, those that exist`() {
    let popup = PopupDefinition(fields: [
      .init(name: "area", label: "Area", format: .init(places: 1)), .init(name: "none"),
      .init(name: "NAME", isVisible: false), .init(name: "EMPTY"),
      .init(name: "pop", label: "", format: .init(places: 0, hasDigitSeparator: true)),
    ]).popup(of: Self.attributes)
    #expect(
      popup.fields == [
        .init(name: "area", label: "Area", text: "38.7"),
        .init(name: "EMPTY", label: "EMPTY", text: ""),
        .init(name: "pop", label: "", text: "391,749"),
      ])
    #expect(popup.title.isEmpty && popup.text.isEmpty)
  }

  @Test func `a field's format applies to templates, even if the field is hidden`() {
    let format = PopupDefinition.NumberFormat(places: 2, hasDigitSeparator: true)
    let fields = [
      PopupDefinition.FieldInfo(name: "pop", isVisible: false, format: format),
      PopupDefinition.FieldInfo(name: "NAME", format: format),
      PopupDefinition.FieldInfo(name: "open", format: format),
    ]
    #expect(fill("{pop} {NAME} {open}", fields) == "391,749.00 Khayelitsha true")
  }

  /// Rounded half away from zero in decimal notation.
  @Test(
    arguments: [
      (0, 0, "0"), (0, 2, "0.00"), (-0.0, 1, "0.0"), (0.5, 0, "1"), (-0.5, 0, "-1"),
      (0.4999, 0, "0"),
      (-0.4999, 0, "0"), (2.5, 0, "3"), (1.005, 2, "1.01"), (1.115, 2, "1.12"),
      (-1.005, 2, "-1.01"),
      (0.285, 2, "0.29"), (0.0005, 3, "0.001"), (0.00004, 4, "0.0000"), (0.00005, 4, "0.0001"),
      (999.995, 2, "1000.00"), (9.9999, 3, "10.000"), (1e-7, 7, "0.0000001"), (1e-300, 2, "0.00"),
      (123456, 0, "123456"), (0.1 + 0.2, 15, "0.300000000000000"), (1e15, 1, "1000000000000000.0"),
      (123456.789, -3, "123457"), (1.5, 400, "1.500000000000000"),
      (1e300, 2, "1e+300"), (.infinity, 2, "inf"), (-.infinity, 0, "-inf"), (.nan, 2, "nan"),
    ] as [(Double, Int, String)])
  func `number formats`(value: Double, places: Int, text: String) {
    let popup = PopupDefinition(
      fields: [.init(name: "v", format: .init(places: places))]
    ).popup(of: [("v", .real(value))])
    #expect(popup.fields.map(\.text) == [text])
  }

  @Test func `a number has the digits of Text`() throws {
    var random = SeededGenerator(seed: 31)
    for round in 0..<600 {
      let number =
        round % 2 == 0
        ? Double(Int.random(in: -99_999...99_999, using: &random) * 5) / 1000
        : Double.random(in: -1e6...1e6, using: &random)
      let popup = PopupDefinition(
        fields: [.init(name: "v", format: .init(places: 2, hasDigitSeparator: true))]
      ).popup(of: [("v", .real(number))])
      let program = try ArcadeProgram("Text($v, '#,##0.00')", globals: ["$v"])
      let value = try ArcadeEvaluator(program).evaluate(
        [.number(number)], now: ArcadeDate(milliseconds: 0))
      #expect(popup.fields.map(\.text) == [value.asText], "\(number)")
    }
  }

  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-1000, "-1,000"), (-100, "-100"),
      (999_999, "999,999"), (1_234_567, "1,234,567"), (123_456_789_012, "123,456,789,012"),
      (Int64.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
    ] as [(Int64, String)])
  func `digit separators, and integers to the last digit`(value: Int64, text: String) {
    let popup = PopupDefinition(
      fields: [.init(name: "v", format: .init(places: 0, hasDigitSeparator: true))]
    ).popup(of: [("v", .integer(value))])
    #expect(popup.fields.map(\.text) == [text])
  }

  @Test func `values without a format`() {
    let values: [FieldValue] = [
      .real(2), .real(0.1), .real(-0.0), .real(1e21), .integer(.min), .null, .boolean(false),
      .text(""),
    ]
    let texts = values.map {
      PopupDefinition(title: "{v}").popup(of: [("v", $0)]).title
    }
    #expect(texts == ["2", "0.1", "0", "1e+21", "-9223372036854775808", "", "false", ""])
  }

  @Test func `cells have popups, formats and all`() throws {
    let popup = PopupDefinition(
      title: "{Band_0} {Pixel.Type}",
      fields: [.init(name: "band_0", label: "NDVI", format: .init(places: 0))])
    let layer = try rasterLayer("r", popup: popup)
    let result = try Map(layers: [layer]).identified(2.5, 9.5)[0]
    #expect(
      result.popups == [
        Popup(
          title: "3 float32", text: "", fields: [.init(name: "band_0", label: "NDVI", text: "3")])
      ])
    layer.popup = PopupDefinition(title: "{Band_0}")
    #expect(try Map(layers: [layer]).identified(2.5, 9.5)[0].popups[0].title == "2.5")
  }
}
