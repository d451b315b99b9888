import PlumbCore
import PlumbIO

extension OptionTable {
  /// The JSON Schema of an object with the options of a front end, in the form that OpenAPI 3.0
  /// allows.
  package func schema(for frontEnd: FrontEnd) -> JSONObject {
    var properties = JSONObject()
    for option in options(of: frontEnd) {
      properties.add(frontEnd.spelling(of: option.option), option.schema(for: frontEnd))
    }
    var schema = JSONObject()
    schema.add("type", "object")
    schema.add("properties", properties)
    schema.add("additionalProperties", false)
    return schema
  }
}

extension VerbOption {
  /// The JSON Schema of the option's value, with the option's help.
  package func schema(for frontEnd: FrontEnd) -> JSONObject {
    var schema = kind.schema(words: words(of: frontEnd))
    schema.add("description", help(for: frontEnd).text(frontEnd.allSpellings))
    if let defaultValue { schema.add("default", json: defaultValue.bytes) }
    return schema
  }
}

extension OptionKind {
  /// The JSON Schema of a value.
  ///
  /// - Parameter words: the words that a front end offers.
  fileprivate func schema(words: [String]) -> JSONObject {
    var schema = JSONObject()
    func choice(_ kinds: String...) { schema.add("oneOf", list: kinds) }
    func list(_ item: String, count: Int? = nil) -> String {
      let bounds = count.map { #","minItems":\#($0),"maxItems":\#($0)"# } ?? ""
      return #"{"type":"array","items":\#(item)\#(bounds)}"#
    }
    let (text, number) = (#"{"type":"string"}"#, #"{"type":"number"}"#)
    switch self {
    case .flag, .table: schema.add("type", "boolean")
    case .text, .word, .path, .picture, .crs, .condition, .size, .distance, .date, .span:
      schema.add("type", "string")
      if !words.isEmpty { schema.add("enum", texts: words) }
    case .texts: choice(text, list(text))
    case .number(let range):
      schema.add("type", "number")
      switch range {
      case .positive:
        schema.add("minimum", 0)
        schema.add("exclusiveMinimum", true)
      case .notNegative, .notNegativeOrInfinite: schema.add("minimum", 0)
      case .within(let bounds, _):
        schema.add("minimum", bounds.lowerBound)
        schema.add("maximum", bounds.upperBound)
      case .any: break
      }
    case .integer(let range):
      schema.add("type", "integer")
      schema.add("minimum", range.lowerBound)
      schema.add("maximum", range.upperBound)
    case .integers(let range):
      let item =
        #"{"type":"integer","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#
      choice(item, list(item))
    case .numbers: choice(number, list(number))
    case .limit: choice(#"{"type":"integer","minimum":1}"#, #"{"type":"string","enum":["all"]}"#)
    case .bytes(let range):
      schema.add("type", "integer")
      schema.add("minimum", range.lowerBound)
    case .length: choice(text, #"{"type":"number","enum":[0]}"#)
    case .box, .extent: schema.add("allOf", list: [list(number, count: 4)])
    case .center, .position: schema.add("allOf", list: [list(number, count: 2)])
    case .location: choice(text, list(number))
    case .points:
      let point = list(number, count: 2)
      choice(point, list(point))
    case .json: schema.add("type", "object")
    }
    return schema
  }
}
