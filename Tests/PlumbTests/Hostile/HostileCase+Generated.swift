import PlumbTestSupport

/// Sources outside the folder, wrapped at random in constructs that XML and GDAL accept.
extension HostileCase {
  static let generated: [HostileCase] = {
    var generator = SeededGenerator(seed: 20_251_125)
    return (0..<90).map { number in
      let isRaster = Bool.random(using: &generator)
      return HostileCase.file(
        "generated \(number)", isRaster ? .raster : .features, "v.vrt",
        document(isRaster: isRaster, using: &generator))
    }
  }()

  private static func document(
    isRaster: Bool, using generator: inout SeededGenerator
  ) -> String {
    let doors = isRaster ? rasterDoors : featureDoors
    var text = isRaster ? "{OUT}/o.tif" : "{OUT}/s.geojson"
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let door = doors.randomElement(using: &generator)!
      text = door.make(wrapped(text, using: &generator))
      if Bool.random(using: &generator) { text = noise(using: &generator) + text }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        text = text.replacing("SourceFilename", with: "sourceFileName")
      }
      if Int.random(in: 0..<6, using: &generator) == 0 { text = "\u{FEFF}" + text }
    }
    return text
  }

  /// The text in one of its forms in an XML element.
  private static func wrapped(_ text: String, using generator: inout SeededGenerator) -> String {
    var result = ""
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: result = "<![CDATA[\(text.replacing("]]>", with: "]]]]><![CDATA[>"))]]>"
    case 1:
      for scalar in text.unicodeScalars {
        let isNumber = Int.random(in: 0..<3, using: &generator) == 0
        result +=
          isNumber ? "&#\(scalar.value);" : escaped(String(Character(scalar)))
      }
    case 2:
      for scalar in text.unicodeScalars {
        result += escaped(String(Character(scalar)))
        if Int.random(in: 0..<60, using: &generator) == 0 { result += "<!-- m.tif -->" }
      }
    default: result = escaped(text)
    }
    let blanks = ["&#32;", "&#9;", "&#10;", "&#13;", " ", "\n", ""]
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      result = blanks.randomElement(using: &generator)! + result
    }
    return result
  }

  private static func noise(using generator: inout SeededGenerator) -> String {
    [
      "<!-- <VRTDataset/> -->", "<?xml version='1.0'?>", "\n\n  ", "<!-- ]]> -->",
      "<!DOCTYPE v [<!ENTITY a 'b'>]>", "<?x y?>",
    ].randomElement(using: &generator)!
  }
}
