/// An HTML page with a JSON reply.
struct JSONPage {
  /// The components of the path of the request.
  let path: [String]
  /// The start of URLs, such as `http://localhost:8080`.
  let origin: String

  /// - Parameter json: valid JSON.
  func html(_ json: [UInt8]) -> String {
    let text = Self.escaped(String(decoding: IndentedJSON.text(json), as: UTF8.self))
    return Self.page(
      title: path.last ?? "Plumb",
      body: "<nav>\(trail.joined(separator: " / "))</nav>\n<pre>\(text)</pre>")
  }

  /// Links to the pages above.
  private var trail: [String] {
    var links: [String] = []
    var start = 0
    for end in path.indices.map({ $0 + 1 }) where Self.isPage(path.prefix(end)) {
      let address = origin + "/" + path.prefix(end).map(PercentText.encode).joined(separator: "/")
      let label = path[start..<end].joined(separator: "/")
      links.append("<a href=\"\(Self.escaped(address))?f=html\">\(Self.escaped(label))</a>")
      start = end
    }
    return links
  }

  /// Whether a path, which is the request's path or the start of it, is the path of a page.
  private static func isPage(_ path: ArraySlice<String>) -> Bool {
    guard path.first == "arcgis" else { return true }
    // The path of a service ends with its name and its type. A path that ends with the name has no page.
    // Services may be in the folder `Utilities`.
    let isInFolder = path.count > 3 && path[3].lowercasedASCII.hasSameBytes(as: "utilities")
    return path.count > 1 && path.count != (isInFolder ? 5 : 4)
  }

  static func page(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title>
    <meta name="viewport" content="width=device-width">
    <style>body { font-family: sans-serif; margin: 2em; color-scheme: light dark }</style></head>
    <body>
    \(body)
    </body></html>

    """
  }

  /// Returns text with the special characters of HTML escaped.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
