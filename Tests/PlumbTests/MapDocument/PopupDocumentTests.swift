import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Popups of map documents whose `expressionInfos` are evaluated.
@Suite struct PopupDocumentTests {
  private static let popup = #"""
    "popupInfo":{"title":"{NAME}: {expression/density}","description":"{expression/kind}",
     "fieldInfos":[{"fieldName":"expression/density","format":{"places":1,"digitSeparator":true}},
      {"fieldName":"POP","label":"People"}],
     "expressionInfos":[
      {"name":"density","title":"People per unit","returnType":"number",
       "expression":"$feature.POP / AreaGeodetic($feature, 'square-kilometers') * 100000"},
      {"name":"kind","title":"Kind","returnType":"string",
       "expression":"IIf($feature.POP > 1000,\n 'a town', 'a village')"},
      {"name":"map","title":"Unused","expression":"FeatureSetByName($map, 'x')"}]}
    """#

  /// Square kilometres between two meridians two degrees apart, from the equator to 2° N, on the
  /// WGS84 ellipsoid, in closed form.
  private static var area: Double {
    let (a, f) = (6378.137, 1 / 298.257223563)
    let e = (f * (2 - f)).squareRoot()
    let s = sin(2 * Double.pi / 180)
    let b = a * (1 - f)
    let zone = s / (2 * (1 - e * e * s * s)) + atanh(e * s) / (2 * e)
    return b * b * 2 * Double.pi / 180 * zone
  }

  private func open(_ members: String, in folder: TemporaryFolder) throws -> MapIdentifier {
    let map = try MapDocumentTests.open(
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"t","title":"Towns","#
        + #""layerType":"ArcGISFeatureLayer","url":"towns.geojson",\#(members)}]}"#, in: folder)
    return try MapIdentifier(map)
  }

  @Test func expressionsOfADocument() throws {
    let folder = try TemporaryFolder()
    let identifier = try open(Self.popup, in: folder)
    let towns = [(1.0, "A: ", 1500.0, "a town"), (3.0, "B: ", 20, "a village")]
    for (x, title, people, text) in towns {
      let popup = try #require(identifier.identify(x: x, y: 1).first?.popups.first)
      #expect(popup.title.hasPrefix(title))
      let density = try #require(
        Double(String(popup.title.dropFirst(title.count)).filter { $0 != "," }))
      // The northern edge is a geodesic, which is north of the parallel: the difference is a
      // ten-thousandth of the area.
      let whole = people / Self.area * 100000
      #expect(abs(density - whole) <= whole * 1.5e-4 + 0.05)
      #expect(popup.text == text)
      let field = try #require(popup.fields.first)
      #expect(field.name == "expression/density" && field.label == "People per unit")
      #expect(popup.title == title + field.text)
      #expect(popup.fields.last?.label == "People")
    }
    #expect(identifier.warnings.isEmpty, "\(identifier.warnings)")
  }

  @Test func aListOfFieldsNamesExpressionsToo() throws {
    let folder = try TemporaryFolder()
    let identifier = try open(
      #"""
      "popupInfo":{"popupElements":[{"type":"text","text":"<br/>{expression/e}"},
        {"type":"fields","fieldInfos":[{"fieldName":"expression/e"}]}],
       "expressionInfos":[{"name":"e","expression":"Upper($feature.name) + '!'"}]}
      """#, in: folder)
    let popup = try #require(identifier.identify(x: 1, y: 1).first?.popups.first)
    #expect(popup.text == "\nA!")
    #expect(popup.fields == [.init(name: "expression/e", label: "e", text: "A!")])
  }

  /// Unreadable media are omitted with a warning; the layer has results.
  @Test func unreadablePicturesAreWarnings() throws {
    let folder = try TemporaryFolder()
    let many = "[" + Array(repeating: "7", count: 5000).joined(separator: ",") + "]"
    for (media, position, kept, others) in [
      (
        #"[{"type":7},{"title":"{NAME}"},{"value":{"fields":["POP",1]}}]"#,
        "mediaInfos[0].type", 1, ", the first of 2 that cannot be read"
      ),
      (#"[{"value":{"fields":["POP",1]}}]"#, "mediaInfos[0].value.fields[1]", 0, ""),
      (#"{"type":"image"}"#, "mediaInfos", 0, ""),
      (many, "mediaInfos[0]", 0, ", the first of 5000 that cannot be read"),
    ] {
      let identifier = try open(
        #""popupInfo":{"title":"{NAME}","mediaInfos":\#(media)}"#, in: folder)
      let popup = try #require(identifier.identify(x: 1, y: 1).first?.popups.first)
      #expect(popup.title == "A" && popup.media.count == kept)
      let warnings = identifier.warnings.map(\.description)
      #expect(warnings.count == 1, "\(warnings)")
      #expect(warnings.first?.contains("popupInfo.\(position): expected") == true, "\(warnings)")
      #expect(warnings.first?.hasSuffix(others) == true, "\(warnings)")
    }
  }

  @Test(arguments: [true, false])
  func picturesAndChartsAreText(_ isElement: Bool) throws {
    let folder = try TemporaryFolder()
    let media = #"""
      "mediaInfos":[{"type":"image","title":"{NAME}","caption":"of {expression/e}",
         "value":{"sourceURL":"https://example.org/{NAME}.png","linkURL":""}},
        {"type":"piechart","title":"","caption":"","value":{"fields":["POP","expression/e","none"],
         "normalizeField":null}},
        {"type":"barchart","value":{"fields":["pop"],"normalizeField":"POP"}}]
      """#
    let identifier = try open(
      #""popupInfo":{"#
        + (isElement ? #""popupElements":[{"type":"media",\#(media)}],"# : media + ",")
        + #""fieldInfos":[{"fieldName":"POP","label":"People","visible":false}],"#
        + #""expressionInfos":[{"name":"e","title":"Short","expression":"Lower($feature.NAME)"}]}"#,
      in: folder)
    let results = identifier.identify(x: 1, y: 1)
    let popup = try #require(results.first?.popups.first)
    #expect(
      popup.media == [
        .init(
          type: "image", title: "A", caption: "of a", address: "https://example.org/A.png",
          link: "", fields: []),
        .init(
          type: "piechart", title: "", caption: "", address: "", link: "",
          fields: [
            .init(name: "POP", label: "People", text: "1500"),
            .init(name: "expression/e", label: "Short", text: "a"),
          ]),
        .init(
          type: "barchart", title: "", caption: "", address: "", link: "",
          fields: [.init(name: "pop", label: "People", text: "1.0")]),
      ])
    let text = IdentifyLayerResult.json(
      point: QueryPoint(x: 1, y: 1, reference: nil), results: results)
    #expect(text.contains(#""media":[{"type":"image","title":"A","caption":"of a","url":"https:"#))
    #expect(text.contains(#"{"name":"POP","label":"People","value":"1500"}"#))
  }

  @Test func mistakesAreTheLayersWarnings() throws {
    let folder = try TemporaryFolder()
    let identifier = try open(
      #"""
      "popupInfo":{"title":"{NAME} {expression/e}{expression/f}",
       "expressionInfos":[{"name":"e","expression":"1 +"},
        {"name":"f","expression":"$feature.nmae"}]}
      """#, in: folder)
    let compiled = "Towns: popup: the expression e: line 1, column 4: "
    #expect(identifier.warnings.count == 1)
    #expect(
      identifier.warnings.first?.description.hasPrefix(compiled) == true,
      "\(identifier.warnings)")
    #expect(identifier.identify(x: 1, y: 1).first?.popups.map(\.title) == ["A "])
    let failed = "Towns: popup: the expression f: line 1, column 9: the feature has no field nmae"
    #expect(identifier.warnings.count == 2)
    #expect(
      identifier.warnings.last?.description.hasPrefix(failed) == true, "\(identifier.warnings)")
  }
}
