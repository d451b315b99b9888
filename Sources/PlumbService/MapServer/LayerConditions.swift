import Plumb
import PlumbIO

/// Reads conditions by layer from `layerDefs`, such as `{"0":"POP > 5"}` or `0:POP > 5;1:NAME =
/// 'x'`.
enum LayerConditions {
  static func read(
    _ parameters: Parameters, of service: MapService
  ) throws(ServiceError) -> [Int: String] {
    guard let text = parameters.word("layerDefs") else { return [:] }
    var conditions: [Int: String] = [:]
    func add(_ name: String, _ condition: String) throws(ServiceError) {
      guard let number = Int(name.trimmingASCIISpace()), service.layers.indices.contains(number)
      else {
        throw ServiceError("'layerDefs' parameter is invalid: there is no layer \(name.shown)")
      }
      conditions[number] = condition
    }
    if text.hasPrefix("{") {
      guard case .object(let members)? = try parameters.json("layerDefs") else {
        throw ServiceError("'layerDefs' parameter is invalid")
      }
      for (name, value) in members {
        guard case .text(let condition) = value else {
          throw ServiceError("'layerDefs' parameter is invalid: a condition must be a string")
        }
        try add(name, condition)
      }
    } else {
      for part in text.split(separator: ";") {
        guard let colon = part.firstIndex(of: ":") else {
          throw ServiceError("'layerDefs' parameter is invalid: \(String(part).shown)")
        }
        try add(String(part[..<colon]), String(part[part.index(after: colon)...]))
      }
    }
    return conditions
  }
}
