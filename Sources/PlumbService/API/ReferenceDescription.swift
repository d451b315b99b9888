import Plumb
import PlumbGeometry
import PlumbIO

/// Handles `GET /api/reference?crs=EPSG:32038`, which returns the name, unit and area of use of a
/// CRS.
struct ReferenceDescription {
  private let text: String
  private let reference: SpatialReference

  init(_ parameters: Parameters) throws(ServiceError) {
    guard let text = parameters.word("crs"), !text.isEmpty else {
      throw ServiceError("crs: a CRS is required, for example EPSG:32038", kind: .badOption)
    }
    do {
      (self.text, reference) = (text, try SpatialReference(text))
    } catch {
      throw ServiceError("crs: \(error.message)", kind: .badOption)
    }
  }

  var json: JSONObject {
    let entry = reference.registerEntry
    var object = JSONObject()
    object.add("crs", text)
    object.add("name", entry.name)
    object.add("unit", reference.unit.name)
    object.add("isGeographic", reference.isGeographic)
    let box = entry.area.map { area in
      let sides = [area.west, area.south, area.east, area.north]
      return "[" + sides.map(\.description).joined(separator: ",") + "]"
    }
    object.add("areaOfUse", json: box ?? "null")
    return object
  }
}
