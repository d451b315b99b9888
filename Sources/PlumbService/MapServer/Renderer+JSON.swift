import Plumb
import PlumbDrawing
import PlumbIO

extension Renderer {
  /// The renderer as Esri JSON.
  var json: JSONObject {
    var object = JSONObject()
    switch self {
    case .simple(let symbol):
      object.add("type", "simple")
      object.add("symbol", symbol.json)
      object.add("label", "")
      object.add("description", "")
    case .uniqueValue(let values):
      object.add("type", "uniqueValue")
      for number in 0..<3 {
        object.add("field\(number + 1)", values.fields[safe: number])
      }
      object.add("fieldDelimiter", ", ")
      if let symbol = values.defaultSymbol { object.add("defaultSymbol", symbol.json) }
      object.add("defaultLabel", values.defaultLabel)
      object.add(
        "uniqueValueInfos",
        values.classes.flatMap { entry in
          entry.values.map { combination in
            var info = JSONObject()
            info.add("value", combination.joined(separator: ", "))
            info.add("label", entry.label)
            info.add("description", "")
            info.add("symbol", entry.symbol.json)
            return info
          }
        })
    case .classBreaks(let breaks):
      object.add("type", "classBreaks")
      object.add("field", breaks.field)
      object.add("minValue", breaks.minimum)
      if let symbol = breaks.defaultSymbol { object.add("defaultSymbol", symbol.json) }
      object.add(
        "classBreakInfos",
        breaks.classes.map { entry in
          var info = JSONObject()
          info.add("classMaxValue", entry.maximum)
          info.add("label", entry.label)
          info.add("description", "")
          info.add("symbol", entry.symbol.json)
          return info
        })
    }
    return object
  }
}

extension Symbol {
  /// The number of points (1/72 inch) per pixel (1/96 inch).
  fileprivate static let pointsPerPixel = 72.0 / 96

  /// The symbol as Esri JSON, with sizes in points.
  var json: JSONObject {
    switch self {
    case .marker(let marker): marker.json
    case .line(let line): line.json
    case .fill(let fill): fill.json
    }
  }

  /// Returns the default symbol for features of a layer without symbols.
  static func standard(for shape: EsriShape) -> Symbol {
    FeaturePainter.standard(dimension: shape.dimension)
  }
}

extension MarkerSymbol {
  fileprivate var json: JSONObject {
    let names: [Shape: String] = [
      .circle: "Circle", .square: "Square", .diamond: "Diamond", .triangle: "Triangle",
      .cross: "Cross", .x: "X",
    ]
    var object = JSONObject()
    object.add("type", "esriSMS")
    object.add("style", "esriSMS" + (names[shape] ?? "Circle"))
    object.add("color", json: color.esri)
    object.add("size", size * Symbol.pointsPerPixel)
    object.add("angle", 0)
    object.add("xoffset", 0)
    object.add("yoffset", 0)
    if let outline {
      var line = JSONObject()
      line.add("color", json: Optional(outline.color).esri)
      line.add("width", outline.width * Symbol.pointsPerPixel)
      object.add("outline", line)
    }
    return object
  }
}

extension LineSymbol {
  fileprivate var json: JSONObject {
    let names: [Dash: String] = [
      .solid: "Solid", .dash: "Dash", .dot: "Dot", .dashDot: "DashDot",
      .dashDotDot: "DashDotDot",
    ]
    var object = JSONObject()
    object.add("type", "esriSLS")
    object.add("style", "esriSLS" + (names[dash] ?? "Solid"))
    object.add("color", json: Optional(color).esri)
    object.add("width", width * Symbol.pointsPerPixel)
    return object
  }
}

extension FillSymbol {
  fileprivate var json: JSONObject {
    let names: [Pattern: String] = [
      .solid: "Solid", .horizontal: "Horizontal", .vertical: "Vertical",
      .forwardDiagonal: "ForwardDiagonal", .backwardDiagonal: "BackwardDiagonal",
      .cross: "Cross", .diagonalCross: "DiagonalCross",
    ]
    var object = JSONObject()
    object.add("type", "esriSFS")
    object.add("style", color == nil ? "esriSFSNull" : "esriSFS" + (names[pattern] ?? "Solid"))
    object.add("color", json: color.esri)
    if let outline { object.add("outline", outline.json) }
    return object
  }
}

extension Color? {
  /// The four components of the colour as a JSON array; `null` without a colour.
  fileprivate var esri: String {
    map { "[\($0.red),\($0.green),\($0.blue),\($0.alpha)]" } ?? "null"
  }
}
