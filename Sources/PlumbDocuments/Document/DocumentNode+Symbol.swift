import PlumbCore
import PlumbLayers

extension DocumentNode {
  /// The number of pixels (1/96 inch) per point (1/72 inch). Sizes in documents are in points.
  private static let pixelsPerPoint = 96.0 / 72

  /// The types of renderers whose symbol sizes Plumb does not support. Features and rasters with
  /// these renderers are identified without a symbol size.
  private static let otherRenderers: Set<String> = [
    "heatmap", "dotDensity", "pieChart", "dictionary", "temporal", "rasterStretch",
    "rasterColormap", "rasterShadedRelief", "vectorField", "flowRenderer",
  ]

  /// A `simple`, `uniqueValue` or `classBreaks` renderer; nil for Esri's other renderers, and for a renderer
  /// with an expression instead of a field.
  package func renderer() throws(DocumentFault) -> Renderer? {
    let type = try required("type", "a string")
    switch try type.text() {
    case "simple": return .simple(try required("symbol", "a symbol").symbol())
    case "uniqueValue":
      if try isByExpression("field1") { return nil }
      return .uniqueValue(try uniqueValues())
    case "classBreaks":
      if try isByExpression("field") { return nil }
      return .classBreaks(try classBreaks())
    case let other where Self.otherRenderers.contains(other): return nil
    case let other:
      throw type.fault(
        "expected simple, uniqueValue or classBreaks, found \(other.printable)")
    }
  }

  private func isByExpression(_ field: String) throws(DocumentFault) -> Bool {
    let expression = try text("valueExpression") ?? ""
    let name = try text(field) ?? ""
    return name.isEmpty && !expression.isEmpty
  }

  /// A symbol. A symbol without a size has size 0; a symbol that is not one of Esri's simple symbols is grey.
  package func symbol() throws(DocumentFault) -> Symbol {
    let type = try required("type", "a string")
    switch try type.text() {
    case "esriSMS": return .marker(try marker())
    case "esriPMS": return .marker(size: max(try pixels("width"), try pixels("height")))
    case "esriSLS", "esriCLS", "esriPLS": return .line(try line())
    case "esriSFS", "esriPFS": return .fill(try fill())
    case "CIMSymbolReference", "esriTS": return .marker(size: 0)
    case let other:
      throw type.fault(
        "expected esriSMS, esriPMS, esriSLS, esriSFS or esriPFS, found \(other.printable)")
    }
  }

  private static let markerShapes: [String: MarkerSymbol.Shape] = [
    "esriSMSSquare": .square, "esriSMSDiamond": .diamond, "esriSMSTriangle": .triangle,
    "esriSMSCross": .cross, "esriSMSX": .x,
  ]
  private static let dashes: [String: LineSymbol.Dash] = [
    "esriSLSDash": .dash, "esriSLSDot": .dot, "esriSLSDashDot": .dashDot,
    "esriSLSDashDotDot": .dashDotDot, "esriSLSShortDash": .dash, "esriSLSShortDot": .dot,
    "esriSLSShortDashDot": .dashDot, "esriSLSShortDashDotDot": .dashDotDot,
    "esriSLSLongDash": .dash, "esriSLSLongDashDot": .dashDot,
  ]
  private static let patterns: [String: FillSymbol.Pattern] = [
    "esriSFSHorizontal": .horizontal, "esriSFSVertical": .vertical,
    "esriSFSForwardDiagonal": .forwardDiagonal, "esriSFSBackwardDiagonal": .backwardDiagonal,
    "esriSFSCross": .cross, "esriSFSDiagonalCross": .diagonalCross,
  ]

  /// Whether Plumb draws a style of a symbol type as the document specifies.
  static func isKnown(style: String, of type: String) -> Bool {
    switch type {
    case "esriSMS": style == "esriSMSCircle" || markerShapes[style] != nil
    case "esriSLS", "esriCLS":
      ["esriSLSSolid", "esriSLSNull"].contains(style) || dashes[style] != nil
    case "esriSFS": ["esriSFSSolid", "esriSFSNull"].contains(style) || patterns[style] != nil
    default: true
    }
  }

  private func marker() throws(DocumentFault) -> MarkerSymbol {
    MarkerSymbol(
      size: try pixels("size"), shape: Self.markerShapes[style] ?? .circle, color: color(),
      outline: try member("outline")?.line())
  }

  private func line() throws(DocumentFault) -> LineSymbol {
    LineSymbol(
      width: style == "esriSLSNull" ? 0 : try pixels("width"),
      color: color() ?? Color(0, 0, 0, alpha: 0), dash: Self.dashes[style] ?? .solid)
  }

  private func fill() throws(DocumentFault) -> FillSymbol {
    FillSymbol(
      color: style == "esriSFSNull" ? nil : color(or: .paleGray),
      pattern: Self.patterns[style] ?? .solid, outline: try member("outline")?.line())
  }

  /// The colour of red, green, blue and optionally opacity; nil for `null`. Returns `other` if the colour is
  /// missing or invalid, because colours do not affect a layer's results.
  private func color(or other: Color = .gray) -> Color? {
    guard case .object(let members) = tree, let value = members["color"] else { return other }
    if case .null = value { return nil }
    return DocumentNode(value, document: document).rgba ?? other
  }

  /// The value as a colour of three or four components from 0 to 255; nil if the value is not a
  /// colour.
  var rgba: Color? {
    guard let parts = tree.elements, parts.count == 3 || parts.count == 4 else { return nil }
    let values = parts.compactMap { part -> UInt8? in
      switch part {
      case .integer(let number): UInt8(exactly: number)
      case .real(let number): number >= 0 && number <= 255 ? UInt8(number) : nil
      default: nil
      }
    }
    guard values.count == parts.count else { return nil }
    return Color(values[0], values[1], values[2], alpha: values.count == 4 ? values[3] : 255)
  }

  /// The symbol's style; empty if the symbol has no style.
  private var style: String {
    guard case .object(let members) = tree, case .text(let style) = members["style"] else {
      return ""
    }
    return style
  }

  private func pixels(_ name: String) throws(DocumentFault) -> Double {
    (try size(name) ?? 0) * Self.pixelsPerPoint
  }

  // MARK: Unique values

  private func uniqueValues() throws(DocumentFault) -> Renderer.UniqueValues {
    var fields = [try required("field1", "a string").text()]
    for name in ["field2", "field3"] {
      if let field = try text(name), !field.isEmpty { fields.append(field) }
    }
    let delimiter = try text("fieldDelimiter") ?? ","
    var classes: [Renderer.UniqueValues.Class] = []
    // The document may list the same classes in `uniqueValueInfos` and in `uniqueValueGroups`.
    var known: Set<[String]> = []
    for info in try elements("uniqueValueInfos") ?? [] {
      let value = try info.required("value", "a string")
      guard let key = Self.key(try value.value(), fields.count, delimiter) else {
        throw value.fault("expected \(fields.count) values with \(delimiter.printable) between")
      }
      if let symbol = try info.member("symbol")?.symbol(), known.insert(key).inserted {
        classes.append(
          Renderer.UniqueValues.Class(values: [key], symbol: symbol, label: info.label("label")))
      }
    }
    for group in try elements("uniqueValueGroups") ?? [] {
      for entry in try group.elements("classes") ?? [] {
        guard let symbol = try entry.member("symbol")?.symbol() else { continue }
        var keys: [[String]] = []
        for values in try entry.elements("values") ?? [] {
          var key: [String] = []
          for value in try values.elements() { key.append(Self.plain(try value.value())) }
          guard key.count == fields.count else {
            throw values.fault("expected \(fields.count) values, found \(key.count)")
          }
          if known.insert(key).inserted { keys.append(key) }
        }
        if keys.isEmpty { continue }
        classes.append(
          Renderer.UniqueValues.Class(values: keys, symbol: symbol, label: entry.label("label")))
      }
    }
    return Renderer.UniqueValues(
      fields: fields, classes: classes, defaultSymbol: try member("defaultSymbol")?.symbol(),
      defaultLabel: label("defaultLabel") ?? "")
  }

  /// Text for a legend; nil if the member is missing or not a string.
  func label(_ name: String) -> String? {
    guard case .object(let members) = tree, case .text(let text) = members[name], !text.isEmpty
    else { return nil }
    return text
  }

  /// The text of a class value: a string, or a number formatted like the number of a field.
  private func value() throws(DocumentFault) -> String {
    switch tree {
    case .null: return ""
    case .integer(let number): return number.description
    case .real(let number): return Int64(exactly: number)?.description ?? number.description
    case .boolean(let flag): return flag ? "true" : "false"
    default: return try text()
    }
  }

  private static func plain(_ value: String) -> String { value == "<Null>" ? "" : value }

  private static func key(_ value: String, _ count: Int, _ delimiter: String) -> [String]? {
    guard count > 1 else { return [plain(value)] }
    guard !delimiter.isEmpty else { return nil }
    var parts: [String] = []
    var part = ""
    var rest = value[...]
    while !rest.isEmpty {
      if rest.hasPrefix(delimiter) {
        parts.append(part)
        part = ""
        rest = rest.dropFirst(delimiter.count)
      } else {
        part.append(rest.removeFirst())
      }
    }
    parts.append(part)
    // Esri's documents may have a space after the delimiter.
    let trimmed = parts.enumerated().map { index, part in
      plain(index > 0 && part.hasPrefix(" ") ? String(part.dropFirst()) : part)
    }
    return trimmed.count == count ? trimmed : nil
  }

  // MARK: Class breaks

  private func classBreaks() throws(DocumentFault) -> Renderer.ClassBreaks {
    var classes: [Renderer.ClassBreaks.Class] = []
    for info in try elements("classBreakInfos") ?? [] {
      let maximum = try info.required("classMaxValue", "a number").number()
      let symbol = try info.required("symbol", "a symbol").symbol()
      classes.append(
        Renderer.ClassBreaks.Class(maximum: maximum, symbol: symbol, label: info.label("label")))
    }
    return Renderer.ClassBreaks(
      field: try required("field", "a string").text(),
      minimum: try number("minValue") ?? -.infinity, classes: classes,
      defaultSymbol: try member("defaultSymbol")?.symbol(),
      defaultLabel: label("defaultLabel") ?? "")
  }
}
