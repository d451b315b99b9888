/// An HTML page with a JSON reply.
enum JSONPage {
  /// - Parameters:
  ///   - json: valid JSON.
  ///   - path: the components of the path of the request.
  static func html(_ json: [UInt8], path: [String]) -> String {
    var trail: [String] = []
    for count in 1...max(1, path.count) where count <= path.count {
      let address = "/" + path.prefix(count).map(PercentText.encode).joined(separator: "/")
      trail.append("<a href=\"\(address)?f=html\">\(escaped(path[count - 1]))</a>")
    }
    let text = escaped(String(decoding: IndentedJSON.text(json), as: UTF8.self))
    return page(
      title: path.last ?? "Plumb",
      body: "<nav>\(trail.joined(separator: " / "))</nav>\n<pre>\(text)</pre>")
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
