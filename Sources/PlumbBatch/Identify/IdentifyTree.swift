import PlumbCore
import PlumbLayers

/// One point's results as a readable tree. The elements of a layer follow the layer, and its
/// sublayers are indented further.
package struct IdentifyTree {
  private let point: QueryPoint
  private let results: [IdentifyLayerResult]
  private let names: [Setting: String]

  /// - Parameter names: the names of settings in the text.
  package init(
    point: QueryPoint, results: [IdentifyLayerResult], names: [Setting: String] = [:]
  ) {
    self.names = names
    self.point = point
    self.results = results
  }

  package var text: String {
    let count = results.reduce(0) { $0 + $1.elementCount }
    var lines = [
      "\(point.x), \(point.y)" + (point.reference.map { " (\($0))" } ?? "")
        + ": \(count) \(count == 1 ? "element" : "elements")"
    ]
    for result in results { append(result, depth: 1, to: &lines) }
    return lines.joined(separator: "\n")
  }

  private func append(_ result: IdentifyLayerResult, depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    let content = result.layerContent
    var line = "\(indent)\(content.name.printable) (\(content.type)): \(result.elementCount)"
    if result.isTransferLimitExceeded { line += " of \(result.foundCount)" }
    lines.append(line)
    if let error = result.error {
      lines.append("\(indent)  error: \(error.code): \(error.line.text(names).printable)")
    }
    for (index, element) in result.geoElements.enumerated() {
      let popup = index < result.popups.count ? result.popups[index] : nil
      append(element, popup, indent + "  ", to: &lines)
    }
    if result.geoElements.isEmpty {
      for popup in result.popups {
        lines.append("\(indent)  \(Self.heading(popup.title, fallback: "popup"))")
        append(popup, indent + "    ", to: &lines)
      }
    }
    for sublayer in result.sublayerResults { append(sublayer, depth: depth + 1, to: &lines) }
  }

  private func append(
    _ element: GeoElement, _ popup: Popup?, _ indent: String, to lines: inout [String]
  ) {
    switch element {
    case .cell(let cell):
      let values = cell.attributes.map { "\($0.name.printable) \($0.value.text)" }
      let status = cell.status.map(\.name)
      let isPlain = status.allSatisfy { $0 == "ok" }
      lines.append(
        indent
          + (values + (isPlain ? [] : ["status " + status.joined(separator: ", ")]))
          .joined(separator: ", "))
    case .feature(let feature):
      let number = feature.feature.id.map { "feature \($0)" } ?? "feature"
      var heading = Self.heading(popup?.title ?? "", fallback: number)
      if feature.distance > 0 { heading += ", \(Self.metres(feature.distance)) m away" }
      lines.append(indent + heading)
      for attribute in feature.attributes where attribute.value != .null {
        lines.append("\(indent)  \(attribute.name.printable): \(attribute.value.text.printable)")
      }
    }
  }

  private func append(_ popup: Popup, _ indent: String, to lines: inout [String]) {
    if !popup.text.isEmpty { lines.append(indent + popup.text.printable) }
    for field in popup.fields where !field.text.isEmpty {
      lines.append("\(indent)\(field.label.printable): \(field.text.printable)")
    }
    for medium in popup.media {
      let words = [medium.title, medium.caption].filter { !$0.isEmpty }
      let head = words.isEmpty ? medium.type : words.joined(separator: " - ")
      let address = medium.address.isEmpty ? "" : ": " + medium.address.printable
      lines.append(indent + head.printable + address)
      for field in medium.fields {
        lines.append("\(indent)  \(field.label.printable): \(field.text.printable)")
      }
    }
    for attachment in popup.attachments {
      lines.append("\(indent)\(attachment.name.printable): \(attachment.url.printable)")
    }
  }

  private static func heading(_ title: String, fallback: String) -> String {
    title.isEmpty ? fallback : title.printable
  }

  /// Returns the distance in metres, rounded to tenths, or `<0.1` if it is less than 0.1.
  private static func metres(_ distance: Double) -> String {
    distance < 0.1 ? "<0.1" : "\((distance * 10).rounded() / 10)"
  }
}
