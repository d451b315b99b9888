import PlumbIO

/// The OpenAPI schema of `coords` for raster queries. Its pattern is well-known text with the usual
/// spacing and in upper case. Requests may also use other spacing and lower case.
enum DataCoordinates {
  static func summary(_ kind: String) -> String {
    let shapes = (DataQuery.shapes[kind] ?? []).joined(separator: " or ")
    let rule =
      switch kind {
      case "position": "Each point has the values of the cell that contains it"
      case "radius": "Returns the cells whose centres are within the radius"
      case "area": "Returns the cells whose centres are in the area"
      default:
        "Returns values at each vertex and, in each crossed cell without a vertex, at the midpoint "
          + "of the line's path through the cell"
      }
    return "A \(shapes) as well-known text. \(rule)."
  }

  static func schema(_ kind: String) -> String {
    let number = #"-?[0-9]{1,3}(\.[0-9]{1,12})?"#
    let vertex = "\(number) \(number)"
    func list(_ minimum: Int) -> String { #"\(\#(vertex)(, ?\#(vertex)){\#(minimum - 1),}\)"# }
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
