import Plumb
import PlumbIO

extension PopupDefinition {
  /// The definition as `popupInfo` of a web map.
  var json: JSONObject {
    var object = JSONObject()
    object.add("title", title)
    object.add("description", text)
    object.add(
      "fieldInfos",
      fields.map { field in
        var info = JSONObject()
        info.add("fieldName", field.name)
        info.add("label", field.label)
        info.add("visible", field.isVisible)
        if let format = field.format {
          var written = JSONObject()
          written.add("places", format.places)
          written.add("digitSeparator", format.hasDigitSeparator)
          info.add("format", written)
        }
        return info
      })
    object.add(
      "expressionInfos",
      expressions.map { expression in
        var info = JSONObject()
        info.add("name", expression.name)
        info.add("title", expression.title)
        info.add("expression", expression.expression)
        if let type = expression.returnType { info.add("returnType", type.rawValue) }
        return info
      })
    object.add("mediaInfos", media.map(\.json))
    return object
  }
}

extension PopupDefinition.Medium {
  fileprivate var json: JSONObject {
    var value = JSONObject()
    if !address.isEmpty { value.add("sourceURL", address) }
    if !link.isEmpty { value.add("linkURL", link) }
    if !fields.isEmpty { value.add("fields", texts: fields) }
    if let normalizeField { value.add("normalizeField", normalizeField) }
    var object = JSONObject()
    object.add("type", type)
    object.add("title", title)
    object.add("caption", caption)
    object.add("value", value)
    return object
  }
}
