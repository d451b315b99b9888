import Plumb
import PlumbGeometry
import PlumbIO

/// `GET /api/reference?crs=EPSG:32038`: a reference's name and unit, and where on the Earth it is for.
struct ReferenceDescription {
  private let text: String
  private let reference: SpatialReference

  init(_ parameters: Parameters) throws(ServiceError) {
    guard let text = parameters.word("crs"), !text.isEmpty else {
      throw ServiceError("crs: give a reference, as EPSG:32038", kind: .badOption)
    }
    do {
      (self.text, reference) = (text, try SpatialReference(text))
    } catch {
      throw ServiceError("crs: \(error.message)", kind: .badOption)
    }
  }

  var json: JSONObject {
    var object = JSONObject()
    object.add("crs", text)
    object.add("name", reference.label)
    object.add("unit", reference.unit.name)
    object.add("isGeographic", reference.isGeographic)
    object.add(
      "areaOfUse",
      json: reference.areaOfUse.map {
        "[" + [$0.west, $0.south, $0.east, $0.north].map(\.description).joined(separator: ",") + "]"
      } ?? "null")
    return object
  }
}
