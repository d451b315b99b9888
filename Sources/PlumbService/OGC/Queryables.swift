import Plumb
import PlumbIO

/// The queryable properties of a layer's features.
struct Queryables {
  /// Indices of the layer's fields.
  private let indices: [Int]
  private let rows: FeatureRows
  /// Parameter names that are not properties.
  static let reserved = ["f", "limit", "offset", "bbox", "bbox-crs", "crs", "datetime", "token"]

  init(_ rows: FeatureRows) {
    self.rows = rows
    var seen = Set(Self.reserved)
    indices = rows.fields.indices.filter { index in
      let name = rows.fields[index].name
      return !name.isEmpty && seen.insert(name.lowercased()).inserted
    }
  }

  var names: [String] { indices.map { rows.fields[$0].name } }

  /// The first date field, which the parameter `datetime` filters.
  private var timeField: Int? { rows.fields.firstIndex { $0.kind == .date } }

  /// The range of the times of all features; nil if no feature has a time.
  var timeRange: ClosedRange<Int64>? {
    guard let field = timeField else { return nil }
    var range: ClosedRange<Int64>?
    for row in 0..<rows.count {
      guard case .integer(let time) = rows.value(row, field) else { continue }
      range = min(range?.lowerBound ?? time, time)...max(range?.upperBound ?? time, time)
    }
    return range
  }

  // MARK: Description

  /// Returns the JSON Schema of the properties.
  func schema(address: String, _ title: String) -> JSONObject {
    var properties = JSONObject()
    for index in indices {
      var property = type(index)
      property.add("title", rows.fields[index].name)
      properties.add(rows.fields[index].name, property)
    }
    var object = JSONObject()
    object.add("$schema", "https://json-schema.org/draft/2020-12/schema")
    object.add("$id", address)
    object.add("type", "object")
    object.add("title", title)
    object.add("properties", properties)
    object.add("additionalProperties", false)
    return object
  }

  /// The properties as OpenAPI parameters.
  var parameters: [JSONObject] {
    indices.map { index in
      var parameter = JSONObject()
      parameter.add("name", rows.fields[index].name)
      parameter.add("in", "query")
      parameter.add("required", false)
      parameter.add("description", "Features with this value of \(rows.fields[index].name)")
      parameter.add("style", "form")
      parameter.add("explode", false)
      parameter.add("schema", type(index))
      return parameter
    }
  }

  private func type(_ index: Int) -> JSONObject {
    var object = JSONObject()
    switch rows.table.fields[index].kind {
    case .integer: object.add("type", "integer")
    case .real: object.add("type", "number")
    case .boolean: object.add("type", "boolean")
    case .text: object.add("type", "string")
    }
    return object
  }

  // MARK: Selection

  /// A property and its requested value.
  private struct Condition {
    var field: Int
    var value: FieldValue
  }

  /// Returns the rows among `found` whose properties match the parameters and whose time is in a
  /// period.
  func selected(
    _ found: [Int], _ parameters: OGCParameters, _ period: OGCPeriod?
  ) throws -> [Int] {
    let conditions = try conditions(parameters)
    let timeField = period == nil ? nil : timeField
    guard !conditions.isEmpty || timeField != nil else { return found }
    var result: [Int] = []
    for (count, row) in found.enumerated() {
      if count % 1024 == 0 { try WorkCancellation.checkCurrent() }
      let attributes = rows.table.features[row].attributes
      guard conditions.allSatisfy({ Self.equal(attributes[safe: $0.field] ?? .null, $0.value) })
      else { continue }
      if let timeField, let period {
        guard case .integer(let time) = rows.value(row, timeField), period.contains(time)
        else { continue }
      }
      result.append(row)
    }
    return result
  }

  private func conditions(_ parameters: OGCParameters) throws(ServiceError) -> [Condition] {
    var list: [Condition] = []
    for index in indices {
      let name = rows.fields[index].name
      guard let text = parameters.text(name) else { continue }
      list.append(Condition(field: index, value: try value(text, of: index, name)))
    }
    return list
  }

  private func value(
    _ text: String, of index: Int, _ name: String
  ) throws(ServiceError) -> FieldValue {
    let word = text.trimmingASCIISpace()
    switch rows.table.fields[index].kind {
    case .text: return .text(text)
    case .boolean:
      if let flag = ["true": true, "1": true, "false": false, "0": false][word.lowercased()] {
        return .boolean(flag)
      }
      throw ServiceError("'\(name.shown)': \(text.shown) is neither true nor false")
    case .integer:
      if let number = Int64(word) { return .integer(number) }
      if let number = Double(plain: word), number.rounded() == number { return .real(number) }
      throw ServiceError("'\(name.shown)': \(text.shown) is not a whole number")
    case .real:
      if let number = Double(plain: word) { return .real(number) }
      throw ServiceError("'\(name.shown)': \(text.shown) is not a number")
    }
  }

  private static func equal(_ value: FieldValue, _ other: FieldValue) -> Bool {
    switch (value, other) {
    case (.null, _): false
    case (.text(let a), .text(let b)), (.json(let a), .text(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.boolean(let a), .boolean(let b)): a == b
    default: value.doubleValue.flatMap { a in other.doubleValue.map { a == $0 } } ?? false
    }
  }
}
