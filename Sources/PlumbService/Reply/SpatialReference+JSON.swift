import Plumb
import PlumbGeometry
import PlumbIO

extension SpatialReference {
  /// The reference as Esri's clients expect it: its code of old and of now, else its text.
  var json: JSONObject {
    var object = JSONObject()
    let identity = identity(withWKT: false)
    if let text = identity.code, let code = Int(text) {
      object.add("wkid", code == 3857 ? 102_100 : code)
      object.add("latestWkid", code)
    } else {
      object.add("wkt", self.identity(withWKT: true).wkt ?? definition)
    }
    return object
  }
}

extension Envelope {
  var json: JSONObject {
    var object = JSONObject()
    let isThere = !isEmpty
    object.add("xmin", isThere ? .real(xMin) : .text("NaN"))
    object.add("ymin", isThere ? .real(yMin) : .text("NaN"))
    object.add("xmax", isThere ? .real(xMax) : .text("NaN"))
    object.add("ymax", isThere ? .real(yMax) : .text("NaN"))
    if let spatialReference { object.add("spatialReference", spatialReference.json) }
    return object
  }
}
