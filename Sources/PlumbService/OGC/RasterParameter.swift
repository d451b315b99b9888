import Plumb
import PlumbIO

/// A value that a raster has at each cell. It is the stored value of a band, or the band's value
/// with scale and offset applied.
struct RasterParameter: Sendable {
  /// The name of the parameter, such as `Band_0` or `Scaled_0`. Bands are numbered from 0.
  var name: String
  /// The index of the band.
  var band: Int
  /// The band, with its type, scale and offset.
  var source: Band
  var isScaled: Bool

  /// Returns all parameters of a raster, in the order of its bands.
  static func all(of raster: Raster) -> [RasterParameter] {
    raster.bands.enumerated().flatMap { index, band in
      let stored = RasterParameter(
        name: "Band_\(index)", band: index, source: band, isScaled: false)
      guard band.isScaled, !band.pixelType.isComplex else { return [stored] }
      return [
        stored,
        RasterParameter(name: "Scaled_\(index)", band: index, source: band, isScaled: true),
      ]
    }
  }

  /// Returns the names in a comma-separated list without duplicates.
  static func names(_ text: String) throws(ServiceError) -> [String] {
    var names: [String] = []
    for part in text.split(separator: ",") {
      let name = String(part).trimmingASCIISpace()
      if !names.contains(name) { names.append(name) }
      guard names.count <= 4096 else {
        throw ServiceError("'parameter-name' has too many names", kind: .limit)
      }
    }
    guard !names.isEmpty else { throw ServiceError("'parameter-name' has no names") }
    return names
  }

  private enum Form { case integer, real, text }

  private var form: Form {
    if source.pixelType.isComplex { return .text }
    return isScaled || source.pixelType.isFloatingPoint ? .real : .integer
  }

  /// The type of the values in CoverageJSON.
  var dataType: String {
    switch form {
    case .integer: "integer"
    case .real: "float"
    case .text: "string"
    }
  }

  /// The display name.
  var label: String {
    let base = source.name.isEmpty ? "Band \(band)" : source.name
    return isScaled ? base + ", scaled" : base
  }

  /// The unit of the values; empty if unknown.
  var unit: String { source.isScaled && !isScaled ? "" : source.unit }

  /// The parameter in a collection's description.
  var description: JSONObject {
    var object = JSONObject()
    object.add("type", "Parameter")
    object.add("id", name)
    object.add("description", label)
    object.add("data-type", dataType)
    Self.add(unit: unit, to: &object) { .text($0) }
    var property = JSONObject()
    property.add("label", label)
    object.add("observedProperty", property)
    return object
  }

  /// The parameter in CoverageJSON.
  var coverageJSON: JSONObject {
    var object = JSONObject()
    object.add("type", "Parameter")
    object.add("id", name)
    object.add("description", Self.english(label))
    Self.add(unit: unit, to: &object) { .object(Self.english($0)) }
    var property = JSONObject()
    property.add("label", Self.english(label))
    object.add("observedProperty", property)
    return object
  }

  enum Label {
    case text(String)
    case object(JSONObject)
  }

  static func add(
    unit: String, to object: inout JSONObject, _ label: (String) -> Label
  ) {
    guard !unit.isEmpty else { return }
    var unitObject = JSONObject()
    switch label(unit) {
    case .text(let text): unitObject.add("label", text)
    case .object(let object): unitObject.add("label", object)
    }
    unitObject.add("symbol", unit)
    object.add("unit", unitObject)
  }

  static func english(_ text: String) -> JSONObject {
    var object = JSONObject()
    object.add("en", text)
    return object
  }

  // MARK: Values

  /// Appends the value of a point as JSON, or as a table field.
  @inline(__always)
  func append(_ column: ValueColumn, _ row: Int, isField: Bool, to text: TextBuffer) {
    guard column.status[row] == SampleStatus.ok.rawValue, let value = column[row] else {
      if !isField { text.append(literal: "null") }
      return
    }
    if isScaled {
      return append((value.real ?? .nan) * source.scale + source.offset, isField, to: text)
    }
    isField && !(value.real?.isFinite ?? false)
      ? text.append(value.description) : text.append(json: value)
  }

  private func append(_ value: Double, _ isField: Bool, to text: TextBuffer) {
    value.isFinite || !isField ? text.append(json: value) : text.append(value.description)
  }
}
