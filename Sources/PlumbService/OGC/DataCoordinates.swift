import PlumbIO

/// What `coords` of a raster's queries may be, as OpenAPI has it: well-known text in its usual form. Spaces
/// and small letters are taken in more ways than the expression says.
enum DataCoordinates {
  static func summary(_ kind: String) -> String {
    let shapes = (DataQuery.shapes[kind] ?? []).joined(separator: " or ")
    let rule =
      switch kind {
      case "position": "Each point has the values of the cell that it lies in"
      case "radius": "Cells count whose centres are within the radius"
      case "area": "Cells count whose centres lie in the area"
      default:
        "Values come for each vertex, and between two for the middle of the way through each "
          + "further cell"
      }
    return "A \(shapes) as well-known text. \(rule)."
  }

  static func schema(_ kind: String) -> String {
    let number = #"-?[0-9]{1,3}(\.[0-9]{1,12})?"#
    let vertex = "\(number) \(number)"
    func list(_ least: Int) -> String { #"\(\#(vertex)(, ?\#(vertex)){\#(least - 1),}\)"# }
    let pattern =
      switch kind {
      case "position":
        #"POINT ?\(\#(vertex)\)|MULTIPOINT ?(\(\#(vertex)(, ?\#(vertex))*\)"#
          + #"|\(\(\#(vertex)\)(, ?\(\#(vertex)\))*\))"#
      case "radius": #"POINT ?\(\#(vertex)\)"#
      case "area":
        #"POLYGON ?\(\#(list(4))(, ?\#(list(4)))*\)"#
          + #"|MULTIPOLYGON ?\(\(\#(list(4))(, ?\#(list(4)))*\)(, ?\(\#(list(4))(, ?\#(list(4)))*\))*\)"#
      default: #"LINESTRING ?\#(list(2))|MULTILINESTRING ?\(\#(list(2))(, ?\#(list(2)))*\)"#
      }
    var object = JSONObject()
    object.add("type", "string")
    object.add("pattern", "^(\(pattern))$")
    object.add("example", example(kind))
    return object.text
  }

  private static func example(_ kind: String) -> String {
    switch kind {
    case "position": "MULTIPOINT((18.42 -33.93),(18.86 -33.93))"
    case "radius": "POINT(18.42 -33.93)"
    case "area": "POLYGON((18.4 -34,18.5 -34,18.5 -33.9,18.4 -34))"
    default: "LINESTRING(18.42 -33.93,18.86 -33.93)"
    }
  }
}
