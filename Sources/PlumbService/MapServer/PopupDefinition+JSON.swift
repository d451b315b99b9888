import Plumb
import PlumbIO

extension PopupDefinition {
  /// The definition as `popupInfo` of a web map has it.
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
    return object
  }
}
