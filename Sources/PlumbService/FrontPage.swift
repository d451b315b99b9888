/// The page at the root: the services, as links.
struct FrontPage {
  private let catalog: ServiceCatalog
  private let monitors: [String]

  init(_ catalog: ServiceCatalog, monitors: [String]) {
    (self.catalog, self.monitors) = (catalog, monitors)
  }

  var reply: ServiceReply {
    var lines = ["<h1>Plumb</h1>", "<ul>"]
    for (name, type) in catalog.listing + [("Utilities/Geometry", "GeometryServer")] {
      let address = name.split(separator: "/").map { PercentText.encode(String($0)) }
        .joined(separator: "/")
      lines.append(
        "<li><a href=\"/arcgis/rest/services/\(address)/\(type)?f=html\">"
          + "\(JSONPage.escaped(name)) (\(type))</a></li>")
    }
    lines.append("</ul>")
    lines.append("<p><a href=\"/arcgis/rest/services?f=html\">All services</a></p>")
    lines.append("<p><a href=\"/ogc?f=html\">OGC API</a></p>")
    for name in monitors {
      lines.append("<p><a href=\"/monitor/\(name)\">The monitor \(name)</a></p>")
    }
    let page = JSONPage.page(title: "Plumb", body: lines.joined(separator: "\n"))
    return ServiceReply(.bytes(Array(page.utf8)), ContentType.html)
  }
}
