import Plumb
import PlumbIO

/// The classes of an image service as a raster attribute table.
struct ImageClasses {
  let table: ClassTable

  /// The table as JSON, with one row per class. `Value` is the value of the class. If classes are
  /// ranges, `Value` is the minimum and `ValueTo` is the maximum of the range.
  var json: JSONObject {
    let isOfRanges = table.entries.contains { $0.lower != $0.upper }
    var fields = [
      field("OID", "esriFieldTypeOID"), field("Value", "esriFieldTypeDouble"),
      field("ClassName", "esriFieldTypeString"),
    ]
    if isOfRanges { fields.insert(field("ValueTo", "esriFieldTypeDouble"), at: 2) }
    var object = JSONObject()
    object.add("objectIdFieldName", "OID")
    object.add("fields", fields)
    object.add(
      "features",
      table.entries.enumerated().map { number, entry in
        var attributes = JSONObject()
        attributes.add("OID", number)
        attributes.add("Value", entry.lower)
        if isOfRanges { attributes.add("ValueTo", entry.upper) }
        attributes.add("ClassName", entry.name)
        var row = JSONObject()
        row.add("attributes", attributes)
        return row
      })
    return object
  }

  private func field(_ name: String, _ type: String) -> JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("type", type)
    object.add("alias", name)
    return object
  }
}
