import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Arcade in popups: the expressions' variables, the format of their values, and the effect of
/// errors.
@Suite struct PopupExpressionTests {
  private typealias Expression = PopupDefinition.Expression

  private func expression(
    _ name: String, _ text: String, _ type: Expression.ReturnType? = nil
  ) -> Expression {
    Expression(name: name, title: "The \(name)", expression: text, returnType: type)
  }

  private func identifier(
    _ popup: PopupDefinition, _ shapes: [Geometry?] = [square(0, 0, 10, 10)],
    _ options: IdentifyOptions = IdentifyOptions(maximumResultsPerLayer: nil)
  ) throws -> MapIdentifier {
    try MapIdentifier(
      Map(layers: [featureLayer("squares", shapes, popup: popup)]), options: options)
  }

  private func popups(
    _ popup: PopupDefinition, _ shapes: [Geometry?] = [square(0, 0, 10, 10)]
  ) throws -> [Popup] {
    let identifier = try identifier(popup, shapes)
    let popups = identifier.identify(x: 5, y: 5).flatMap(\.popups)
    #expect(identifier.warnings.isEmpty, "\(identifier.warnings)")
    return popups
  }

  @Test func `title, text and fields of each element`() throws {
    let popup = PopupDefinition(
      title: "{expression/double}", text: "n {n}: {Expression/DOUBLE}, {expression/side} wide",
      fields: [
        .init(name: "expression/side", format: .init(places: 1)),
        .init(name: "expression/double", label: "Twice"),
        .init(name: "expression/none"), .init(name: "expression/hidden", isVisible: false),
      ],
      expressions: [
        expression("double", "$feature.n * 2 + 10"),
        expression("side", "var e = Extent($feature); e.xmax - e.xmin"),
        expression("hidden", "1"),
      ])
    #expect(
      try popups(popup, [square(0, 0, 10, 10), square(4, 4, 6.25, 6)]) == [
        Popup(
          title: "12", text: "n 1: 12, 2.3 wide",
          fields: [
            .init(name: "expression/side", label: "The side", text: "2.3"),
            .init(name: "expression/double", label: "Twice", text: "12"),
          ]),
        Popup(
          title: "10", text: "n 0: 10, 10.0 wide",
          fields: [
            .init(name: "expression/side", label: "The side", text: "10.0"),
            .init(name: "expression/double", label: "Twice", text: "10"),
          ]),
      ])
  }

  @Test(
    arguments: [
      ("1234.5", nil, "1,234.50"), ("1234.5", .number, "1,234.50"), ("1234.5", .string, "1234.5"),
      ("'1234.5'", nil, "1234.5"), ("'1234.5'", .number, "1,234.50"),
      ("'12 km'", .number, "12 km"), ("null", .number, ""), ("''", .number, ""),
      ("true", nil, "true"), ("[1, 'a']", nil, #"[1,"a"]"#), ("{a: 1}", .string, #"{"a":1}"#),
      ("1 / 0", nil, "Infinity"), ("Date(2024, 1, 29)", nil, "2024-02-29T00:00:00Z"),
      // A value is not interpreted as a template.
      ("'{n}'", nil, "{n}"),
    ] as [(String, PopupDefinition.Expression.ReturnType?, String)])
  func `values as strings, numbers in the field's format`(
    text: String, type: PopupDefinition.Expression.ReturnType?, shown: String
  ) throws {
    let format = PopupDefinition.NumberFormat(places: 2, hasDigitSeparator: true)
    let popup = PopupDefinition(
      title: "{expression/e}",
      fields: [.init(name: "expression/e", isVisible: false, format: format)],
      expressions: [expression("e", text, type)])
    #expect(try popups(popup).map(\.title) == [shown])
  }

  @Test func `an error is one line with its position and empties only its own value`() throws {
    let popup = PopupDefinition(
      title: "[{expression/bad}] {expression/good}",
      fields: [.init(name: "expression/bad"), .init(name: "n")],
      expressions: [
        expression("bad", "$feature.n +\n  Lenght('x')"), expression("good", "$feature.n + 1"),
        // The expression is not used, so its error is not reported.
        expression("other", "FeatureSetByName($map, 'x')"),
      ])
    let identifier = try identifier(popup)
    let line =
      "squares: popup: the expression bad: line 2, column 3: there is no function Lenght; "
    #expect(identifier.warnings.count == 1)
    #expect(
      identifier.warnings.first?.description.hasPrefix(line) == true, "\(identifier.warnings)")
    let result = try #require(identifier.identify(x: 5, y: 5).first)
    #expect(
      result.popups == [
        Popup(
          title: "[] 1", text: "",
          fields: [
            .init(name: "expression/bad", label: "The bad", text: ""),
            .init(name: "n", label: "n", text: "0"),
          ])
      ])
    #expect(result.error == nil && result.geoElements.count == 1)
    #expect(identifier.warnings.count == 1)
  }

  @Test func `an error of several elements is reported once, and no element is lost`() throws {
    let popup = PopupDefinition(
      title: "{n}: {expression/odd}", text: "{expression/odd}",
      expressions: [
        expression("odd", "if ($feature.n % 2 == 0) { $feature.height } else { 'odd' }")
      ])
    let identifier = try identifier(popup, Array(repeating: square(0, 0, 10, 10), count: 5))
    #expect(identifier.warnings.isEmpty)
    let result = try #require(identifier.identify(x: 5, y: 5).first)
    #expect(result.popups.map(\.title) == ["4: ", "3: odd", "2: ", "1: odd", "0: "])
    #expect(result.error == nil)
    // The expression is evaluated once per element, although the popup uses it twice.
    #expect(
      identifier.warnings == [
        "squares: popup: the expression odd: line 1, column 36: the feature has no field height"
          + ", the first of 3 elements"
      ])
  }

  @Test(arguments: [
    ("while (true) {}", "more than 1000000 steps"),
    ("var s = 'x'; while (true) s += s", "more than 8388608 bytes"),
    ("function f() { f() } f()", "deeper than 64 levels"),
  ])
  func `expressions over the limits end`(text: String, message: String) throws {
    let popup = PopupDefinition(title: "{expression/e}!", expressions: [expression("e", text)])
    let identifier = try identifier(popup)
    #expect(identifier.identify(x: 5, y: 5).first?.popups.map(\.title) == ["!"])
    #expect(identifier.warnings.count == 1)
    #expect(
      identifier.warnings.first?.description.contains(message) == true, "\(identifier.warnings)"
    )
  }

  /// Popups have the same text with and without elements.
  @Test func `shapes have the CRS of the point`() throws {
    let mercator = try SpatialReference("EPSG:3857")
    let popup = PopupDefinition(
      title: "{expression/x} {expression/wkid}",
      expressions: [
        expression("x", "Round(Centroid($feature).x, 6)"),
        expression("wkid", "Geometry($feature).spatialReference.wkid"),
      ])
    let metres = 111_319.490793  // one degree of the equator on the sphere of 6,378,137 m
    let layer = featureLayer(
      "m", [square(metres, metres, 3 * metres, 3 * metres)], reference: mercator, popup: popup)
    let map = Map(layers: [layer], spatialReference: .wgs84)
    for popupsOnly in [false, true] {
      let options = IdentifyOptions(returnPopupsOnly: popupsOnly)
      let result = try #require(try map.identified(2, 2, options).first)
      #expect(result.popups.map(\.title) == ["2 4326"])
      #expect(result.geoElements.isEmpty == popupsOnly)
    }
  }

  @Test func `expressions of cells use their attributes`() throws {
    let popup = PopupDefinition(
      title: "{expression/twice} {expression/type} {expression/same}",
      expressions: [
        expression("twice", "$feature.Band_0 * 2"), expression("type", "$feature['Pixel.Type']"),
        expression("same", "$feature.band_0 == 3.5 && IsEmpty(Geometry($feature))"),
      ])
    let layer = try rasterLayer("r", popup: popup)
    #expect(
      try Map(layers: [layer]).identified(3.5, 9.5)[0].popups.map(\.title) == ["7 float32 true"])
  }

  /// The layer is prepared again with a new popup.
  @Test func `a popup without expressions evaluates none`() throws {
    let bad = expression("e", "(")
    #expect(PopupExpressions(PopupDefinition(title: "{n}", expressions: [bad])) == nil)
    #expect(PopupExpressions(PopupDefinition(title: "{expression/x}", expressions: [bad])) == nil)
    #expect(PopupExpressions(PopupDefinition(title: "{EXPRESSION/E}", expressions: [bad])) != nil)
  }
}
